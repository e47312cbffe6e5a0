"""The MCP server: lists the tools that a key may use, and answers each call as the request that it stands for.

Imported only where it is used: the official SDK is an extra.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

import orjson
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    ToolAnnotations,
)
from mcp_types import Tool as Listed

from rest_facade.mcp.arguments import target
from rest_facade.mcp.caller import caller_of
from rest_facade.mcp.refusals import INVALID_REQUEST, envelope
from rest_facade.mcp.tools import ARRAYS, INSTRUCTIONS, Tool
from rest_facade.rest.app import RestApp
from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.errors import Error, Refused, new_request_id
from rest_facade.rest.request import Request

TOLD = ("X-Request-ID", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")
"""Headers that go along with a result, for programs and people: models are not shown them."""

Context = ServerRequestContext[Any, Any]


@dataclass(frozen=True)
class Peer:
    """Who is at the other end: the address for the throttle, and the key."""

    address: str
    key: str | None = field(repr=False)


def server(public: RestApp, endpoints: Sequence[Endpoint], peer: Callable[[Context], Peer]) -> Server[Any]:
    """A server whose tools are the endpoints; `peer` tells whose message it is."""
    tools = {endpoint.operation: Tool.of(endpoint) for endpoint in endpoints}
    listed = {name: _listed(name, tool) for name, tool in tools.items()}

    async def list_tools(context: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        asking = peer(context)
        request = _request(asking, b"", b"")
        try:
            caller = await caller_of(public, request)
        except Refused as refused:
            told = envelope(refused.error.body(request.id), refused.error.headers)
            raise MCPError(INVALID_REQUEST, refused.error.message, told) from None
        return ListToolsResult(tools=[listed[name] for name, tool in tools.items() if caller.may(tool.endpoint.scope)])

    async def call_tool(context: Context, params: CallToolRequestParams) -> CallToolResult:
        tool = tools.get(params.name)
        if tool is None:
            raise MCPError(INVALID_PARAMS, "There is no tool of this name.")
        try:
            path, query = target(tool, params.arguments or {})
        except Refused as refused:
            return _refusal(refused.error)
        answer = await public.answer(_request(peer(context), path, query))
        return _result(answer.status, answer.body, answer.headers)

    return Server(
        "orgdata",
        version=version("orgdata-service"),
        title="Organization data",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        get_tool_input_schema=lambda name: listed[name].input_schema if name in listed else None,
    )


def _listed(name: str, tool: Tool) -> Listed:
    return Listed(
        name=name,
        title=tool.title,
        description=tool.description,
        input_schema=dict(tool.schema),
        annotations=ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )


def _request(asking: Peer, path: bytes, query: bytes) -> Request:
    return Request(method="GET", raw_path=path, query=query, address=asking.address, key=asking.key, origin=None)


def _refusal(error: Error) -> CallToolResult:
    """What was refused before it was a request, told as one that was."""
    request_id = new_request_id()
    return _result(error.status, error.body(request_id), {"X-Request-ID": request_id})


def _result(status: int, body: bytes, headers: Mapping[str, str]) -> CallToolResult:
    told = _answered(body) if status == 200 else envelope(body, headers)
    return CallToolResult(
        content=[TextContent(type="text", text=orjson.dumps(told).decode())],
        structured_content=told,
        is_error=status != 200,
        _meta={f"orgdata/{name}": headers[name] for name in TOLD if name in headers},
    )


def _answered(body: bytes) -> Any:
    answer = orjson.loads(body)
    return {ARRAYS: answer} if isinstance(answer, list) else answer
