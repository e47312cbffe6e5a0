"""The ten questions of docs/agents.md: the tokens that they take of a demo, and answers at the bounds of days."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
import pytest
from mcp_types import TextContent

from tests.factories.rows import Rows
from tests.helpers.repository import ROOT
from tests.rest_facade.commands.conftest import Run
from tests.rest_facade.commands.conftest import folder as folder  # noqa: PLC0414 - fixtures
from tests.rest_facade.commands.conftest import orgdata as orgdata  # noqa: PLC0414
from tests.rest_facade.commands.demo_process import Demo
from tests.rest_facade.commands.demo_process import running as running  # noqa: PLC0414
from tests.rest_facade.mcp.clients import call, connect_http
from tests.schema.documents.bounded_company import BoundedCompany

PAGE = (ROOT / "docs" / "agents.md").read_text()
QUESTION = re.compile(r"^\| (?P<question>[^|]+\?) \| `(?P<tool>\w+)` \| `(?P<arguments>\{.+\})` \|$", re.MULTILINE)

CHARACTERS_PER_TOKEN = 3
"""Fewer than texts have: ids and numbers take more tokens."""

MOST_TOKENS = 25_000


@pytest.mark.process
async def test_ten_questions_are_answered_within_the_tokens(running: Demo, orgdata: Run) -> None:
    today = datetime.now(UTC).date()
    days = {"START": str(today - timedelta(days=20)), "END": str(today - timedelta(days=1))}
    scopes = ("--scope", "members:read", "--scope", "time:read")
    own = ("--organization", running.details["organization_id"])
    made = orgdata("keys", "create", "--purpose", "mcp", *own, *scopes, DATABASE_URL=running.details["database_url"])
    questions = [match.groupdict() for match in QUESTION.finditer(PAGE)]
    assert len(questions) == 10
    async with connect_http(running.details["internal"], made.out.strip()) as client:
        listed = await client.list_tools()
        characters = len(listed.model_dump_json())
        for each in questions:
            text = each["arguments"].replace("START", days["START"]).replace("END", days["END"])
            result = await client.call_tool(each["tool"], orjson.loads(text))
            (content,) = result.content
            assert isinstance(content, TextContent)
            assert not result.is_error, (each["question"], content.text)
            characters += len(each["question"]) + len(text) + len(content.text)
    assert characters / CHARACTERS_PER_TOKEN <= MOST_TOKENS


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
        for (_, tool, arguments), names in zip(QUESTION.findall(PAGE), SHOWN, strict=True):
            given = arguments.replace("START", "2026-11-10").replace("END", "2026-11-22")
            answer = await call(client, tool, **orjson.loads(given))
            rows_found = answer["groups"] if "groups" in answer else answer["results"]
            found.append(sorted((shown(row, names) for row in rows_found), key=str))
    assert found == [sorted(each, key=str) for each in EXPECTED]
