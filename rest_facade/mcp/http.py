"""`/mcp` of a listener: MCP over streamable HTTP, with the API key in the same header as for /v1."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import orjson
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from rest_facade.access.quota import consume_or_refuse
from rest_facade.access.rate_counter import RateCounter
from rest_facade.errors.envelope import Error, Refused
from rest_facade.errors.refusals import METHOD_NOT_ALLOWED, Code, invalid
from rest_facade.mcp.calls import refused_call
from rest_facade.mcp.in_process import InProcessCalls, authenticated_caller
from rest_facade.mcp.messages import INVALID_REQUEST, Fault, fault_of
from rest_facade.mcp.options import ExtraMissing, OptionError, ToolOptions, require_extra, tool_options
from rest_facade.rest.app import RestApp, RestResponse
from rest_facade.rest.json_body import JSON_MEDIA_TYPE, read_body, require_json
from rest_facade.rest.request import Request, RequestState

METHODS = "POST, OPTIONS"
"""There are no streams and sessions, which GET and DELETE are for."""

POST_ONLY = replace(METHOD_NOT_ALLOWED, headers={"Allow": METHODS})

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
        headers, rate_limits = Headers(scope=scope), dict[str, str]()
        state = RequestState(client_ids=request.client_ids)
        send = _with_headers(self._public.cors.headers(request.origin), send)
        try:
            if request.method == "OPTIONS":
                await self._public.throttle.admit(request.address)
                await Response(None, 204, self._public.preflight_headers(request, METHODS))(scope, receive, send)
                return
            self._refuse_others(request)
            caller = state.caller = await authenticated_caller(self._public, request)
            count = partial(consume_or_refuse, self._counter, caller.public_id, self._limit)
            await count(rate_limits)
            options = tool_options(*(request.query_values.get(name, [""])[0] for name in ("tools", "structured")))
            require_json(headers)
            message = await read_body(headers, receive)
            # The import takes most of a second, and would block the event loop.
            await asyncio.to_thread(require_extra)
        except Refused as refused:
            await self._refused(request, state, refused.error, rate_limits)(scope, receive, send)
        except OptionError as error:
            await self._refused(request, state, invalid(str(error)), rate_limits)(scope, receive, send)
        except ExtraMissing as missing:
            await Response(f"{missing}\n", 501, media_type="text/plain")(scope, receive, send)
        else:
            if (fault := fault_of(message)) is not None:
                status = 400 if fault.id is None else 200
                await _response(status, fault.response(), rate_limits)(scope, receive, send)
                return
            _accept_for_sdk(MutableHeaders(scope=scope), message)
            # What a tool reads beyond one request counts as further messages.
            calls = InProcessCalls(self._public, request.address, request.key, partial(count, {}))
            await _serve(calls, options, scope, _replayed(message, receive), send)

    def _refuse_others(self, request: Request) -> None:
        """Raise Refused for a method that is not POST (405), and for a page of an origin that is not allowed (403)."""
        if request.method != "POST":
            raise Refused(POST_ONLY)
        if request.origin is not None and not self._public.cors.headers(request.origin):
            raise Refused(OTHER_ORIGIN)

    def _refused(self, request: Request, state: RequestState, error: Error, rate_limits: Mapping[str, str]) -> Response:
        """A JSON-RPC error response with the envelope as its data. Counts and logs it: no request of /v1 follows."""
        if error.status == 401:
            state.refused = request
        refused = refused_call(error, request.id)
        self._public.record(request, state, RestResponse(error.status, b"", {}, error.code))
        fault = Fault(INVALID_REQUEST, error.message)
        return _response(error.status, fault.response(refused.content), {**refused.headers, **rate_limits})


def _with_headers(headers: Mapping[str, str], send: Send) -> Send:
    """An ASGI `send` that adds headers to the response."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(raw=message["headers"]).update(headers)
        await send(message)

    return send_with_headers


def _response(status: int, body: bytes, headers: Mapping[str, str]) -> Response:
    return Response(body, status, {**headers, "Cache-Control": "no-store"}, JSON_MEDIA_TYPE)


def _accept_for_sdk(headers: MutableHeaders, message: bytes) -> None:
    """Change what the SDK refuses: no `Accept`, which means any (RFC 9110, 12.5.1), and `Application/JSON`.

    A newer client may repeat in a header the version that `initialize` asks for, which is then negotiated.
    """
    headers["Accept"], headers["Content-Type"] = "*/*", JSON_MEDIA_TYPE
    asked = (orjson.loads(message).get("params") or {}).get("protocolVersion")
    if headers.get("MCP-Protocol-Version") == asked:
        del headers["MCP-Protocol-Version"]


def _replayed(body: bytes, receive: Receive) -> Receive:
    """The messages of ASGI of a request whose body was read."""
    messages: list[Message] = [{"type": "http.request", "body": body}]

    async def receive_again() -> Message:
        return messages.pop() if messages else await receive()

    return receive_again


async def _serve(calls: InProcessCalls, options: ToolOptions, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer one message. Messages are independent, so any worker can answer them."""
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager  # noqa: PLC0415 - the SDK is an extra

    from rest_facade.mcp.server import mcp_server  # noqa: PLC0415 - the SDK is an extra

    server = mcp_server(calls, options)
    manager = StreamableHTTPSessionManager(server, stateless=True, json_response=True)
    async with manager.run():
        await manager.handle_request(scope, receive, send)
