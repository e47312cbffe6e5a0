"""MCP tools: names, descriptions, keys of results; arguments, which become the path and the query of a request.

Only arguments that no request could hold are refused here; the REST API validates the values.

`make generated` makes the tools of the endpoints, and writes them into the packaged file `tools.json`:
`orgdata mcp --url` runs where the server's libraries are not installed.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import quote, urlencode

import orjson

from rest_facade.errors.envelope import Refused
from rest_facade.errors.refusals import invalid
from rest_facade.mcp.calls import Call

PACKAGED = "tools.json"
"""The file of the packaged tools, beside this module."""


@dataclass(frozen=True)
class ToolKey:
    """A key of a result. `keys` are those inside an object, or inside each object of a list."""

    name: str
    description: str
    type: str
    is_list: bool = False
    keys: Sequence["ToolKey"] = ()


@dataclass(frozen=True)
class Tool:
    """A tool. `schema` is that of its arguments; `scope` is what a key needs for it."""

    name: str
    description: str
    scope: str
    schema: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True)
class EndpointTool(Tool):
    """A tool that is one GET request. `path` has the names of `ids` in braces."""

    path: str
    ids: Sequence[str]
    rows: int | None
    """Rows of a page unless `limit` is given; None for a tool without pages."""
    default_fields: Sequence[str]
    """The keys of a row that are shown unless `fields` is given; all of them if empty."""
    keys: Sequence[ToolKey] = field(repr=False)


@dataclass(frozen=True)
class SummaryTool(Tool):
    """A tool that reads any number of responses. `run` raises Refused, and CallRefused for a refused request."""

    run: Callable[[Mapping[str, Any], Call], Awaitable[dict[str, Any]]] = field(repr=False)


def flattened(keys: Sequence[ToolKey], prefix: str = "") -> Iterator[tuple[str, ToolKey]]:
    """The dotted name of each key at any depth, and the key."""
    for key in keys:
        yield f"{prefix}{key.name}", key
        yield from flattened(key.keys, f"{prefix}{key.name}.")


@cache
def packaged_tools() -> Sequence[EndpointTool]:
    """The tools of the packaged file."""
    stored = orjson.loads(files(__package__).joinpath(PACKAGED).read_bytes())
    return [EndpointTool(**{**tool, "keys": _keys(tool["keys"])}) for tool in stored]


def _keys(stored: Sequence[Mapping[str, Any]]) -> Sequence[ToolKey]:
    return tuple(ToolKey(**{**key, "keys": _keys(key["keys"])}) for key in stored)


def checked(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that have a value: null counts as absent. Raises Refused (400), which says what may be given."""
    properties = tool.schema["properties"]
    given = {name: value for name, value in arguments.items() if value is not None}
    for name, value in given.items():
        # /v1 ignores unknown parameters, but a model that misspelled a filter would trust the unfiltered result.
        if name not in properties:
            raise Refused(invalid(f"{tool.name} takes {', '.join(properties) or 'no arguments'}.", name))
        choices = properties[name].get("items", properties[name]).get("enum")
        values = value if isinstance(value, list) else str(value).split(",")
        if choices and not all(one in choices for one in values):
            raise Refused(invalid(f"{name} must be one of {', '.join(choices)}.", name))
    return given


def target(tool: EndpointTool, arguments: Mapping[str, Any]) -> tuple[str, str]:
    """The path and the query of the request. Raises Refused (400)."""
    lists = {name for name, schema in tool.schema["properties"].items() if schema.get("type") == "array"}
    texts = {name: _text(name, value, name in lists) for name, value in arguments.items()}
    for name in tool.ids:
        if not texts.get(name):
            raise Refused(invalid(f"{name} is required.", name))
    ids = {name: quote(texts.pop(name), safe="", errors="replace") for name in tool.ids}
    return tool.path.format_map(ids), urlencode(texts, errors="replace")


def _text(name: str, value: Any, is_list: bool) -> str:
    """A value as text of a query."""
    match value:
        case list() if is_list:
            return ",".join(_text(name, item, False) for item in value)
        case bool():
            return str(value).lower()
        case float() if value.is_integer():
            return str(int(value))
        case str() | int() | float():
            return str(value)
    raise Refused(invalid(f"{name} must be a plain value{' or a list of them' if is_list else ''}.", name))
