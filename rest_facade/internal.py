"""The internal listener: whether the service lives, and whether it is ready to answer."""

import asyncio

import orjson
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from db.database import Database

LONGEST_PROBE = 2.0
"""Seconds after which a database that says nothing counts as absent."""


def internal(database: Database) -> Starlette:
    """The application of the internal listener."""

    async def live(request: Request) -> Response:
        return _json({"status": "live"})

    async def ready(request: Request) -> Response:
        try:
            async with asyncio.timeout(LONGEST_PROBE):
                await database.ping()
        except Exception:  # noqa: BLE001 - whatever keeps the database from answering, the answer is the same
            return _json({"status": "unready", "database": "unreachable"}, 503)
        return _json({"status": "ready", "database": "reachable"})

    app = Starlette(routes=[Route("/live", live), Route("/ready", ready)])
    app.router.redirect_slashes = False
    return app


def _json(body: object, status: int = 200) -> Response:
    return Response(orjson.dumps(body), status, {"Cache-Control": "no-store"}, "application/json")
