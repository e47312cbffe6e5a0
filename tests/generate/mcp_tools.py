"""`rest_facade/mcp/tools/tools.json`: the MCP tools, made from the endpoints and the descriptions of the schema.

A client shows all tools to its model at once, so a tool names the keys of its results and leaves their descriptions to
the tool `describeResult`, and what many tools share to the instructions of the server.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from rest_facade.mcp.tools.answers import ARRAY_KEY, DAYS_KEY, Detail
from rest_facade.mcp.tools.instructions import SHARED_ARGUMENTS
from rest_facade.mcp.tools.tool import Paging, Tool, ToolKey
from rest_facade.openapi.document import summary_of
from rest_facade.openapi.parameters import Parameters
from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.envelopes import Cursor, Offset
from schema.documents.result_types import (
    DocumentTypes,
    EnumType,
    ListType,
    ObjectType,
    ResultField,
    ResultType,
    ScalarType,
)

CHECKED_BY_REST = frozenset({"minLength", "maxLength", "pattern", "minItems", "maxItems", "minimum", "format"})
"""Keywords of JSON Schema that are left out: the REST API checks the values, and its message says what is wrong."""

MAX_NUMBER = 1_000
"""A larger maximum only protects the service, so a model need not know it."""


def tool_of(endpoint: Endpoint) -> Tool:
    """The tool of one endpoint."""
    types = DocumentTypes(endpoint.document)
    result = types.result()
    paging = _paging(endpoint, result)
    keys = _row_keys(result, paging)
    described = _described(keys, frozenset())
    sentences = [result.description, f"Keys: {described}."]
    return Tool(
        name=endpoint.operation,
        title=summary_of(endpoint.operation),
        description=" ".join(sentences),
        path=endpoint.path,
        ids=endpoint.ids,
        scope=endpoint.scope,
        paging=paging,
        schema=_schema(endpoint, types, keys),
        keys=keys,
    )


def _paging(endpoint: Endpoint, result: ResultField) -> Paging:
    match endpoint.envelope:
        case Offset():
            return Paging.page
        case Cursor():
            return Paging.cursor
    return Paging.array if isinstance(result.type, ListType) else Paging.object


def _row_keys(result: ResultField, paging: Paging) -> Sequence[ToolKey]:
    """The keys of each result, or of the one object."""
    type_ = result.type
    if paging in (Paging.page, Paging.cursor):
        assert isinstance(type_, ObjectType)
        type_ = next(key.type for key in type_.keys if key.name == ARRAY_KEY)
    return _keys(type_)


def _keys(type_: ResultType) -> Sequence[ToolKey]:
    if isinstance(type_, ListType):
        return _keys(type_.item)
    if not isinstance(type_, ObjectType):
        return ()
    return tuple(
        ToolKey(key.name, key.description, _type_name(key), isinstance(key.type, ListType), _keys(key.type))
        for key in type_.keys
    )


def _type_name(key: ResultField) -> str:
    inner = key.type.item if isinstance(key.type, ListType) else key.type
    match inner:
        case EnumType():
            name = "one of " + ", ".join(inner.values)
        case ScalarType():
            name = inner.name
        case _:
            name = "object"
    return f"{'list of ' if inner is not key.type else ''}{name}{' or null' if key.is_nullable else ''}"


def _described(keys: Sequence[ToolKey], named: frozenset[str]) -> str:
    """`id, user {user_id, email}, days [date, ...]`; `...` stands for keys that were named outside."""
    outside = named | {key.name for key in keys}
    texts = [_described_key(key, outside) for key in keys if key.name not in named or key.keys]
    return ", ".join([*texts, *(["..."] if any(key.name in named and not key.keys for key in keys) else [])])


def _described_key(key: ToolKey, named: frozenset[str]) -> str:
    if not key.keys:
        return key.name
    opening, closing = "[]" if key.is_list else "{}"
    return f"{key.name} {opening}{_described(key.keys, named)}{closing}"


def _schema(endpoint: Endpoint, types: DocumentTypes, keys: Sequence[ToolKey]) -> dict[str, Any]:
    parameters = Parameters(endpoint, types, {}).all()
    properties = {parameter["name"]: _argument(parameter) for parameter in parameters}
    if any(key.name == DAYS_KEY and key.keys for key in keys):
        # The API's own argument of this name adds further keys, so it is a level of detail, too.
        own = properties.get("detail", {}).get("items", {}).get("enum", ())
        properties["detail"] = {"enum": [*Detail, *own], "default": Detail.totals}
    properties["fields"] = {"type": "string"}
    required = [parameter["name"] for parameter in parameters if parameter["required"]]
    return {"type": "object", "properties": properties, **({"required": required} if required else {})}


def _argument(parameter: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of an argument, without what the instructions or the REST API say."""
    schema = _without_checks(parameter["schema"])
    enum = schema.get("items", schema).get("enum")
    description: str = parameter["description"]
    is_obvious = parameter["in"] == "path" or (enum is not None and "default" not in description)
    if is_obvious or parameter["name"] in SHARED_ARGUMENTS:
        return schema
    return {**schema, "description": description.partition(" Up to ")[0]}


def _without_checks(schema: Mapping[str, Any]) -> dict[str, Any]:
    if "anyOf" in schema:
        return {"type": "string"}
    kept = {name: value for name, value in schema.items() if name not in CHECKED_BY_REST}
    if kept.get("default") is False or kept.get("default") == 1:
        del kept["default"]
    if "items" in kept:
        kept["items"] = _without_checks(kept["items"])
    if "enum" in kept:
        kept.pop("type", None)
    if kept.get("maximum", 0) > MAX_NUMBER:
        del kept["maximum"]
    return kept
