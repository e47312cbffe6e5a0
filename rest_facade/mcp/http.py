"""`/mcp` of a listener: MCP over streamable HTTP, with the API key in the same header as for /v1."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import orjson
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from rest_facade.access.quota import consume_or_refuse
from rest_facade.access.rate_counter import RateCounter
from rest_facade.errors.envelope import Error, Refused
from rest_facade.errors.refusals import METHOD_NOT_ALLOWED, Code, invalid
from rest_facade.mcp.calls import call_refusal, refused_answer
from rest_facade.mcp.in_process import InProcessCalls, authenticated_caller
from rest_facade.mcp.options import ExtraMissing, OptionError, ToolOptions, require_extra, tool_options
from rest_facade.rest.app import RestApp
from rest_facade.rest.request import Request

MAX_MESSAGE = 64 * 1024
"""Bytes of a message at most. A list of 100 ids takes about 4,000."""

INVALID_REQUEST = -32600
"""The JSON-RPC error code of a message that is refused before it is a call of a tool."""


POST_ONLY = replace(METHOD_NOT_ALLOWED, headers={"Allow": "POST"})
"""There are no streams and sessions, which GET and DELETE are for."""

OTHER_ORIGIN = Error(403, Code.SCOPE_DENIED, "Pages of this web origin may not call: ORGDATA_CORS_ORIGINS lacks it.")
"""The page of an attacker must not reach a server in the network of its visitor (MCP, Security Warning)."""


class McpEndpoint:
    """Authenticates and counts each HTTP request before its body is read. Loads the SDK at the first one.

    `limit` is the quota of a key: messages per window, of any kind. A call of a tool is a request of /v1 as well.
    """

    def __init__(self, public: RestApp, counter: RateCounter, limit: int) -> None:
        self._public = public
        self._counter = counter
        self._limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request.from_scope(scope, self._public.settings.trusted_proxies)
        rate_limits: dict[str, str] = {}
        try:
            self._refuse_others(request)
            caller = await authenticated_caller(self._public, request)
            count = partial(consume_or_refuse, self._counter, caller.public_id, self._limit)
            await count(rate_limits)
            options = tool_options(*(request.query_values.get(name, [""])[0] for name in ("tools", "structured")))
            # The import takes most of a second, and would block the event loop.
            await asyncio.to_thread(require_extra)
        except Refused as refused:
            await _refused(refused.error, rate_limits)(scope, receive, send)
        except OptionError as error:
            await _refused(invalid(str(error)), rate_limits)(scope, receive, send)
        except ExtraMissing as missing:
            await Response(f"{missing}\n", 501, media_type="text/plain")(scope, receive, send)
        else:
            # What a tool reads beyond one request counts as further messages.
            calls = InProcessCalls(self._public, request.address, request.key, partial(count, {}))
            await _serve(calls, options, scope, receive, send)

    def _refuse_others(self, request: Request) -> None:
        """Raise Refused for a method that is not POST (405), and for a page of an origin that is not allowed (403)."""
        if request.method != "POST":
            raise Refused(POST_ONLY)
        if request.origin is not None and not self._public.cors.headers(request.origin):
            raise Refused(OTHER_ORIGIN)


def _refused(error: Error, rate_limits: Mapping[str, str]) -> Response:
    """A JSON-RPC error response with the envelope as its data."""
    answer = refused_answer(error)
    rpc = {"code": INVALID_REQUEST, "message": error.message, "data": call_refusal(answer).content}
    body = orjson.dumps({"jsonrpc": "2.0", "id": None, "error": rpc})
    headers = {**answer.headers, **rate_limits, "Cache-Control": "no-store"}
    return Response(body, error.status, headers, "application/json")


async def _serve(calls: InProcessCalls, options: ToolOptions, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer one message. Messages are independent, so any worker can answer them."""
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager  # noqa: PLC0415 - the SDK is an extra

    from rest_facade.mcp.server import mcp_server  # noqa: PLC0415 - the SDK is an extra

    server = mcp_server(calls, options)
    manager = StreamableHTTPSessionManager(
        server, stateless=True, json_response=True, max_request_body_size=MAX_MESSAGE
    )
    async with manager.run():
        await manager.handle_request(scope, receive, send)
