"""The application of the internal listener: /live, /ready, /metrics and the pages of operators."""

from collections.abc import Awaitable, Callable, Sequence

import orjson
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from rest_facade.errors.closed_connection import ClosedConnection
from rest_facade.errors.envelope import Error
from rest_facade.internal.readiness import Readiness

ReadMetrics = Callable[[], Awaitable[bytes]]
"""Returns the metrics in the Prometheus text format."""


class InternalApp(Starlette):
    """The application of the internal listener, which counts connections that its HTTP protocol closes."""

    def __init__(self, routes: Sequence[BaseRoute], count_closed: Callable[[ClosedConnection], None]) -> None:
        super().__init__(routes=routes)
        self.router.redirect_slashes = False
        self._count_closed = count_closed

    def on_unparsed(self, request_id: str, error: Error) -> None:
        """Bytes that are no request are not counted: /metrics is about the public listener."""

    def on_closed(self, why: ClosedConnection) -> None:
        """Count a connection that the HTTP protocol closed."""
        self._count_closed(why)


def internal_app(
    readiness: Readiness,
    read_metrics: ReadMetrics,
    pages: Sequence[BaseRoute] = (),
    count_closed: Callable[[ClosedConnection], None] = lambda _: None,
) -> InternalApp:
    """The application of the internal listener; `pages` are further routes."""

    async def live(request: Request) -> Response:
        return _json({"status": "live"})

    async def ready(request: Request) -> Response:
        report = await readiness.report()
        details = {**{name: check.words for name, check in report.items()}, **readiness.host_reports()}
        if readiness.stopping:
            return _json({"status": "stopping", **details}, 503)
        if all(check.passes for check in report.values()):
            return _json({"status": "ready", **details})
        return _json({"status": "unready", **details}, 503)

    async def metrics(request: Request) -> Response:
        return Response(await read_metrics(), 200, {"Cache-Control": "no-store", "Content-Type": CONTENT_TYPE_LATEST})

    health = [Route("/live", live), Route("/ready", ready), Route("/metrics", metrics)]
    return InternalApp([*health, *pages], count_closed)


def _json(body: object, status: int = 200) -> Response:
    return Response(orjson.dumps(body), status, {"Cache-Control": "no-store"}, "application/json")
