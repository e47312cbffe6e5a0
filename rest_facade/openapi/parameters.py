"""OpenAPI parameters of an operation: the ids of its path, its filters, its paging."""

from collections.abc import Mapping
from typing import Any

from resolvers.period import MAX_RANGE_DAYS
from resolvers.relations.arguments import MAX_VALUES
from rest_facade.openapi.polling import POLL_OVERLAP
from rest_facade.openapi.schemas import Schemas
from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.envelopes import MAX_PAGE, Cursor, Offset
from rest_facade.rest.parameters import Expansion
from schema.documents.result_types import DocumentTypes
from schema.execution.operation import Variable
from schema.scalars import QueryForm, scalar_named

RANGE = f"Send `start_date` and `end_date` together; at most {MAX_RANGE_DAYS} days, both included."
CURSOR_DESCRIPTION = (
    "The `next_cursor` of the previous page. It has the days, time zone and filters of the first page: send it alone, "
    "or with the same values again."
)
REPEATED = {"style": "form", "explode": True}
"""A list is a repeated parameter, as most generated clients send it whatever the document says."""

LIST = f"Up to {MAX_VALUES} values: the parameter repeated, or its values separated by commas."


class Parameters:
    """The parameters of one endpoint. `examples` are values by parameter name; `schemas` gets the enumerations."""

    def __init__(self, endpoint: Endpoint, types: DocumentTypes, examples: Mapping[str, str], schemas: Schemas) -> None:
        self._endpoint = endpoint
        self._schemas = schemas
        self._examples = examples
        self._variables = {variable.name: variable for variable in endpoint.compiled.variables}
        self._descriptions = types.descriptions

    def all(self) -> list[dict[str, Any]]:
        """All parameters: path ids, filters, paging."""
        ids = [self._id(name) for name in self._endpoint.ids]
        filters = [
            self._expansion(parameter)
            if isinstance(parameter, Expansion)
            else self._filter(self._variables[parameter.name])
            for parameter in self._endpoint.query_parameters
        ]
        return [*ids, *filters, *self._paging()]

    def _id(self, name: str) -> dict[str, Any]:
        schema = {"type": "string", "format": "uuid"}
        return _parameter(name, self._descriptions[name], schema, place="path", required=True) | self._example(name)

    def _filter(self, variable: Variable) -> dict[str, Any]:
        is_enum = variable.choices is not None
        schema = self._schemas.enum(variable.type) if is_enum else dict(_query_form(variable.type).json)
        if variable.is_list:
            schema = _list_schema(schema)
        # Some generated clients send what is a default, and write 0 for false.
        if variable.default:
            schema["default"] = variable.default
        scope = self._endpoint.parameter_scopes.get(variable.name)
        sentences = [
            self._descriptions.get(variable.name),
            None if is_enum else _query_form(variable.type).hint,
            self._rule(variable.name),
            scope and f"An MCP key needs the scope `{scope}` for it.",
        ]
        if variable.is_list:
            sentences.append(LIST)
        return {
            **_parameter(variable.name, " ".join(filter(None, sentences)), schema, required=variable.is_required),
            **(REPEATED if variable.is_list else {}),
            **(self._example(variable.name) if variable.is_required else {}),
        }

    def _rule(self, name: str) -> str | None:
        if name in ("start_date", "end_date"):
            return RANGE
        if name == "updated_since":
            return POLL_OVERLAP
        excluding = (each.name for each in self._endpoint.query_parameters if each.excludes == name)
        return next((f"Not together with `{other}`." for other in excluding), None)

    def _expansion(self, parameter: Expansion) -> dict[str, Any]:
        sentences = [self._descriptions.get(parameter.prefix + name) for name in parameter.names]
        description = " ".join(["Optional keys to return.", *filter(None, sentences)])
        schema = _list_schema({"type": "string", "enum": list(parameter.names)})
        return _parameter(parameter.name, description, schema) | REPEATED

    def _paging(self) -> list[dict[str, Any]]:
        envelope = self._endpoint.envelope
        if not isinstance(envelope, Offset | Cursor):
            return []
        positive = {"type": "integer", "minimum": 1}
        limit = positive | {"maximum": envelope.maximum, "default": envelope.default}
        rows = "people" if isinstance(envelope, Cursor) else "rows"
        declared: dict[str, tuple[str, dict[str, Any]]] = {
            "limit": (f"Maximum number of {rows} on the page.", limit),
            "page": ("Number of the page, from 1.", positive | {"maximum": MAX_PAGE, "default": 1}),
            "after": (
                "Signed page token from `next`: no row is skipped or repeated. It names the page if `page` is missing.",
                {"type": "string"},
            ),
            "cursor": (CURSOR_DESCRIPTION, {"type": "string", "minLength": 1}),
        }
        return [_parameter(name, *declared[name]) for name in envelope.paging_parameters]

    def _example(self, name: str) -> dict[str, Any]:
        return {"example": self._examples[name]} if name in self._examples else {}


def _parameter(
    name: str, description: str, schema: Mapping[str, Any], *, place: str = "query", required: bool = False
) -> dict[str, Any]:
    return {"name": name, "in": place, "required": required, "description": description, "schema": schema}


def _query_form(scalar: str) -> QueryForm:
    query = scalar_named(scalar).query
    # Endpoints are built first, and refuse a variable that no query can hold.
    assert query is not None
    return query


def _list_schema(schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": schema, "minItems": 1, "maxItems": MAX_VALUES}
