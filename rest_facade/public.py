"""The public listener: `/v1/...` and nothing else, and nothing but JSON.

`Public.serve` is the life of a request, a named step a line. Each step either lets the request pass or raises
`Refused`; the answer is written in one place.
"""

import asyncio
from collections.abc import Mapping
from typing import Any

import orjson
import structlog
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from db.database import Database
from resolvers.context import Context
from resolvers.pictures import Pictures
from rest_facade import quota as quotas
from rest_facade.cors import Cors
from rest_facade.counter import Count
from rest_facade.endpoint import Endpoint
from rest_facade.errors import (
    ALLOW,
    INTERNAL_ERROR,
    METHOD_NOT_ALLOWED,
    ROUTE_NOT_FOUND,
    SERVICE_UNAVAILABLE,
    Error,
    Refused,
    exceeds,
    not_found,
)
from rest_facade.hint import Signer
from rest_facade.identity import Caller, Keys
from rest_facade.links import RequestLinks
from rest_facade.quota import Quota
from rest_facade.request import Request
from rest_facade.routing import VERSION, Router
from rest_facade.settings import Settings
from rest_facade.throttle import Throttle

log = structlog.get_logger()

FIXED = {
    "Content-Type": "application/json",
    "Vary": "Accept-Encoding, Origin",
    "X-Content-Type-Options": "nosniff",
}


class Public:
    """An ASGI application. What it needs is handed over, so that a test can vary any part."""

    def __init__(
        self,
        *,
        router: Router,
        throttle: Throttle,
        keys: Keys,
        quota: Quota,
        signer: Signer,
        cors: Cors,
        database: Database,
        settings: Settings,
        base_url: str,
        pictures: Pictures | None = None,
    ) -> None:
        self.router = router
        self.throttle = throttle
        self.keys = keys
        self.quota = quota
        self.signer = signer
        self.cors = cors
        self.database = database
        self.settings = settings
        self.base_url = base_url
        self.pictures = pictures

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request.of(scope, self.settings.trusted_proxies)
        rates: dict[str, str] = {}
        try:
            async with asyncio.timeout(self.settings.deadline):
                response = await self.serve(request, rates)
        except Refused as refused:
            response = self.refusal(request, refused.error)
        except Exception:
            log.exception("request failed", request_id=request.id, path=request.raw_path.decode("latin-1"))
            response = self.refusal(request, INTERNAL_ERROR)
        response.headers.update({**FIXED, **rates, **self.cors.headers(request.origin), "X-Request-ID": request.id})
        await response(scope, receive, send)

    async def serve(self, request: Request, rates: dict[str, str]) -> Response:
        """The life of a request; `rates` receives the headers that tell what is left of the quota."""
        await self.throttle.admit(request.address)
        if request.method == "OPTIONS" and request.raw_path.startswith(VERSION):
            return self.preflight(request)
        endpoint, ids = self.route(request)
        caller = await self.authenticate(request)
        count = await self.quota.spend(caller, request.method, endpoint.group)
        if count is not None:
            rates.update(quotas.headers(count))
        quotas.refuse_over(count)
        caller.require(endpoint.scope)
        self.require_accounting(count)
        variables = endpoint.variables(ids, request.given)
        links = RequestLinks(self.signer, self.base_url, caller.organization_id, endpoint, variables, request)
        found = await self.execute(endpoint, caller, {**variables, **links.position()})
        body = endpoint.envelope.shape(found, variables, links)
        return Response(orjson.dumps(body, option=orjson.OPT_UTC_Z), headers={"Cache-Control": "private, no-store"})

    def preflight(self, request: Request) -> Response:
        """Neither a key nor quota is needed to ask what may be asked (RFC 9110, 9.3.7)."""
        return Response(status_code=204, headers={**ALLOW, **self.cors.headers(request.origin, preflight=True)})

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
        caller = await self.keys.caller(request.key)
        if caller is None:
            raise Refused(await self.throttle.fail(request.address))
        return caller

    def require_accounting(self, count: Count | None) -> None:
        """Without a count the request fails closed; but first the scope may have refused it (spec, Errors)."""
        if count is None:
            raise Refused(SERVICE_UNAVAILABLE)

    async def execute(self, endpoint: Endpoint, caller: Caller, variables: Mapping[str, Any]) -> Any:
        """Run the document and return what it is about; refuse what a resolver refused."""
        context = Context(self.database, caller.organization_id, self.pictures)
        result = await endpoint.compiled.execute(variables, context)
        for failure in result.failures:
            if failure.code == "RESOURCE_NOT_FOUND":
                raise Refused(not_found(failure.message))
            if failure.code == "VALIDATION_ERROR":
                raise Refused(exceeds(failure.message, failure.details))
            raise RuntimeError(f"{endpoint.operation} failed: {failure.message}") from failure.cause
        found: Any = result.data
        for name in endpoint.compiled.answer:
            found = found[name]
        return found

    def refusal(self, request: Request, error: Error) -> Response:
        headers = {**error.headers, "Cache-Control": "no-store"}
        return Response(error.body(request.id), error.status, headers)
