"""The application of the internal listener: /live, /ready, /metrics and the pages of operators."""

from collections.abc import Awaitable, Callable, Sequence

import orjson
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from rest_facade.internal.readiness import Readiness

ReadMetrics = Callable[[], Awaitable[bytes]]
"""Returns the metrics in the Prometheus text format."""


def internal_app(readiness: Readiness, read_metrics: ReadMetrics, pages: Sequence[BaseRoute] = ()) -> Starlette:
    """The application of the internal listener; `pages` are further routes."""

    async def live(request: Request) -> Response:
        return _json({"status": "live"})

    async def ready(request: Request) -> Response:
        report = await readiness.report()
        checks = {name: "reachable" if reached else "unreachable" for name, reached in report.items()}
        if readiness.stopping:
            return _json({"status": "stopping", **checks}, 503)
        if all(report.values()):
            return _json({"status": "ready", **checks})
        return _json({"status": "unready", **checks}, 503)

    async def metrics(request: Request) -> Response:
        return Response(await read_metrics(), 200, {"Cache-Control": "no-store", "Content-Type": CONTENT_TYPE_LATEST})

    health = [Route("/live", live), Route("/ready", ready), Route("/metrics", metrics)]
    app = Starlette(routes=[*health, *pages])
    app.router.redirect_slashes = False
    return app


def _json(body: object, status: int = 200) -> Response:
    return Response(orjson.dumps(body), status, {"Cache-Control": "no-store"}, "application/json")
