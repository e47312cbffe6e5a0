"""The MCP server: lists the tools that a key may use, and executes each call as a request of /v1.

Imported inside functions only: the official SDK is an extra.
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
from mcp_types import Tool as McpTool
from starlette.datastructures import Headers

from rest_facade.mcp.arguments import target
from rest_facade.mcp.caller import authenticated_caller
from rest_facade.mcp.refusals import INVALID_REQUEST, envelope
from rest_facade.mcp.tools import ARRAY_KEY, INSTRUCTIONS, Tool
from rest_facade.rest.app import RestApp
from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.errors import Error, Refused, new_request_id
from rest_facade.rest.request import Request

RESULT_HEADERS = ("X-Request-ID", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")
"""Response headers that are repeated in `_meta` of a result, for programs: models do not see them."""

Context = ServerRequestContext[Any, Any]


@dataclass(frozen=True)
class Peer:
    """The client of an MCP connection: its address, for the throttle, and its key."""

    address: str
    key: str | None = field(repr=False)


def mcp_server(public: RestApp, endpoints: Sequence[Endpoint], peer: Callable[[Context], Peer]) -> Server[Any]:
    """A server with a tool for each endpoint; `peer` returns the client of a message."""
    tools = {endpoint.operation: Tool.of(endpoint) for endpoint in endpoints}
    mcp_tools = {name: _mcp_tool(name, tool) for name, tool in tools.items()}

    async def list_tools(context: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        request = _request(peer(context), b"", b"")
        try:
            caller = await authenticated_caller(public, request)
        except Refused as refused:
            data = envelope(refused.error.body(request.id), refused.error.headers)
            raise MCPError(INVALID_REQUEST, refused.error.message, data) from None
        permitted = [name for name, tool in tools.items() if caller.has_scope(tool.endpoint.scope)]
        return ListToolsResult(tools=[mcp_tools[name] for name in permitted])

    async def call_tool(context: Context, params: CallToolRequestParams) -> CallToolResult:
        tool = tools.get(params.name)
        if tool is None:
            raise MCPError(INVALID_PARAMS, "There is no tool of this name.")
        try:
            path, query = target(tool, params.arguments or {})
        except Refused as refused:
            return _refusal(refused.error)
        response = await public.respond(_request(peer(context), path, query))
        return _result(response.status, response.body, Headers(raw=list(response.headers.items())))

    return Server(
        "orgdata",
        version=version("orgdata-service"),
        title="Organization data",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        get_tool_input_schema=lambda name: mcp_tools[name].input_schema if name in mcp_tools else None,
    )


def _mcp_tool(name: str, tool: Tool) -> McpTool:
    return McpTool(
        name=name,
        title=tool.title,
        description=tool.description,
        input_schema=dict(tool.schema),
        annotations=ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )


def _request(peer: Peer, path: bytes, query: bytes) -> Request:
    return Request(method="GET", raw_path=path, query=query, address=peer.address, key=peer.key, origin=None)


def _refusal(error: Error) -> CallToolResult:
    """The result of a call whose arguments make no request: the same envelope as from /v1."""
    request_id = new_request_id()
    return _result(error.status, error.body(request_id), {"X-Request-ID": request_id})


def _result(status: int, body: bytes, headers: Mapping[str, str]) -> CallToolResult:
    content = _structured(body) if status == 200 else envelope(body, headers)
    return CallToolResult(
        content=[TextContent(type="text", text=orjson.dumps(content).decode())],
        structured_content=content,
        is_error=status != 200,
        _meta={f"orgdata/{name}": headers[name] for name in RESULT_HEADERS if name in headers},
    )


def _structured(body: bytes) -> Any:
    """The data as a JSON object; structured content is never an array."""
    data = orjson.loads(body)
    return {ARRAY_KEY: data} if isinstance(data, list) else data
