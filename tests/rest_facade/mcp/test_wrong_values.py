"""Wrong values of every argument of every tool: refused by name, or sent on to the REST API as plain text.

Covers `rest_facade/mcp/arguments.py` and `rest_facade/mcp/names.py`.
"""

from typing import Any
from urllib.parse import parse_qsl

import orjson

from rest_facade.errors.envelope import Error, Refused
from rest_facade.mcp.answers import read
from rest_facade.mcp.arguments import checked
from rest_facade.mcp.calls import Call, RestAnswer
from rest_facade.mcp.names import with_ids
from rest_facade.mcp.server import ALL_TOOLS
from rest_facade.mcp.tool import EndpointTool, SummaryTool
from tests.rest_facade.mcp.argument_values import VALID, WRONG


async def send(path: str, query: str) -> RestAnswer:
    """The answer of a service without rows. A path has the segments that the tool names, and a query is text."""
    assert path.startswith("/v1/")
    assert ".." not in path
    assert "%" not in path
    parse_qsl(query, strict_parsing=True, keep_blank_values=True) if query else []
    return RestAnswer(200, orjson.dumps({"count": 0, "next": None, "results": []}), {})


async def test_wrong_value_is_refused_by_name_or_sent() -> None:
    for tool in ALL_TOOLS:
        required = {name: VALID[name] for name in tool.schema.get("required", ())}
        for name in tool.schema["properties"]:
            for value in WRONG:
                if (error := await error_of(tool, {**required, name: value})) is not None:
                    assert set(error.details or {}) <= {name, "end_date"}, (tool.name, name, value)
                    assert error.message.endswith("."), (tool.name, name, value)
                    assert error.body("1")


async def error_of(tool: EndpointTool | SummaryTool, arguments: dict[str, Any]) -> Error | None:
    """The refusal of a call."""
    call = Call(send)
    try:
        given, _ = await with_ids(checked(tool, arguments), call)
        await (read(tool, given, call) if isinstance(tool, EndpointTool) else tool.run(given, call))
    except Refused as refused:
        return refused.error
    return None
