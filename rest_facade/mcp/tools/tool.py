"""MCP tool: its name, description and arguments, and the keys of its results.

`make generated` makes the tools of the endpoints, and writes them into the packaged file `tools.json`:
`orgdata mcp --url` runs where the server's libraries are not installed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from importlib.resources import files
from typing import Any

import orjson

PACKAGED = "tools.json"
"""The file of the packaged tools, beside this module."""


class Paging(StrEnum):
    """How the results of a tool continue."""

    page = "page"
    """`count`, `next`, `results`."""
    cursor = "cursor"
    """`results`, `pagination`."""
    array = "array"
    """All in `results`."""
    object = "object"
    """One object."""


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
    """A tool that is one GET request. `path` has the names of `ids` in braces; `schema` is that of the arguments."""

    name: str
    title: str
    description: str
    path: str
    ids: Sequence[str]
    scope: str
    paging: Paging
    schema: Mapping[str, Any] = field(repr=False)
    keys: Sequence[ToolKey] = field(repr=False)


def flattened(keys: Sequence[ToolKey], prefix: str = "") -> Iterator[tuple[str, ToolKey]]:
    """The dotted name of each key at any depth, and the key."""
    for key in keys:
        yield f"{prefix}{key.name}", key
        yield from flattened(key.keys, f"{prefix}{key.name}.")


def packaged_tools() -> Sequence[Tool]:
    """The tools of the packaged file."""
    stored = orjson.loads(files(__package__).joinpath(PACKAGED).read_bytes())
    return [
        Tool(**tool | {"ids": tuple(tool["ids"]), "paging": Paging(tool["paging"]), "keys": _keys(tool["keys"])})
        for tool in stored
    ]


def _keys(stored: Sequence[Mapping[str, Any]]) -> Sequence[ToolKey]:
    return tuple(ToolKey(**{**key, "keys": _keys(key["keys"])}) for key in stored)
