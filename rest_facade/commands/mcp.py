"""`orgdata mcp`: serve the MCP tools over standard input and output."""

from rest_facade.settings import load


def serve_mcp() -> None:
    """Serve the MCP tools over standard input and output, with the key of ORGDATA_MCP_KEY."""
    from rest_facade.mcp import command

    command.serve(load())
