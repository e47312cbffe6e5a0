"""The public listener: `/v1/...` and nothing else, and nothing but JSON.

`Public.serve` is the life of a request, a named step a line. Each step either lets the request pass or raises
`Refused`; the answer is written in one place.
"""

import asyncio
from collections.abc import Mapping
from time import perf_counter
from typing import Any, NamedTuple

import orjson
import structlog
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from db.reading.database import read_deadline
from rest_facade.access import quota as quotas
from rest_facade.access.authentication import Caller, KeyCache
from rest_facade.access.quota import Quota
from rest_facade.access.rate_counter import Count
from rest_facade.access.throttle import Throttle
from rest_facade.rest.cors import Cors
from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.errors import (
    ALLOW,
    INTERNAL_ERROR,
    METHOD_NOT_ALLOWED,
    ROUTE_NOT_FOUND,
    SERVICE_UNAVAILABLE,
    Code,
    Error,
    Refused,
    cap_exceeded,
    not_found,
)
from rest_facade.rest.links import RequestLinks
from rest_facade.rest.request import Request
from rest_facade.rest.request_state import RequestState
from rest_facade.rest.routing import VERSION, Router
from rest_facade.rest.signed_tokens import TokenSigner
from rest_facade.server.connection_limit import ClosedConnection
from rest_facade.settings import Settings
from rest_facade.telemetry.metrics import Metrics
from rest_facade.telemetry.request_log import RequestLog
from schema.execution.executor import Executor

log = structlog.get_logger()

FIXED_HEADERS = {
    "Content-Type": "application/json",
    "Vary": "Accept-Encoding, Origin",
    "X-Content-Type-Options": "nosniff",
}


class RestResponse(NamedTuple):
    """What a step gives back. The headers that every answer has are added at the end of `Public.answer`."""

    status: int
    body: bytes
    headers: Mapping[str, str]
    code: Code | None = None


