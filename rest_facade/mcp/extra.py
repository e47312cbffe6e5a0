"""The extra: without it everything else works, and whoever asks for MCP is told what to install."""

from importlib.util import find_spec


class ExtraMissing(Exception):
    """The official SDK is not installed; the text says how to get it."""


def require_extra() -> None:
    """Raise ExtraMissing before the first import of what needs the SDK."""
    if find_spec("mcp") is None:
        raise ExtraMissing("MCP needs the extra `mcp`: pip install 'orgdata-service[mcp]'.")
