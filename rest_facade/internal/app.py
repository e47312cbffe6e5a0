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


class InternalApp(Starlette):
    """The application of the internal listener, which counts connections that its HTTP protocol closes.

    `read_metrics` returns the metrics in the Prometheus text format; `pages` are further routes.
    """

    def __init__(
        self,
        readiness: Readiness,
        read_metrics: Callable[[], Awaitable[bytes]],
        pages: Sequence[BaseRoute] = (),
        count_closed: Callable[[ClosedConnection], None] = lambda _: None,
    ) -> None:
        health = [Route("/live", self.live), Route("/ready", self.ready), Route("/metrics", self.metrics)]
        super().__init__(routes=[*health, *pages])
        self.router.redirect_slashes = False
        self._readiness, self._read_metrics, self._count_closed = readiness, read_metrics, count_closed

    async def live(self, _: Request) -> Response:
        return _json({"status": "live"})

    async def ready(self, _: Request) -> Response:
        readiness, report = self._readiness, await self._readiness.report()
        details = {**{name: check.words for name, check in report.items()}, **readiness.host_reports()}
        if readiness.stopping:
            return _json({"status": "stopping", **details}, 503)
        if all(check.passes for check in report.values()):
            return _json({"status": "ready", **details})
        return _json({"status": "unready", **details}, 503)

    async def metrics(self, _: Request) -> Response:
        headers = {"Cache-Control": "no-store", "Content-Type": CONTENT_TYPE_LATEST}
        return Response(await self._read_metrics(), 200, headers)

    def on_unparsed(self, request_id: str, error: Error) -> None:
        """Bytes that are no request are not counted: /metrics is about the public listener."""

    def on_closed(self, why: ClosedConnection) -> None:
        """Count a connection that the HTTP protocol closed."""
        self._count_closed(why)


def _json(body: object, status: int = 200) -> Response:
    return Response(orjson.dumps(body), status, {"Cache-Control": "no-store"}, "application/json")
