"""What MCP needs to start: the official SDK (the extra `mcp`), and which tools a client gets, in which form."""

from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple

from db.errors import OperatorError
from rest_facade.access.scope_families import FAMILIES_OF_AREAS


class OptionError(OperatorError):
    """An option or a setting is missing or malformed; the message says what it should be."""


class ToolOptions(NamedTuple):
    families: frozenset[str]
    """The families of scopes whose tools are listed."""
    structured: bool
    """Whether results are structured content, too, and tools have an output schema."""


def tool_options(tools: str = "", structured: str = "") -> ToolOptions:
    """The options from their texts. `tools` are areas, separated by commas; by default all. Raises OptionError."""
    areas = tools.split(",") if tools else list(FAMILIES_OF_AREAS)
    if unknown := [area for area in areas if area not in FAMILIES_OF_AREAS]:
        known = ", ".join(FAMILIES_OF_AREAS)
        raise OptionError(f"tools must be areas of {known}, separated by commas; not {unknown[0]!r}.")
    if structured not in ("", "true", "false"):
        raise OptionError("structured must be true or false.")
    return ToolOptions(frozenset(family for area in areas for family in FAMILIES_OF_AREAS[area]), structured == "true")


class ExtraMissing(OperatorError):
    """The official SDK is not installed; the message says how to install it."""


def require_extra() -> None:
    """Import the SDK, which takes most of a second. Raises ExtraMissing if it is not installed."""
    if find_spec("mcp") is None:
        raise ExtraMissing("MCP needs the extra `mcp`: run `make mcp`, or `pip install '.[mcp]'` in a checkout.")
    import_module("rest_facade.mcp.server")
