"""The optional dependency of MCP: the official SDK, installed by the extra `mcp`."""

from importlib.util import find_spec

from db.admin.errors import OperatorError


class ExtraMissing(OperatorError):
    """The official SDK is not installed; the message says how to install it."""


def require_extra() -> None:
    """Raise ExtraMissing if the SDK is not installed. To be called before the first import that needs it."""
    if find_spec("mcp") is None:
        raise ExtraMissing("MCP needs the extra `mcp`: run `make mcp`, or `pip install '.[mcp]'` in a checkout.")
