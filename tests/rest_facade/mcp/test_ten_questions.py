"""The ten questions of docs/agents.md over a demo, with a key of two scopes: answers, and the tokens that they take."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from signal import SIGTERM

import orjson
import pytest
from mcp_types import TextContent

from tests.helpers.folders import open_folder
from tests.rest_facade.commands.conftest import Run
from tests.rest_facade.commands.conftest import folder as folder  # noqa: PLC0414 - fixtures
from tests.rest_facade.commands.conftest import orgdata as orgdata  # noqa: PLC0414
from tests.rest_facade.commands.demo_process import Demo, demo
from tests.rest_facade.mcp.clients import connect_http

pytestmark = pytest.mark.process

PAGE = Path(__file__).parents[3] / "docs" / "agents.md"
QUESTION = re.compile(r"^\| (?P<question>[^|]+\?) \| `(?P<tool>\w+)` \| `(?P<arguments>\{.+\})` \|$", re.MULTILINE)

CHARACTERS_PER_TOKEN = 3
"""Fewer than texts have: ids and numbers take more tokens."""

MOST_TOKENS = 25_000


@pytest.fixture
def running() -> Iterator[Demo]:
    with open_folder() as folder, demo(folder / "data") as running:
        yield running
        running.end(SIGTERM)


async def test_ten_questions_are_answered_within_the_tokens(running: Demo, orgdata: Run) -> None:
    today = datetime.now(UTC).date()
    days = {"START": str(today - timedelta(days=20)), "END": str(today - timedelta(days=1))}
    scopes = ("--scope", "members:read", "--scope", "time:read")
    own = ("--organization", running.details["organization_id"])
    made = orgdata("keys", "create", "--purpose", "mcp", *own, *scopes, DATABASE_URL=running.details["database_url"])
    questions = [match.groupdict() for match in QUESTION.finditer(PAGE.read_text())]
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
