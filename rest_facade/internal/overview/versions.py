"""`/versions.json` on the internal listener: versions of the service, of Python, of PostgreSQL and of the tables."""

import asyncio
import platform
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from importlib.metadata import version
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response

from db.reading.database import Database
from db.reading.hosts.versions import ServerVersions
from rest_facade.internal.overview.shared_cache import SharedCache

VERSIONS_KEPT_SECONDS = 30.0
"""Seconds for which the versions of the database are kept."""

VERSIONS_TIMEOUT = 3.0
"""Seconds after which the database counts as not reachable."""


def versions_endpoint(database: Database) -> Callable[[Request], Awaitable[Response]]:
    """An endpoint that answers the versions. Those of the database are null while it is not reachable."""
    servers: SharedCache[None, ServerVersions] = SharedCache(1, seconds=VERSIONS_KEPT_SECONDS, timeout=VERSIONS_TIMEOUT)
    heads: SharedCache[None, str] = SharedCache(1, seconds=float("inf"), timeout=VERSIONS_TIMEOUT)

    async def versions(request: Request) -> Response:
        needed = await heads.get(None, lambda: asyncio.to_thread(_head))
        server: ServerVersions | None = None
        # Any failure means that it is not reachable; /ready says more.
        with suppress(Exception):
            server = await servers.get(None, database.versions)
        body: Mapping[str, Any] = {
            "service": version("orgdata-service"),
            "python": platform.python_version(),
            "postgresql": server.postgresql if server is not None else None,
            "migration": {"database": server.migration if server is not None else None, "service": needed},
        }
        return Response(orjson.dumps(body), 200, {"Cache-Control": "no-store"}, "application/json")

    return versions


def _head() -> str:
    """The revision that this version requires. Alembic reads the files of all migrations for it."""
    # Alembic is imported with the first request: a thirtieth of the start, and nothing else of the service needs it.
    from db.admin.migrate import head  # noqa: PLC0415

    return head()
