"""The internal listener: whether the service lives, whether it is ready to answer, and what it counts."""

from collections.abc import Awaitable, Callable, Sequence

import orjson
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from rest_facade.internal.readiness import Readiness

ReadMetrics = Callable[[], Awaitable[bytes]]
"""What has been counted, in the text format of Prometheus."""


def internal_app(readiness: Readiness, written: ReadMetrics, pages: Sequence[BaseRoute] = ()) -> Starlette:
    """The application of the internal listener; `pages` are what it shows of the API."""

    async def live(request: Request) -> Response:
        return _json({"status": "live"})

    async def ready(request: Request) -> Response:
        report = await readiness.report()
        answers = {name: "reachable" if reached else "unreachable" for name, reached in report.items()}
        if readiness.stopping:
            return _json({"status": "stopping", **answers}, 503)
        if all(report.values()):
            return _json({"status": "ready", **answers})
        return _json({"status": "unready", **answers}, 503)

    async def counted(request: Request) -> Response:
        return Response(await written(), 200, {"Cache-Control": "no-store", "Content-Type": CONTENT_TYPE_LATEST})

    health = [Route("/live", live), Route("/ready", ready), Route("/metrics", counted)]
    app = Starlette(routes=[*health, *pages])
    app.router.redirect_slashes = False
    return app


def _json(body: object, status: int = 200) -> Response:
    return Response(orjson.dumps(body), status, {"Cache-Control": "no-store"}, "application/json")
