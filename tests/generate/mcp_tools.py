"""`rest_facade/mcp/tools.json`: the MCP tools, made from the endpoints and the descriptions of the schema.

A client shows all tools to its model at once, so a tool leaves the keys of its results to its answers, and what many
tools share to the instructions of the server.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from graphql import GraphQLEnumType, get_named_type

from rest_facade.mcp.answers import ARRAY_KEY, NEXT_ARGUMENT
from rest_facade.mcp.tool import EndpointTool, ToolKey, flattened
from rest_facade.openapi.parameters import Parameters
from rest_facade.openapi.schemas import Schemas
from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.envelopes import Cursor, Offset
from schema.documents.result_types import DocumentTypes, ResultField

CHECKED_BY_REST = frozenset({"minLength", "maxLength", "pattern", "minItems", "maxItems", "minimum", "format"})
"""Keywords of JSON Schema that are left out: the REST API checks the values, and its message says what is wrong."""

DEFAULT_ROWS = 20
"""Rows of a page that a model has not asked for."""

DEFAULT_KEYS = 18
"""Keys of a row that a model has not asked for."""

SHARED_ARGUMENTS = frozenset("id user_id team_id start_date end_date timezone limit next updated_since search".split())
"""Arguments that the instructions explain, so that a tool only has their types."""

LEFT_OUT = frozenset("page after cursor include_deleted payroll_updated_since screenshots_updated_since".split())
"""Parameters that tools do not have: `next` stands for those of pages, and agents do not poll."""

SELDOM_ASKED = frozenset(
    "created_at updated_at deleted_at description note notes reason color timezone avatar_url first_name last_name"
    " external_id external_source".split()
)
"""Keys that are not among those."""


def tool_of(endpoint: Endpoint) -> EndpointTool:
    """The tool of one endpoint."""
    types = DocumentTypes(endpoint.document)
    result = types.result
    is_page = isinstance(endpoint.envelope, (Offset, Cursor))
    keys = _row_keys(result, is_page=is_page)
    schemas = Schemas()
    parameters = [_inlined(parameter, schemas) for parameter in Parameters(endpoint, types, {}, schemas).all()]
    limits = [parameter["schema"]["default"] for parameter in parameters if parameter["name"] == "limit"]
    return EndpointTool(
        name=endpoint.operation,
        description=result.description,
        scope=endpoint.scope,
        schema=_schema(parameters),
        path=endpoint.path,
        ids=list(endpoint.ids),
        rows=min(*limits, DEFAULT_ROWS) if limits else None,
        default_fields=_default_fields(keys)[:DEFAULT_KEYS] if is_page else [],
        keys=keys,
    )


def _inlined(value: Any, schemas: Schemas) -> Any:
    """The same, with components instead of references to them."""
    if isinstance(value, list):
        return [_inlined(item, schemas) for item in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value:
        return schemas.components[value["$ref"].rpartition("/")[2]]
    return {name: _inlined(item, schemas) for name, item in value.items()}


def _default_fields(keys: Sequence[ToolKey]) -> list[str]:
    """The plain keys of a row, first those that it begins with; those of the lists in it if it has no others."""
    is_report = any(key.name == "is_final" for key in keys)
    plain = [
        key.name
        for number, key in enumerate(keys)
        if not (key.keys or key.is_list or key.name in SELDOM_ASKED or (number and key.name.endswith("_id")))
        and not (is_report and key.name in ("start_date", "end_date"))
    ]
    names = dict(flattened(keys))
    people = [name for name in ("user.user_id", "user.full_name", "user.email") if name in names][:2]
    if plain in ([], ["id"]):
        plain = [f"{key.name}.{inner}" for key in keys if key.is_list for inner in _default_fields(key.keys)] or plain
    return [*plain[:1], *people, *plain[1:]] if plain[:1] == ["id"] else [*people, *plain]


def _row_keys(result: ResultField, *, is_page: bool) -> Sequence[ToolKey]:
    """The keys of each result, or of the one object."""
    return _keys(next(key for key in result.keys if key.name == ARRAY_KEY) if is_page else result)


def _keys(field: ResultField) -> Sequence[ToolKey]:
    return tuple(ToolKey(key.name, key.description, _type_name(key), key.is_list, _keys(key)) for key in field.keys)


def _type_name(key: ResultField) -> str:
    named = get_named_type(key.type)
    name = "one of " + ", ".join(named.values) if isinstance(named, GraphQLEnumType) else named.name
    name = "object" if key.keys else name
    return f"{'list of ' if key.is_list else ''}{name}{' or null' if key.is_nullable else ''}"


def _schema(parameters: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    properties = {
        parameter["name"]: _argument(parameter) for parameter in parameters if parameter["name"] not in LEFT_OUT
    }
    if "limit" in properties:
        properties[NEXT_ARGUMENT] = {"type": "string"}
    properties["fields"] = {"type": "string"}
    required = [parameter["name"] for parameter in parameters if parameter["required"]]
    return {"type": "object", "properties": properties, **({"required": required} if required else {})}


def _argument(parameter: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of an argument, without what the instructions or the REST API say."""
    schema = parameter["schema"]
    kept: dict[str, Any] = {"type": schema.get("type", "string")}
    items = schema.get("items", {})
    if kept["type"] == "array":
        kept["items"] = {"enum": items["enum"]} if "enum" in items else {"type": "string"}
    elif "enum" in schema:
        kept = {"enum": schema["enum"]}
    description: str = parameter["description"]
    is_plain = description.startswith(("Only ", "Optional ")) and not {"except", "unassigned"} & set(
        re.findall(r"\w+", description)
    )
    if parameter["in"] == "path" or parameter["name"] in SHARED_ARGUMENTS or is_plain:
        return kept
    return {**kept, "description": description.partition(". ")[0].rstrip(".") + "."}
