"""The optional dependency of MCP: the official SDK, installed by the extra `mcp`."""

from importlib import import_module
from importlib.util import find_spec

from db.admin.errors import OperatorError


class ExtraMissing(OperatorError):
    """The official SDK is not installed; the message says how to install it."""


def require_extra() -> None:
    """Import the SDK, which takes most of a second. Raises ExtraMissing if it is not installed."""
    if find_spec("mcp") is None:
        raise ExtraMissing("MCP needs the extra `mcp`: run `make mcp`, or `pip install '.[mcp]'` in a checkout.")
    import_module("rest_facade.mcp.server")
