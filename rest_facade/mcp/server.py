"""The MCP server: lists the tools that a key may use, and executes each call as requests of /v1.

Imported inside functions only: the official SDK is an extra.
"""

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import cache, partial
from importlib.resources import files
from typing import Any

import orjson
import structlog
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    CallToolRequestParams,
    CallToolResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    ToolAnnotations,
)
from mcp_types import Tool as McpTool

from rest_facade.errors.envelope import Refused
from rest_facade.errors.refusals import INTERNAL_ERROR, Code
from rest_facade.mcp.answers import NEXT_ARGUMENT, read, result_schema
from rest_facade.mcp.arguments import checked
from rest_facade.mcp.calls import CallRefused, RestCalls, refused_call
from rest_facade.mcp.empty_answers import explained
from rest_facade.mcp.names import with_ids
from rest_facade.mcp.options import ToolOptions
from rest_facade.mcp.summaries.absences import LIST_ABSENCES
from rest_facade.mcp.summaries.tracked_time import SUM_TRACKED_TIME
from rest_facade.mcp.tool import EndpointTool, SummaryTool, packaged_tools
from rest_facade.version import service_version

INSTRUCTIONS = files(__package__).joinpath("instructions.md").read_text("utf-8").strip()
"""What a model needs once, for all tools."""

RESULT_HEADERS = ("X-Request-ID", "X-Data-As-Of", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")
"""Response headers that are repeated in `_meta` of a result, for programs: models do not see them."""

ALL_TOOLS: Sequence[EndpointTool | SummaryTool] = (*packaged_tools(), SUM_TRACKED_TIME, LIST_ABSENCES)
TOOLS = {tool.name: tool for tool in ALL_TOOLS}

SAME_ROWS = {
    "listTeamMembers": "listMembers",
    "listClientProjects": "listProjects",
    "listMemberProjects": "listProjects",
    "listProjectTasks": "listTasks",
    "listProjectMembers": "listProjectMemberships",
}
"""Tools that are not listed where another one is, which has their rows with a filter: a model chooses among fewer."""

ACTIVE_ONLY = "Active members only."
"""In the descriptions of tools that do not find anybody else."""

RequestContext = ServerRequestContext[Any, Any]

log = structlog.get_logger()


def mcp_server(calls: RestCalls, options: ToolOptions) -> Server[Any]:
    """A server with the tools of the API and those that sum up several responses, for one client."""

    async def list_tools(context: RequestContext, params: PaginatedRequestParams | None) -> ListToolsResult:
        try:
            scopes = await calls.scopes()
        except (Refused, CallRefused) as error:
            refused = _call_refused(error)
            raise MCPError(INVALID_REQUEST, str(refused), refused.content) from None
        permitted = [tool for tool in ALL_TOOLS if scopes is None or tool.scope in scopes]
        shown = [tool.name for tool in permitted if tool.scope.partition(":")[0] in options.families]
        listed = [name for name in shown if SAME_ROWS.get(name) not in shown]
        return ListToolsResult(tools=[_mcp_tool(name, is_structured=options.structured) for name in listed])

    async def call_tool(context: RequestContext, params: CallToolRequestParams) -> CallToolResult:
        tool, call = TOOLS.get(params.name), calls.call()
        if tool is None:
            near = "".join(f" Did you mean {name}?" for name in get_close_matches(params.name, TOOLS, 1))
            raise MCPError(INVALID_PARAMS, f"There is no tool of this name.{near}")
        try:
            arguments, names = await with_ids(checked(tool, params.arguments or {}), call)
            call.has_rows = None
            run = partial(read, tool) if isinstance(tool, EndpointTool) else tool.run
            content = await run(arguments, call)
            if call.has_rows is False and NEXT_ARGUMENT not in arguments:
                content |= await explained(tool, arguments, names, content, call)
            return result({"names": names, **content} if names else content, call.headers, is_error=False)
        except (Refused, CallRefused) as error:
            refused = _call_refused(error)
            if refused.content["error"]["code"] == Code.RESOURCE_NOT_FOUND and ACTIVE_ONLY in tool.description:
                refused.content["error"]["message"] += f" {ACTIVE_ONLY} listMemberPayables is also of people who left."
        except Exception:
            log.exception("tool failed", tool=tool.name)
            refused = refused_call(INTERNAL_ERROR)
        return result(refused.content, refused.headers, is_error=True)

    def result(content: Mapping[str, Any], headers: Mapping[str, str], *, is_error: bool) -> CallToolResult:
        return CallToolResult(
            content=[TextContent(type="text", text=orjson.dumps(content).decode())],
            structured_content=dict(content) if options.structured else None,
            is_error=is_error,
            _meta={f"orgdata/{name}": headers[name] for name in RESULT_HEADERS if name in headers},
        )

    return Server(
        "orgdata",
        version=service_version(),
        title="Organization data",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        # Some hosts ask for all lists, and drop a server that does not know one.
        on_list_prompts=partial(_same, ListPromptsResult(prompts=[])),
        on_list_resources=partial(_same, ListResourcesResult(resources=[])),
        on_list_resource_templates=partial(_same, ListResourceTemplatesResult(resource_templates=[])),
        get_tool_input_schema=lambda name: dict(TOOLS[name].schema) if name in TOOLS else None,
    )


async def _same(result: Any, context: RequestContext, params: PaginatedRequestParams | None) -> Any:
    return result


def _call_refused(error: Refused | CallRefused) -> CallRefused:
    return refused_call(error.error) if isinstance(error, Refused) else error


@cache
def _mcp_tool(name: str, *, is_structured: bool) -> McpTool:
    tool = TOOLS[name]
    return McpTool(
        name=name,
        description=tool.description,
        input_schema=_listed(tool.schema),
        output_schema=result_schema(tool) if is_structured else None,
        # The name in words: `listTeams` is "List teams".
        annotations=ToolAnnotations(title=re.sub("(?<!^)(?=[A-Z])", " ", name).capitalize(), read_only_hint=True),
    )


def _listed(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema as models see it. Without patterns, which cost tokens: a refusal says what a value must be."""
    return {
        name: _listed(value) if isinstance(value, dict) else value
        for name, value in schema.items()
        if name not in ("format", "pattern")
    }
