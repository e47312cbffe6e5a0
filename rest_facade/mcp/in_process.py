"""REST calls in the service's process: for `/mcp`, and for `orgdata mcp` beside the database."""

import asyncio
from collections.abc import Awaitable, Callable

import structlog
from starlette.datastructures import Headers

from db.reading.database import request_deadline
from rest_facade.access.authentication import Caller
from rest_facade.errors.envelope import Error, Refused
from rest_facade.errors.refusals import INTERNAL_ERROR
from rest_facade.mcp.calls import Call, RestAnswer
from rest_facade.rest.app import RestApp
from rest_facade.rest.request import Request, RequestState

log = structlog.get_logger()


async def authenticated_caller(public: RestApp, request: Request) -> Caller:
    """The caller of a message. Raises Refused: 401 and 429 as in /v1, and 500 if the key could not be looked up."""
    try:
        async with request_deadline(asyncio.get_running_loop().time() + public.settings.deadline):
            await public.throttle.admit(request.address)
            caller = await public.keys.caller(request.key, public.throttle, request.address)
    except Refused:
        raise
    except Exception as error:
        log.exception("key lookup failed", request_id=request.id)
        raise Refused(INTERNAL_ERROR) from error
    if isinstance(caller, Error):
        raise Refused(caller)
    return caller


class InProcessCalls:
    """Requests of one client that `public` answers. The address is for the throttle.

    `count` counts each request of a call but the first, and may raise Refused.
    """

    def __init__(
        self, public: RestApp, address: str, key: str | None, count: Callable[[], Awaitable[None]] | None = None
    ) -> None:
        self._public = public
        self._address = address
        self._key = key
        self._count = count

    def _request(self, path: str = "", query: str = "") -> Request:
        return Request("GET", path.encode(), query.encode(), address=self._address, key=self._key, origin=None)

    async def scopes(self) -> frozenset[str] | None:
        """The scopes of the client's key; None for all. Raises Refused for a key that is not valid."""
        return (await authenticated_caller(self._public, self._request())).scopes

    def call(self) -> Call:
        """The requests of one call of a tool. The first one counts for the quota of /v1."""
        state = RequestState()

        async def send(path: str, query: str) -> RestAnswer:
            nonlocal state
            if state.count is not None and self._count is not None:
                await self._count()
            state = RequestState(count=state.count)
            response = await self._public.respond(self._request(path, query), state)
            return RestAnswer(response.status, response.body, Headers(raw=list(response.headers.items())))

        return Call(send)
