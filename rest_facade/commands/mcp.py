"""`orgdata mcp`: serve the MCP tools over standard input and output."""

from typing import Annotated

import typer


def serve_mcp(
    url: Annotated[
        str | None, typer.Option(help="https address of a running service; without it, the database is read directly.")
    ] = None,
) -> None:
    """Serve the MCP tools over standard input and output, with the key of ORGDATA_MCP_KEY."""
    if url is not None:
        from rest_facade.mcp.remote_command import serve_remote

        serve_remote(url)
        return
    from rest_facade.mcp import command
    from rest_facade.settings import load

    command.serve(load())