class RestApp:
    """An ASGI application. What it needs is handed over, so that a test can vary any part."""

    def __init__(
        self,
        *,
        router: Router,
        throttle: Throttle,
        keys: KeyCache,
        quota: Quota,
        signer: TokenSigner,
        cors: Cors,
        executor: Executor,
        settings: Settings,
        metrics: Metrics,
        request_log: RequestLog,
        base_url: str,
    ) -> None:
        self.router = router
        self.throttle = throttle
        self.keys = keys
        self.quota = quota
        self.signer = signer
        self.cors = cors
        self.executor = executor
        self.settings = settings
        self.metrics = metrics
        self.request_log = request_log
        self.base_url = base_url

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request.of(scope, self.settings.trusted_proxies)
        try:
            answer = await self.answer(request)
        except asyncio.CancelledError:
            # The process is told to stop, and waits no longer: its last words are JSON, too.
            answer = self.finished(request, RequestState(), self.refusal(request, INTERNAL_ERROR))
        await Response(answer.body, answer.status, answer.headers)(scope, receive, send)

    async def answer(self, request: Request) -> RestResponse:
        """The whole answer, whatever went wrong on the way: to whoever asks, over HTTP or in this process."""
        record = RequestState()
        try:
            deadline = asyncio.get_running_loop().time() + self.settings.deadline
            # The deadline cancels this task; what other tasks read for it ends by itself.
            async with asyncio.timeout_at(deadline):
                with read_deadline(deadline):
                    answer = await self.serve(request, record)
        except Refused as refused:
            answer = self.refusal(request, refused.error)
        except Exception:
            log.exception("request failed", request_id=request.id, path=request.raw_path.decode("latin-1"))
            answer = self.refusal(request, INTERNAL_ERROR)
        return self.finished(request, record, answer)

    def finished(self, request: Request, record: RequestState, answer: RestResponse) -> RestResponse:
        """Note the answer, and give it the headers that every answer has."""
        self.note(request, record, answer)
        rates = quotas.rate_limit_headers(record.count) if record.count is not None else {}
        cors = self.cors.headers(request.origin)
        headers = {**answer.headers, **FIXED_HEADERS, **rates, **cors, "X-Request-ID": request.id}
        return answer._replace(headers=headers)

    async def serve(self, request: Request, record: RequestState) -> RestResponse:
        """The life of a request; `record` receives what becomes known of it."""
        await self.throttle.admit(request.address)
        if request.method == "OPTIONS" and request.raw_path.startswith(VERSION):
            return self.preflight(request)
        endpoint, ids = self.route(request)
        record.endpoint = endpoint
        record.caller = caller = await self.authenticate(request)
        record.count = count = await self.quota.consume(caller, request.method, endpoint.group)
        quotas.refuse_exceeded(count)
        caller.require_scope(endpoint.scope)
        self.require_accounting(count)
        variables = endpoint.variables(ids, request.given)
        links = RequestLinks(self.signer, self.base_url, caller.organization_id, endpoint, variables, request)
        found = await self.execute(endpoint, caller, {**variables, **links.position()})
        body = endpoint.envelope.shape(found, variables, links)
        return RestResponse(200, orjson.dumps(body, option=orjson.OPT_UTC_Z), {"Cache-Control": "private, no-store"})

    def preflight(self, request: Request) -> RestResponse:
        """Neither a key nor quota is needed to ask what may be asked (RFC 9110, 9.3.7)."""
        return RestResponse(204, b"", {**ALLOW, **self.cors.headers(request.origin, preflight=True)})

    def route(self, request: Request) -> tuple[Endpoint, Mapping[str, str]]:
        """404 where no endpoint has this path; 405 for another method than GET on any path below /v1/."""
        if not request.raw_path.startswith(VERSION):
            raise Refused(ROUTE_NOT_FOUND)
        if request.method != "GET":
            raise Refused(METHOD_NOT_ALLOWED)
        found = self.router.find(request.raw_path)
        if found is None:
            raise Refused(ROUTE_NOT_FOUND)
        return found

    async def authenticate(self, request: Request) -> Caller:
        with self.throttle.attempt(request.address) as attempt:
            caller = await self.keys.caller(request.key, attempt.reserve)
            if caller is None:
                raise Refused(await attempt.fail())
        return caller

    def require_accounting(self, count: Count | None) -> None:
        """Without a count the request fails closed; but first the scope may have refused it (spec, Errors)."""
        if count is None:
            raise Refused(SERVICE_UNAVAILABLE)

    async def execute(self, endpoint: Endpoint, caller: Caller, variables: Mapping[str, Any]) -> Any:
        """Run the document and return what it is about; refuse what a resolver refused."""
        result = await self.executor.execute(
            endpoint.compiled, caller.organization_id, variables, is_heavy=endpoint.envelope.tier == "report"
        )
        for failure in result.failures:
            if failure.code == "RESOURCE_NOT_FOUND":
                raise Refused(not_found(failure.message))
            if failure.code == "VALIDATION_ERROR":
                raise Refused(cap_exceeded(failure.message, failure.details))
            raise RuntimeError(f"{endpoint.operation} failed: {failure.message}") from failure.cause
        found: Any = result.data
        for name in endpoint.compiled.result_path:
            found = found[name]
        return found

    def refusal(self, request: Request, error: Error) -> RestResponse:
        return RestResponse(
            error.status, error.body(request.id), {**error.headers, "Cache-Control": "no-store"}, error.code
        )

    def note(self, request: Request, record: RequestState, answer: RestResponse) -> None:
        """Count and log the answer. This comes before it is sent: whoever has an answer finds it noted."""
        seconds = perf_counter() - record.started
        self.metrics.count_request(record.endpoint, answer.status, seconds, answer.code)
        self.request_log.write(request.id, record, answer.status, seconds, answer.code)

    def on_unparsed(self, request_id: str, error: Error) -> None:
        """Count and log what the protocol refused, since it never became a request."""
        self.metrics.count_request(None, error.status, 0.0, error.code)
        self.request_log.write(request_id, RequestState(), error.status, 0.0, error.code)

    def on_closed(self, why: ClosedConnection) -> None:
        """Count a connection that the protocol ended."""
        self.metrics.count_closed(why)
