"""How every peer in Python is served: uvicorn with uvloop and httptools, nothing logged, one process."""

from argparse import ArgumentParser
from typing import Any

import uvicorn


def arguments() -> tuple[str, int]:
    """The address of the database and the port, from the command line."""
    parser = ArgumentParser()
    parser.add_argument("--url", default="")
    parser.add_argument("--port", type=int, required=True)
    found = parser.parse_args()
    return found.url, found.port


def serve(app: Any, port: int, *, lifespan: bool = True) -> None:
    """Serve an ASGI application until the process is told to stop."""
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
