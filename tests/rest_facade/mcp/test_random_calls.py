"""Random calls of every tool, and each wrong value of each argument: rows, or a refusal in a sentence.

Covers `rest_facade/mcp/server.py`, `rest_facade/mcp/arguments.py` and `rest_facade/mcp/names.py`.
"""

import random
import re
from typing import Any
from urllib.parse import parse_qsl

import orjson
import pytest

from rest_facade.composition import Service
from rest_facade.errors.envelope import Error, Refused
from rest_facade.mcp.answers import read
from rest_facade.mcp.arguments import checked
from rest_facade.mcp.calls import Call, RestAnswer
from rest_facade.mcp.names import with_ids
from rest_facade.mcp.server import ALL_TOOLS, TOOLS
from rest_facade.mcp.tool import EndpointTool, SummaryTool
from rest_facade.v1 import ENDPOINTS
from tests.factories.rows import Rows
from tests.property_tests import examples
from tests.rest_facade.mcp.endpoint import direct, endpoint
from tests.world import build

VALID = {
    "start_date": "2026-01-05",
    "end_date": "2026-01-06",
    "date": "2026-01-05",
    **{name: "0198c0de-0000-7000-8000-000000000001" for endpoint in ENDPOINTS for name in endpoint.ids},
}

WRONG: list[Any] = [
    *("", " ", "..", "../..", "a/b", "?", "#", "%2e%2e", "\x00", "\ud800", "&amp;limit=1", "2026-W45", "20260105"),
    *("2026-02-30", "9999-12-31", "0001-01-01", "null", "NaN", "1e400", "9" * 400, "٣"),
    *(0, -1, 2**63, 1.5, float("inf"), float("nan"), True, [], [[]], [None], {}, {"a": 1}, [{"a": 1}], ["a", 1]),
]

CALLS = 4
"""Calls of each tool."""

PYTHON = re.compile(
    r"Traceback|Error\b|NoneType|<class|object has no|not subscriptable|validation error|unexpected keyword"
)


SENT = [value for value in WRONG if value != "\ud800" and not (isinstance(value, float) and value != 1.5)]
"""The wrong values that JSON can hold."""


class Arguments:
    """Random arguments of tools, most of them right."""

    def __init__(self, seed: int, ids: dict[str, Any]) -> None:
        self._dice = random.Random(f"calls {seed}")
        self._right = {
            **VALID,
            **{name: str(id_) for name, id_ in ids.items()},
            "timezone": "UTC",
            "limit": 2,
            "top": 2,
        }

    def of(self, schema: dict[str, Any]) -> dict[str, Any]:
        required = schema.get("required", ())
        chosen = [name for name in schema["properties"] if name in required or self._dice.random() < 0.25]
        return {name: self._value(name, schema["properties"][name]) for name in chosen}

    def _value(self, name: str, schema: dict[str, Any]) -> Any:
        if self._dice.random() < 0.2:
            return self._dice.choice(SENT)
        allowed = schema.get("items", schema).get("enum")
        if allowed:
            return [self._dice.choice(allowed)] if schema["type"] == "array" else self._dice.choice(allowed)
        return True if schema["type"] == "boolean" else self._right.get(name, "a")


@pytest.mark.parametrize("seed", range(examples(1)))
async def test_every_call_has_rows_or_a_refusal_in_a_sentence(seed: int, service: Service, rows: Rows) -> None:
    world = build(rows, "F")
    rows.quota(world.organization_id, 1_000_000)
    arguments = Arguments(seed, world.ids)
    succeeded: set[str] = set()
    async with direct(endpoint(service, limit=10_000), "10.200.0.8", rows.partner_key(world.organization_id)) as http:
        for name, tool in list(TOOLS.items()) * CALLS:
            params = {"name": name, "arguments": arguments.of(dict(tool.schema))}
            answer = await http.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
            assert answer.status_code == 200, params
            result = answer.json()["result"]
            content = orjson.loads(result["content"][0]["text"])
            if result["isError"]:
                assert content["error"]["code"] in ("VALIDATION_ERROR", "RESOURCE_NOT_FOUND"), params
                assert content["error"]["message"].endswith("."), params
                assert PYTHON.search(content["error"]["message"]) is None, params
            else:
                succeeded.add(name)
    assert len(succeeded) > len(TOOLS) / 2


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
