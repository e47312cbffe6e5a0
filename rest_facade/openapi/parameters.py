"""OpenAPI parameters of an operation: the ids of its path, its filters, its paging."""

from collections.abc import Mapping
from typing import Any

from resolvers.period import MAX_RANGE_DAYS
from rest_facade.openapi.schemas import Schemas
from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.envelopes import Cursor, Offset
from rest_facade.rest.parameters import MAX_PAGE, MAX_VALUES, Expansion
from schema.documents.result_types import DocumentTypes, VariableType
from schema.execution.operation import Variable
from schema.scalars import QueryForm, scalar_named

RANGE = f"Send `start_date` and `end_date` together; at most {MAX_RANGE_DAYS} days, both included."
USER_OR_TEAM = "Not together with `team_id`."


class Parameters:
    """The parameters of one endpoint. `examples` are values by the names of parameters.

    Enumerations are references where `schemas` collects them, and written out where nothing does.
    """

    def __init__(
        self, endpoint: Endpoint, answer: DocumentTypes, examples: Mapping[str, str], schemas: Schemas | None = None
    ) -> None:
        self._endpoint = endpoint
        self._schemas = schemas
        self._examples = examples
        self._variables = {variable.name: variable for variable in endpoint.compiled.variables}
        self._taken = answer.taken()

    def all(self) -> list[dict[str, Any]]:
        """Of the path, then of the query: filters, then paging."""
        ids = [self._id(name) for name in self._endpoint.ids]
        filters = [
            self._expansion(parameter)
            if isinstance(parameter, Expansion)
            else self._filter(self._variables[parameter.name], self._taken[parameter.name])
            for parameter in self._endpoint.query
        ]
        return [*ids, *filters, *self._paging()]

    def _id(self, name: str) -> dict[str, Any]:
        return {
            "name": name,
            "in": "path",
            "required": True,
            "description": self._taken[name].description,
            "schema": {"type": "string", "format": "uuid"},
            **self._example(name),
        }

    def _filter(self, variable: Variable, taken: VariableType) -> dict[str, Any]:
        schema = self._one(variable, taken)
        if variable.is_list:
            schema = _listed(schema)
        if taken.default is not None:
            schema["default"] = taken.default
        words = [
            taken.description,
            _query_form(variable.type).hint if taken.choice is None else None,
            self._rule(variable.name),
        ]
        if variable.is_list:
            words.append(f"Up to {MAX_VALUES} values, separated by commas.")
        return {
            "name": variable.name,
            "in": "query",
            "required": variable.is_required,
            "description": " ".join(filter(None, words)),
            "schema": schema,
            **(_commas() if variable.is_list else {}),
            **(self._example(variable.name) if variable.is_required else {}),
        }

    def _one(self, variable: Variable, taken: VariableType) -> dict[str, Any]:
        """A value, or an item where the variable takes several."""
        if taken.choice is None:
            return dict(_query_form(variable.type).json)
        if self._schemas is not None:
            return self._schemas.choice(taken.choice)
        return {"type": "string", "enum": list(taken.choice.values)}

    def _rule(self, name: str) -> str | None:
        if name in ("start_date", "end_date"):
            return RANGE
        return USER_OR_TEAM if name == "user_id" and "team_id" in self._variables else None

    def _expansion(self, parameter: Expansion) -> dict[str, Any]:
        words = [self._taken[parameter.prefix + name].description for name in parameter.names]
        return {
            "name": parameter.name,
            "in": "query",
            "required": False,
            "description": " ".join(["Optional keys to return.", *filter(None, words)]),
            "schema": _listed({"type": "string", "enum": list(parameter.names)}),
            **_commas(),
        }

    def _paging(self) -> list[dict[str, Any]]:
        envelope = self._endpoint.envelope
        if not isinstance(envelope, Offset | Cursor):
            return []
        whole = {"type": "integer", "minimum": 1}
        limit = whole | {"maximum": envelope.maximum, "default": envelope.default}
        what = "people" if isinstance(envelope, Cursor) else "rows"
        known = {
            "limit": (f"Maximum number of {what} on the page.", limit),
            "page": ("Number of the page, from 1.", whole | {"maximum": MAX_PAGE, "default": 1}),
            "after": (
                "Signed page token from `next`. It prevents skipped and repeated rows while you read pages.",
                {"type": "string"},
            ),
            "cursor": ("The `next_cursor` of the previous page.", {"type": "string", "minLength": 1}),
        }
        return [
            {"name": name, "in": "query", "required": False, "description": known[name][0], "schema": known[name][1]}
            for name in envelope.own
        ]

    def _example(self, name: str) -> dict[str, Any]:
        return {"example": self._examples[name]} if name in self._examples else {}


def _query_form(scalar: str) -> QueryForm:
    query = scalar_named(scalar).query
    # Endpoints are built first, and refuse a variable that no query can hold.
    assert query is not None
    return query


def _listed(schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": schema, "minItems": 1, "maxItems": MAX_VALUES}


def _commas() -> dict[str, Any]:
    """A list is one comma-separated value, not a repeated parameter."""
    return {"style": "form", "explode": False}
