"""The ten questions of docs/agents.md on rows at the bounds of days and statuses: answers counted by hand."""

import re
from pathlib import Path
from typing import Any

import orjson

from tests.factories.rows import Rows
from tests.rest_facade.mcp.clients import call, connect_http
from tests.schema.documents.bounded_company import BoundedCompany

PAGE = Path(__file__).parents[3] / "docs" / "agents.md"
CALLS = re.findall(r"^\| [^|]+\? \| `(\w+)` \| `(\{.+\})` \|$", PAGE.read_text(), re.MULTILINE)
"""Tool and arguments of each question."""

EXPECTED = (
    [("Ada", "owner"), ("Bob", "member"), ("Fay", "member")],
    ["Ada", "Bob", "Cyd", "Eve", "Fay"],
    [("Cyd", "suspended"), ("Dan", "removed")],
    [("Ada", 3600), ("Bob", 2100)],
    [("Ops", 300), ("Web", 5400)],
    [("Acme", 5400), (None, 300)],
    [("2026-11-15", 1800), ("2026-11-16", 1800), ("2026-11-22", 2100)],
    [("Ada", 0), ("Bob", 0), ("Cyd", 0), ("Fay", 0)],
    [("Ada", False), ("Bob", False), ("Cyd", True), ("Fay", False)],
    [("Fay", "2026-11-10")],
)
SHOWN = (
    ("full_name", "role"),
    ("full_name",),
    ("full_name", "status"),
    ("full_name", "tracked_seconds"),
    ("project_name", "tracked_seconds"),
    ("client_name", "tracked_seconds"),
    ("date", "tracked_seconds"),
    ("full_name", "idle_seconds"),
    ("full_name", "is_final"),
    ("full_name", "date"),
)
"""The keys of the rows that are compared."""


def shown(row: dict[str, Any], names: tuple[str, ...]) -> Any:
    values = tuple((row | row.get("user", {})).get(name) for name in names)
    return values if len(values) > 1 else values[0]


async def test_ten_questions_count_what_lies_inside_their_bounds(listener: str, rows: Rows) -> None:
    company = BoundedCompany(rows)
    found = []
    async with connect_http(listener, rows.mcp_key(company.own, "members:read", "time:read")) as client:
        for (tool, arguments), names in zip(CALLS, SHOWN, strict=True):
            given = arguments.replace("START", "2026-11-10").replace("END", "2026-11-22")
            answer = await call(client, tool, **orjson.loads(given))
            rows_found = answer["groups"] if "groups" in answer else answer["results"]
            found.append(sorted((shown(row, names) for row in rows_found), key=str))
    assert found == [sorted(each, key=str) for each in EXPECTED]
