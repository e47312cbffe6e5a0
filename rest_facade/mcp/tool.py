"""MCP tools: names, descriptions, schemas of arguments, keys of results.

`make generated` makes the tools of the endpoints, and writes them into the packaged file `tools.json`:
`orgdata mcp --url` runs where the server's libraries are not installed.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

import orjson

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


@dataclass(frozen=True, eq=False)
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
