"""Browser pages of the internal listener: overview, OpenAPI document, Swagger UI, GraphiQL with its example queries."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
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

from rest_facade.errors.refusals import KEY_HEADER
from rest_facade.internal.examples import example_queries, examples_page

ASSETS = Path(__file__).with_name("assets")

CONTENT_SECURITY_POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    # The explorers use inline styles.
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data:",
    "font-src": "'self' data:",
    "worker-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
}
"""Content-Security-Policy of the pages: they load from this listener only."""


class HtmlRoute(Route):
    """A route that matches only requests that accept HTML, so that another route can have the same path.

    Those with a key are of programs: the libraries of Java accept HTML where their caller says nothing.
    """

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        match, child = super().matches(scope)
        headers = Headers(scope=scope)
        matches = match is Match.FULL and "text/html" in headers.get("accept", "") and KEY_HEADER not in headers
        return (match, child) if matches else (Match.NONE, {})


def routes(document: Mapping[str, Any]) -> list[BaseRoute]:
    """The routes of the OpenAPI document and the pages. Swagger UI may call the servers of the document."""
    body = orjson.dumps(document)
    # Reads the files now, and not within a request.
    example_queries()

    async def openapi(request: Request) -> Response:
        return Response(body, 200, {"Cache-Control": "no-cache"}, "application/json")

    async def examples(request: Request) -> Response:
        page = orjson.dumps(examples_page(datetime.now(UTC).date()))
        return Response(page, 200, {"Cache-Control": "no-store"}, "application/json")

    addresses = [urlsplit(server["url"]) for server in document["servers"]]
    return [
        Route("/", page("overview.html", styles="'self'")),
        Route("/hours", page("hours.html", styles="'self'")),
        Route("/openapi.json", openapi),
        Route("/docs", page("docs.html", *(f"{address.scheme}://{address.netloc}" for address in addresses))),
        Route("/graphql-examples.json", examples),
        HtmlRoute("/graphql", page("graphiql.html"), methods=["GET"]),
        Mount("/assets", StaticFiles(directory=ASSETS)),
    ]


def missing_page() -> BaseRoute:
    """The route of addresses that no other route has, for browsers: others get 404 as text."""
    return HtmlRoute("/{path:path}", page("404.html", status=404), methods=["GET"])


def page(
    file: str, *servers: str, styles: str | None = None, status: int = 200
) -> Callable[[Request], Awaitable[Response]]:
    """An endpoint that answers a page whose scripts may call this listener and `servers`.

    `styles` replaces the sources of styles.
    """
    policy = {**CONTENT_SECURITY_POLICY, "connect-src": " ".join(["'self'", *servers])}
    if styles is not None:
        policy["style-src"] = styles
    headers = {
        "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in policy.items()),
        "Cache-Control": "no-cache",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "Vary": "Accept",
    }

    async def show(request: Request) -> Response:
        return FileResponse(ASSETS / file, status, headers, "text/html")

    return show
