"""The public listener: `/v1/...`, where every response is JSON, and the documentation where it is switched on.

`RestApp.handle` is the life of a request, step by step. A step passes the request on or refuses it: a
refusal that is usual is a returned `Error`, because an exception costs more than the step; the others raise `Refused`.
`RestApp.respond` turns results, refusals and unexpected exceptions into responses.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import InitVar, dataclass, field
from enum import StrEnum
from time import perf_counter
from typing import Any, NamedTuple
from urllib.parse import quote

import orjson
import structlog
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Mount
from starlette.types import ASGIApp, Lifespan, Receive, Scope, Send

from db.reading.database import request_deadline
from db.reading.query_stats import request_stats
from rest_facade.access.authentication import ApiKeys, Caller
from rest_facade.access.quota import Quota, rate_limit_headers
from rest_facade.access.throttle import Throttle
from rest_facade.errors.closed_connection import CLIENT_LEFT_STATUS, ClosedConnection, has_client_left
from rest_facade.errors.envelope import Error, RawHeaders, Refused, raw_headers
from rest_facade.errors.refusals import (
    ALLOW,
    INTERNAL_ERROR,
    METHOD_NOT_ALLOWED,
    ROUTE_NOT_FOUND,
    SCOPES_HEADER,
    SERVICE_UNAVAILABLE,
    TOO_MANY_AT_ONCE,
    cap_exceeded,
    linked_to,
    not_found,
    rate_limited,
    scope_denied,
)
from rest_facade.rest.cors import Cors
from rest_facade.rest.endpoint import VERSION, Endpoint, Router
from rest_facade.rest.links import POSITIONS, RequestLinks, TokenSigner
from rest_facade.rest.request import (
    CLIENT_ID_HEADER,
    DATA_AS_OF_HEADER,
    TRACEPARENT_HEADER,
    Request,
    RequestState,
    data_as_of,
)
from rest_facade.rest.request_log import RequestLog
from rest_facade.rest.static_page import NOT_FOUND_PAGE, PAGES_ROOT, StaticPage
from rest_facade.rest.unknown_parameters import UNKNOWN_PARAMETERS_HEADER, refuse_misread, unknown_parameters
from rest_facade.settings import Settings
from rest_facade.telemetry.metrics import UNROUTED, Metrics
from schema.execution.operation import Executor

log = structlog.get_logger()

FIXED_HEADERS = raw_headers(
    {"Content-Type": "application/json", "Vary": "Accept-Encoding, Origin", "X-Content-Type-Options": "nosniff"}
)
DATA_HEADERS = raw_headers({"Cache-Control": "private, no-store"})
RAW_DATA_AS_OF = DATA_AS_OF_HEADER.lower().encode()

RAW_SCOPES = SCOPES_HEADER.lower().encode()
RAW_UNKNOWN_PARAMETERS = UNKNOWN_PARAMETERS_HEADER.lower().encode()

NO_CONTENT, NOT_MODIFIED = 204, 304
"""The statuses of responses without a body: to OPTIONS, and to a client that has the page. No Content-Length either."""


class RestResponse(NamedTuple):
    """A response. `RestApp.finish` adds the headers that all responses have."""

    status: int
    body: bytes
    headers: RawHeaders
    code: StrEnum | None = None


@dataclass(eq=False, kw_only=True)
class RestApp(Starlette):
    """The Starlette application of the public listener. Its parts are parameters, so that a test can replace any.

    `answer` is mounted at /v1 and is the default for other paths, so that a path which Starlette decodes otherwise
    gets the same response: `endpoints` finds the endpoint by the path as sent.
    """

    endpoints: Router
    throttle: Throttle
    keys: ApiKeys
    quota: Quota
    signer: TokenSigner
    cors: Cors
    executor: Executor
    settings: Settings
    metrics: Metrics
    request_log: RequestLog
    base_url: str
    pages: Mapping[bytes, StaticPage] = field(default_factory=dict)
    in_progress: dict[str, int] = field(default_factory=dict)
    """The requests of each organization that this process answers now, if it has any."""
    lifespan: InitVar["Lifespan[RestApp] | None"] = None

    def __post_init__(self, lifespan: "Lifespan[RestApp] | None") -> None:
        super().__init__(routes=[Mount("/v1", self.answer)], lifespan=lifespan)
        self.router.default = self.answer
        self.router.redirect_slashes = False

    def build_middleware_stack(self) -> ASGIApp:
        """The router alone: `answer` turns every exception into a response."""
        return self.router

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request of HTTP (ASGI)."""
        request = Request.from_scope(scope, self.settings.trusted_proxies)
        state = RequestState()
        if CLIENT_ID_HEADER in request.headers or TRACEPARENT_HEADER in request.headers:
            state.client_ids = request.client_ids
        try:
            response = await self.respond(request, state)
        except asyncio.CancelledError as cancelled:
            if has_client_left(cancelled):
                seconds = perf_counter() - state.started
                self.request_log.write(request.id, state, CLIENT_LEFT_STATUS, seconds, None)
                return
            # The server is shutting down and its grace period is over. The client still gets a JSON response.
            response = self.finish(request, state, self.error_response(request, INTERNAL_ERROR))
        headers = [*response.headers.items()]
        if response.status not in (NO_CONTENT, NOT_MODIFIED):
            headers.append((b"content-length", b"%d" % len(response.body)))
        sent = Response(response.body, response.status)
        sent.raw_headers = headers
        await sent(scope, receive, send)

    async def respond(self, request: Request, state: RequestState | None = None) -> RestResponse:
        """The response to a request, which comes from HTTP or from an MCP tool. Raises nothing but CancelledError.

        A `state` that has a `count` is that of a request which was counted already: this one is a part of it.
        """
        state = RequestState() if state is None else state
        request_stats.set(state.query_stats)
        try:
            deadline = asyncio.get_running_loop().time() + self.settings.deadline
            async with request_deadline(deadline):
                result = await self.handle(request, state)
            response = self.error_response(request, result) if isinstance(result, Error) else result
        except Refused as refused:
            response = self.error_response(request, refused.error)
        except Exception:
            log.exception("request failed", request_id=request.id, path=request.raw_path.decode("latin-1"))
            response = self.error_response(request, INTERNAL_ERROR)
        finally:
            if state.is_in_progress and state.caller is not None:
                organization = state.caller.organization
                if left := self.in_progress.pop(organization) - 1:
                    self.in_progress[organization] = left
        return self.finish(request, state, response)

    async def handle(self, request: Request, state: RequestState) -> RestResponse | Error:
        """The life of a request. `state` collects what metrics and logs need. Raises Refused, too."""
        if (blocked := await self.throttle.blocked(request.address)) is not None:
            return blocked
        if request.method == "OPTIONS" and request.raw_path.startswith(VERSION):
            return RestResponse(NO_CONTENT, b"", raw_headers(self.preflight_headers(request)))
        if not request.raw_path.startswith(VERSION):
            return self.page(request)
        match = self.route(request)
        if isinstance(match, Error):
            return match
        endpoint, ids = match
        state.endpoint = endpoint
        caller = await self.keys.caller(request.key, self.throttle, request.address)
        if isinstance(caller, Error):
            state.refused = request
            return caller
        state.caller = caller
        if state.count is None:
            state.count = await self.quota.consume(caller, request.method, endpoint.group)
        if state.count is not None and state.count.over:
            return rate_limited(state.count.retry_after)
        if (in_progress := self.in_progress.get(caller.organization, 0)) >= self.settings.concurrency:
            return TOO_MANY_AT_ONCE
        self.in_progress[caller.organization] = in_progress + 1
        state.is_in_progress = True
        query_values = request.query_values
        if query_values and not endpoint.known_names.issuperset(query_values):
            query_values = endpoint.without_brackets(query_values)
            state.unknown_parameters = unknown_parameters(query_values, endpoint.query_names)
        if caller.scopes is not None:
            for scope in endpoint.scopes(query_values):
                if scope not in caller.scopes:
                    return scope_denied(scope)
        if state.count is None:
            # Not counted, so not answered; after the scope (spec, Errors).
            return SERVICE_UNAVAILABLE
        if state.unknown_parameters is not None:
            refuse_misread(query_values, endpoint.query_names)
        variables = endpoint.variables(ids, query_values)
        links = RequestLinks(self.signer, self.base_url, caller.organization_id, endpoint, variables, request)
        if not POSITIONS.isdisjoint(query_values):
            variables |= links.start_position()
        data = await self.fetch_data(endpoint, caller, variables, links)
        body = endpoint.envelope.render(data, variables, links)
        return RestResponse(200, orjson.dumps(body, option=orjson.OPT_UTC_Z), DATA_HEADERS)

    def preflight_headers(self, request: Request, methods: str = ALLOW["Allow"]) -> Mapping[str, str]:
        """The headers of the response to OPTIONS. It needs neither key nor quota (RFC 9110, 9.3.7)."""
        requested = request.headers.get(b"access-control-request-headers", b"").decode("latin-1")
        return {"Allow": methods, **self.cors.preflight_headers(request.origin, requested, methods)}

    def page(self, request: Request) -> RestResponse | Error:
        """The response to a path outside /v1/: a page of the documentation, where it is served, or 404."""
        if request.method not in ("GET", "HEAD"):
            return ROUTE_NOT_FOUND
        page = self.pages.get(request.raw_path)
        accepted = request.headers.get(b"accept", b"")
        if page is None and request.raw_path.startswith(PAGES_ROOT) and accepted.startswith(b"text/html"):
            # A person's browser; clients that take anything or JSON get the envelope.
            page = self.pages.get(NOT_FOUND_PAGE)
        if page is None:
            return ROUTE_NOT_FOUND
        if page.is_known(request.headers.get(b"if-none-match", b"")):
            return RestResponse(NOT_MODIFIED, b"", page.headers)
        code = ROUTE_NOT_FOUND.code if page.status == ROUTE_NOT_FOUND.status else None
        encodings = request.headers.get(b"accept-encoding", b"")
        return RestResponse(page.status, *page.representation(encodings), code)

    def route(self, request: Request) -> tuple[Endpoint, Mapping[str, str]] | Error:
        """The endpoint of a path below /v1/, and the ids in the path.

        An error for others: 405 for a method other than GET, 404 for an unknown path.
        """
        if request.method != "GET":
            return METHOD_NOT_ALLOWED
        if (match := self.endpoints.find(request.raw_path)) is not None:
            return match
        if self.endpoints.find(request.raw_path + b"/") is None:
            return ROUTE_NOT_FOUND
        path = quote(request.raw_path.decode("latin-1"), safe="/%")
        return linked_to(ROUTE_NOT_FOUND, f"{self.base_url}{path}/", "canonical")

    async def fetch_data(
        self, endpoint: Endpoint, caller: Caller, variables: Mapping[str, Any], links: RequestLinks
    ) -> Any:
        """The data of the endpoint's document. Raises Refused for coded errors of resolvers."""
        result = await self.executor.execute(endpoint.compiled, caller.organization_id, variables)
        for error in result.errors or ():
            extensions = error.extensions or {}
            if extensions.get("code") == "RESOURCE_NOT_FOUND":
                raise Refused(not_found(error.message))
            if extensions.get("code") == "VALIDATION_ERROR":
                refusal = cap_exceeded(error.message, extensions.get("details"))
                following = extensions.get("next_cursor")
                raise Refused(refusal if following is None else linked_to(refusal, links.cursor_url(following), "next"))
            raise RuntimeError(f"{endpoint.operation} failed: {error.message}") from error.original_error or error
        data: Any = result.data
        for name in endpoint.compiled.result_path:
            data = data[name]
        return data

    def error_response(self, request: Request, error: Error) -> RestResponse:
        return RestResponse(error.status, error.body(request.id), error.raw_headers, error.code)

    def finish(self, request: Request, state: RequestState, response: RestResponse) -> RestResponse:
        """Record the response, and add the headers that all responses have."""
        self.record(request, state, response)
        headers = {**FIXED_HEADERS, **response.headers}
        if state.count is not None:
            headers |= rate_limit_headers(state.count)
        if state.caller is not None and state.caller.scopes is not None:
            headers[RAW_SCOPES] = " ".join(sorted(state.caller.scopes)).encode()
        if request.origin is not None:
            headers |= raw_headers(self.cors.headers(request.origin))
        if response.status < 500 and (moment := data_as_of(state.query_stats)) is not None:
            headers[RAW_DATA_AS_OF] = moment.encode()
        if state.unknown_parameters is not None:
            headers[RAW_UNKNOWN_PARAMETERS] = state.unknown_parameters.encode()
        headers[b"x-request-id"] = request.id.encode()
        return RestResponse(response.status, response.body, headers, response.code)

    def record(self, request: Request, state: RequestState, response: RestResponse) -> None:
        """Count and log a response before it is sent: a client that has it finds it in the metrics."""
        seconds = perf_counter() - state.started
        endpoint = state.endpoint
        labels = UNROUTED if endpoint is None else (endpoint.operation, endpoint.envelope.tier)
        self.metrics.count_request(*labels, response.status, seconds, response.code)
        if state.unknown_parameters is not None and endpoint is not None:
            self.metrics.unknown_parameters[endpoint.operation].inc()
        self.request_log.write(request.id, state, response.status, seconds, response.code)

    def on_unparsed(self, request_id: str, error: Error) -> None:
        """Count and log bytes that the HTTP protocol refused as no request."""
        self.metrics.count_request(*UNROUTED, error.status, 0.0, error.code)
        self.request_log.write(request_id, RequestState(), error.status, 0.0, error.code)

    def on_closed(self, why: ClosedConnection) -> None:
        """Count a connection that the HTTP protocol closed."""
        self.metrics.connections_cut[why].inc()
