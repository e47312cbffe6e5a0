"""`orgdata mcp`: serve the MCP tools over standard input and output."""

from typing import Annotated

import typer


def serve_mcp(
    url: Annotated[
        str | None, typer.Option(help="https address of a running service; without it, the database is read directly.")
    ] = None,
    tools: Annotated[
        str,
        typer.Option(help="Only tools of these areas, such as people,time. The others: work, activity, money, leaves."),
    ] = "",
    structured: Annotated[
        bool, typer.Option("--structured", help="Results as structured content, too; tools get an output schema.")
    ] = False,
) -> None:
    """Serve the MCP tools over standard input and output, with the key of ORGDATA_MCP_KEY."""
    from rest_facade.commands.mcp import stdio
    from rest_facade.mcp.options import tool_options

    options = tool_options(tools, "true" if structured else "")
    if url is not None:
        stdio.serve_remote(url, options)
        return
    from rest_facade.settings import load

    stdio.serve_database(load(), options)
