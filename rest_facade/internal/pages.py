"""What the internal listener shows of the API: its description, and the pages to explore it with."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import orjson
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Match, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

ASSETS = Path(__file__).with_name("assets")

POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    # Both pages put their styles where they need them.
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data:",
    "font-src": "'self' data:",
    "worker-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
}
"""What a page may load and where from: nothing but this listener."""


class ForBrowsers(Route):
    """A route for whoever asks for HTML; for anybody else there is none, so that another may have its path."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        match, child = super().matches(scope)
        is_asked = match is Match.FULL and "text/html" in Headers(scope=scope).get("accept", "")
        return (match, child) if is_asked else (Match.NONE, {})


def routes(document: Mapping[str, Any]) -> list[BaseRoute]:
    """The description, written once, here, and the pages; the one about REST may call the described servers."""
    written = orjson.dumps(document)

    async def openapi(request: Request) -> Response:
        return Response(written, 200, {"Cache-Control": "no-cache"}, "application/json")

    addresses = [urlsplit(server["url"]) for server in document["servers"]]
    return [
        Route("/openapi.json", openapi),
        Route("/docs", page("docs.html", *(f"{address.scheme}://{address.netloc}" for address in addresses))),
        ForBrowsers("/graphql", page("graphiql.html"), methods=["GET"]),
        Mount("/assets", StaticFiles(directory=ASSETS)),
    ]


def page(file: str, *servers: str) -> Callable[[Request], Awaitable[Response]]:
    """Answers with a page that may call this listener and `servers`."""
    policy = {**POLICY, "connect-src": " ".join(["'self'", *servers])}
    headers = {
        "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in policy.items()),
        "Cache-Control": "no-cache",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "Vary": "Accept",
    }

    async def show(request: Request) -> Response:
        return FileResponse(ASSETS / file, headers=headers, media_type="text/html")

    return show
