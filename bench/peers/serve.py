"""Serves each Python peer in the same way: uvicorn with uvloop and httptools, one process, no access log."""

from argparse import ArgumentParser
from typing import Any

import uvicorn


def arguments() -> tuple[str, int]:
    """The address of the database and the port, from the command line."""
    parser = ArgumentParser()
    parser.add_argument("--url", default="")
    parser.add_argument("--port", type=int, required=True)
    options = parser.parse_args()
    return options.url, options.port


def serve(app: Any, port: int, *, lifespan: bool = True) -> None:
    """Serve an ASGI application until the process is stopped."""
    uvicorn.run(
        app,
        host="127.0.0.1",
        port=port,
        loop="uvloop",
        http="httptools",
        ws="none",
        lifespan="on" if lifespan else "off",
        access_log=False,
        log_level="warning",
    )
