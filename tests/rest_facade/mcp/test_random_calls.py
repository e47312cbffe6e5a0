"""Random calls of every tool, with right and wrong arguments: each has rows, or a refusal in a sentence.

Covers `rest_facade/mcp/server.py` and `rest_facade/mcp/arguments.py`.
"""

import random
import re
from typing import Any

import orjson
import pytest

from rest_facade.composition import Service
from rest_facade.mcp.server import TOOLS
from tests.factories.rows import Rows
from tests.property_tests import examples
from tests.rest_facade.mcp.argument_values import VALID, WRONG
from tests.rest_facade.mcp.endpoint import direct, endpoint
from tests.world import build

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
