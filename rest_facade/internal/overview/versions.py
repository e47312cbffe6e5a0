"""`/versions.json` on the internal listener: versions of the service, of Python, of PostgreSQL and of the tables."""

import platform
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response

from db.admin.migrate import head
from db.reading.database import Database
from db.reading.hosts.versions import read_versions
from rest_facade.internal.overview.shared_cache import SharedCache
from rest_facade.version import service_version

VERSIONS_KEPT_SECONDS = 30.0
"""Seconds for which the versions of the database are kept."""

VERSIONS_TIMEOUT = 3.0
"""Seconds after which the database counts as not reachable."""


def versions_endpoint(database: Database) -> Callable[[Request], Awaitable[Response]]:
    """An endpoint that answers the versions. Those of the database are null while it is not reachable."""
    servers: SharedCache[None, tuple[str, str | None]] = SharedCache(
        1, seconds=VERSIONS_KEPT_SECONDS, timeout=VERSIONS_TIMEOUT
    )
    needed = head()

    async def versions(request: Request) -> Response:
        found: tuple[str | None, str | None] = (None, None)
        # Any failure means that it is not reachable; /ready says more.
        with suppress(Exception):
            found = await servers.get(None, partial(read_versions, database))
        body: Mapping[str, Any] = {
            "service": service_version(),
            "python": platform.python_version(),
            "postgresql": found[0],
            "migration": {"database": found[1], "service": needed},
        }
        return Response(orjson.dumps(body), 200, {"Cache-Control": "no-store"}, "application/json")

    return versions
