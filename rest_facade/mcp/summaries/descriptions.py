"""`describeResult`: the types and descriptions of the keys of a tool's result. It makes no request."""

from collections.abc import Mapping, Sequence
from typing import Any

from rest_facade.errors.envelope import Refused
from rest_facade.errors.refusals import invalid
from rest_facade.mcp.rest_calls import Call
from rest_facade.mcp.summaries.summary_tool import SummaryTool
from rest_facade.mcp.tools.tool import Tool, flattened


def describe_result(tools: Sequence[Tool]) -> SummaryTool:
    """The tool that describes the results of `tools`."""
    by_name = {tool.name: tool for tool in tools}

    async def run(arguments: Mapping[str, Any], call: Call) -> dict[str, Any]:
        tool = by_name.get(str(arguments.get("tool")))
        if tool is None:
            raise Refused(invalid("tool must be the name of a tool that lists or retrieves.", "tool"))
        keys = {name: f"{key.type}. {key.description}".strip() for name, key in flattened(tool.keys)}
        return {"tool": tool.name, "keys": keys}

    return SummaryTool(
        "describeResult",
        "Describe a result",
        "The type and description of each key that another tool returns, by its name in `fields`. Costs no request.",
        None,
        {
            "type": "object",
            "properties": {
                "tool": {"type": "string", "description": "Name of a tool, such as listTimeActivityReport."}
            },
            "required": ["tool"],
        },
        run,
    )
