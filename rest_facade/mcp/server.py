"""The MCP server: lists the tools that a key may use, and executes each call as requests of /v1.

Imported inside functions only: the official SDK is an extra.
"""

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

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

from rest_facade.errors.envelope import Error, Refused, new_request_id
from rest_facade.mcp.refusals import INVALID_REQUEST, envelope
from rest_facade.mcp.rest_calls import ErrorAnswer, RestAnswer, RestCalls
from rest_facade.mcp.summaries.absences import LIST_ABSENCES
from rest_facade.mcp.summaries.descriptions import describe_result
from rest_facade.mcp.summaries.summary_tool import SummaryTool
from rest_facade.mcp.summaries.tracked_time import SUM_TRACKED_TIME
from rest_facade.mcp.tools.answers import answer, selection, summary
from rest_facade.mcp.tools.arguments import present, target
from rest_facade.mcp.tools.instructions import INSTRUCTIONS
from rest_facade.mcp.tools.tool import Tool, packaged_tools

RESULT_HEADERS = ("X-Request-ID", "X-Data-As-Of", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")
"""Response headers that are repeated in `_meta` of a result, for programs: models do not see them."""

RequestContext = ServerRequestContext[Any, Any]


def mcp_server(calls: RestCalls) -> Server[Any]:
    """A server with the tools of the API and those that sum up several responses; `calls` makes the requests."""
    tools = packaged_tools()
    by_name = {tool.name: tool for tool in tools}
    summaries = {tool.name: tool for tool in (SUM_TRACKED_TIME, LIST_ABSENCES, describe_result(tools))}
    all_tools: list[Tool | SummaryTool] = [*tools, *summaries.values()]
    mcp_tools = {tool.name: _mcp_tool(tool) for tool in all_tools}
    scopes = {tool.name: tool.scope for tool in all_tools}

    async def list_tools(context: RequestContext, params: PaginatedRequestParams | None) -> ListToolsResult:
        try:
            permitted = await calls.scopes(context)
        except Refused as refused:
            data = envelope(refused.error.body(new_request_id()), refused.error.headers)
            raise MCPError(INVALID_REQUEST, refused.error.message, data) from None
        names = [name for name, scope in scopes.items() if permitted is None or scope is None or scope in permitted]
        return ListToolsResult(tools=[mcp_tools[name] for name in names])

    async def call_tool(context: RequestContext, params: CallToolRequestParams) -> CallToolResult:
        name, given = params.name, params.arguments or {}
        try:
            if name in summaries:
                return await _summarize(summaries[name], given, context)
            if name in by_name:
                return await _request(by_name[name], given, context)
        except Refused as refused:
            return _refusal(refused.error)
        except ErrorAnswer as refused:
            return _error(refused.answer)
        raise MCPError(INVALID_PARAMS, "There is no tool of this name.")

    async def _request(tool: Tool, given: Mapping[str, Any], context: RequestContext) -> CallToolResult:
        arguments = present(tool.name, tool.schema, given)
        chosen = selection(tool, arguments)
        response = await calls.call(context).get(*target(tool, arguments))
        if response.is_error:
            return _error(response)
        return _result(tool.name, answer(tool, response.body, arguments, chosen), response.headers)

    async def _summarize(tool: SummaryTool, given: Mapping[str, Any], context: RequestContext) -> CallToolResult:
        arguments = present(tool.name, tool.schema, given)
        return _result(tool.name, await tool.run(arguments, calls.call(context)), {})

    return Server(
        "orgdata",
        version=version("orgdata-service"),
        title="Organization data",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        get_tool_input_schema=lambda name: mcp_tools[name].input_schema if name in mcp_tools else None,
    )


def _mcp_tool(tool: Tool | SummaryTool) -> McpTool:
    return McpTool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=dict(tool.schema),
        annotations=ToolAnnotations(read_only_hint=True),
    )


def _refusal(error: Error) -> CallToolResult:
    """The result of a call whose arguments make no request: the same envelope as from /v1."""
    request_id = new_request_id()
    return _error(RestAnswer(error.status, error.body(request_id), {"X-Request-ID": request_id}))


def _error(response: RestAnswer) -> CallToolResult:
    content = response.error()
    error = content["error"]
    return _call_result(f"{error['code']}: {error['message']}", content, response.headers, is_error=True)


def _result(name: str, content: dict[str, Any], headers: Mapping[str, str]) -> CallToolResult:
    return _call_result(summary(name, content), content, headers, is_error=False)


def _call_result(text: str, content: dict[str, Any], headers: Mapping[str, str], *, is_error: bool) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content=content,
        is_error=is_error,
        _meta={f"orgdata/{name}": headers[name] for name in RESULT_HEADERS if name in headers},
    )
