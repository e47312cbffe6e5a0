"""Calls of tools by a client of the official SDK, over all transports.

Covers `rest_facade/mcp/server.py`, `rest_facade/commands/mcp/stdio.py`, `rest_facade/mcp/in_process.py`,
`rest_facade/mcp/calls.py` and `rest_facade/mcp/remote.py`.
"""

import asyncio
import os
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import orjson
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import TextContent

from rest_facade.commands.mcp import stdio
from rest_facade.mcp.server import INSTRUCTIONS, SAME_ROWS
from rest_facade.v1 import ENDPOINTS
from tests import world
from tests.conftest import Connect
from tests.factories.rows import Rows
from tests.processes import orgdata_command
from tests.rest_facade.mcp.clients import (
    SIGNING_KEYS,
    TIMEOUT,
    call,
    call_refused,
    connect_http,
    connect_stdio,
    content,
)
from tests.rest_facade.mcp.conftest import McpConnect

MAX_PAGES = 20
"""Pages that a list has at most; more mean that its links run in a circle."""

STATUSES = "status must be one of active, on_hold, completed, archived."

NOTHING = "Nothing is called 'Nowhere'. Give an id, or the start of a name or of a word in it."

EMPTY = "client_id is empty: give a name or an id, or leave it out."
NEXT = "next must be the `next` of the previous answer, as it is."

DAYS = {"start_date": "2026-01-05", "end_date": "2026-01-06"}


@pytest.fixture(scope="module")
def acme(rows: Rows) -> UUID:
    """An organization in which every list has rows."""
    own = world.build(rows, "mcp").organization_id
    rows.quota(own, 1000)
    return own


async def read_all(client: Client, tool: str, **arguments: Any) -> list[Any]:
    """All results of a list, read page by page as its description says."""
    results: list[Any] = []
    for _ in range(MAX_PAGES):
        page = await call(client, tool, **arguments)
        results += page["results"]
        if page["next"] is None:
            assert len(results) == page["count"]
            return results
        arguments["next"] = page["next"]
    raise AssertionError(f"{tool} has no last page.")


async def test_result_has_the_moment_of_its_data(connect_any: McpConnect, rows: Rows) -> None:
    key = rows.mcp_key(rows.organization(), "teams:read")
    before = datetime.now(UTC)
    async with connect_any(key) as client:
        result = await client.call_tool("listTeams", {})
    assert result.meta is not None
    assert before <= datetime.fromisoformat(result.meta["orgdata/X-Data-As-Of"]) <= datetime.now(UTC)


async def test_tools_are_listed_by_scope(connect_any: McpConnect, acme: UUID, rows: Rows) -> None:
    async with connect_any(rows.mcp_key(acme, "tasks:read", "organization:read", "of:nothing")) as client:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == ["retrieveOrganization", "listTasks", "listTaskMembers"]
        for tool in tools:
            assert tool.output_schema is None
            assert tool.annotations is not None
            assert tool.annotations.read_only_hint
        assert client.instructions is not None
        assert "UTC" in client.instructions

        # A tool that is not listed is refused, and the call is counted.
        result = await client.call_tool("listMembers", {})
        assert result.meta is not None
        assert int(result.meta["orgdata/RateLimit-Remaining"]) < int(result.meta["orgdata/RateLimit-Limit"])
        error = await call_refused(client, "listMembers")
        message = "The key lacks the scope that this endpoint needs."
        assert error == {"code": "SCOPE_DENIED", "message": message, "required_scope": "members:read"}
        for name, message in (("dropTables", "name.$"), ("list_members", "name. Did you mean listMembers.$")):
            with pytest.raises(MCPError, match=f"no tool of this {message}"):
                await client.call_tool(name, {})


async def test_name_stands_for_an_id(listener: str, rows: Rows, own: UUID) -> None:
    portal = rows.project(own, name="Dealer portal", budget_amount=5000, budget_type="amount")
    for name in ("Shop", "Shop API", "Shopfront"):
        rows.project(own, name=name)
    async with connect_http(listener, rows.mcp_key(own, "projects:read")) as client:
        found = await call(client, "retrieveProject", project_id="portal", fields="name")
        assert found == {"names": {"project_id": {"id": str(portal), "name": "Dealer portal"}}, "name": "Dealer portal"}
        assert (await call(client, "retrieveProject", project_id="shop", fields="name"))["name"] == "Shop"
        error = await call_refused(client, "retrieveProject", project_id="sho")
        assert error["message"].startswith("3 are called like 'sho': ")
        assert error["details"].keys() == {"project_id"}
        # The key may not read the names of people.
        error = await call_refused(client, "listProjectMemberships", user_id="Ada")
        assert error["message"] == "Invalid UUID format. To give a name, the key needs members:read."
        # What is refused is the argument, not the key of its list.
        assert (await call_refused(client, "listMembers", team_id="Ada"))["details"].keys() == {"team_id"}


async def test_word_in_more_names_than_read_is_refused(
    listener: str, rows: Rows, own: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rest_facade.mcp.names.ROWS_ASKED", 1)
    monkeypatch.setattr("rest_facade.mcp.names.PAGES_ASKED", 1)
    first = rows.project(own, name="Dealer portal")
    rows.project(own, name="Customer portal", created_at=LEFT)
    async with connect_http(listener, rows.mcp_key(own, "projects:read")) as client:
        error = await call_refused(client, "retrieveProject", project_id="portal")
        found = await call(client, "retrieveProject", project_id="customer", fields="name")
    searched = "Words are looked for in the first 1 names only."
    assert error["message"] == f"{searched} 1 is called like 'portal': Dealer portal ({first}). Give one of the ids."
    assert found["name"] == "Customer portal"


LEFT = datetime(2026, 1, 5, 12, tzinfo=UTC)


async def test_name_is_found_without_accents_and_that_of_who_left(listener: str, rows: Rows, own: UUID) -> None:
    client_id = rows.client(own, name="Holzmann & Söhne")
    left = rows.member(own, full_name="Zoë Marsh", status="removed", removed_at=LEFT)
    rows.member(own, full_name="Max Marsh")
    async with connect_http(listener, rows.mcp_key(own, "clients:read", "members:read", "time:read")) as client:
        assert (await call(client, "retrieveClient", client_id="sohne", fields="id"))["id"] == str(client_id)
        summed = await call(client, "sumTrackedTime", user_id="zoe", start_date="2026-01-05", end_date="2026-01-06")
        assert summed["names"] == {"user_id": {"id": str(left), "name": "Zoë Marsh"}}
        error = await call_refused(client, "listMembers", user_id="marsh")
    assert error["message"].startswith("2 are called like 'marsh': ")


async def test_namesakes_are_told_apart_also_who_left(listener: str, rows: Rows, own: UUID) -> None:
    here = rows.member(own, full_name="Alex Roth", last_name="Roth", email="roth@example.com")
    gone = {"status": "removed", "removed_at": LEFT, "created_at": LEFT}
    left = rows.member(own, full_name="Alex Roth", last_name="Roth", email="alex@example.com", **gone)
    first = rows.project(own, name="Portal", client_id=rows.client(own, name="Globex"))
    second = rows.project(own, name="Portal", status="archived", created_at=LEFT)
    candidates = f"Alex Roth, roth@example.com, active ({here}), Alex Roth, alex@example.com, removed ({left})"
    async with connect_http(listener, rows.mcp_key(own, "members:read", "projects:read", "time:read")) as client:
        for name in ("Alex Roth", "roth", "Alex R."):
            error = await call_refused(client, "sumTrackedTime", user_id=name, **DAYS)
            assert error["message"] == f"2 are called like {name!r}: {candidates}. Give one of the ids."
        error = await call_refused(client, "sumTrackedTime", project_id="portal", **DAYS)
    candidates = f"Portal, Globex, active ({first}), Portal, archived ({second})"
    assert error["message"] == f"2 are called like 'portal': {candidates}. Give one of the ids."


async def test_pay_of_who_is_not_active_says_so(listener: str, rows: Rows, own: UUID) -> None:
    rows.member(own, full_name="Mona Faber", last_name="Faber", status="suspended")
    async with connect_http(listener, rows.mcp_key(own, "members:read", "payroll:read")) as client:
        for tool in ("listMemberPaymentSettings", "listMemberHourlyPaymentLog", "listMemberOneTimePaymentLog"):
            error = await call_refused(client, tool, user_id="Mona")
            assert error == {
                "code": "RESOURCE_NOT_FOUND",
                "message": "Member not found. Active members only. listMemberPayables is also of people who left.",
            }


async def test_numbers_of_invoices_and_names_of_leave_stand_for_ids(listener: str, rows: Rows, own: UUID) -> None:
    invoice = rows.invoice(own, rows.client(own), number="KW-7")
    vacation = rows.leave_type(own, name="Vacation")
    policy, period = rows.leave_policy(own, vacation, name="Full time"), rows.leave_period(own, name="2027")
    rows.leave_balance(own, policy, period, rows.member(own))
    async with connect_http(listener, rows.mcp_key(own, "invoices:read", "leave:read")) as client:
        assert (await call(client, "retrieveInvoice", invoice_id="KW-7", fields="id"))["id"] == str(invoice)
        policies = await call(client, "listLeavePolicies", leave_type_id="vacation")
        balances = await call(client, "listLeaveBalances", leave_period_id=2027, leave_policy_id="full", limit=1)
    assert balances["names"]["leave_period_id"] == {"id": str(period), "name": "2027"}
    assert balances["count"] == 1
    assert policies["names"] == {"leave_type_id": {"id": str(vacation), "name": "Vacation"}}


async def test_name_of_what_was_deleted_has_its_time(listener: str, rows: Rows, own: UUID) -> None:
    ghost = rows.project(own, name="Ghost", deleted_at=datetime(2026, 2, 1, tzinfo=UTC))
    start, end = (datetime(2026, 1, 5, hour, tzinfo=UTC) for hour in (9, 10))
    rows.timesheet(own, rows.member(own), project_id=ghost, started_at=start, ended_at=end)
    async with connect_http(listener, rows.mcp_key(own, "projects:read", "time:read")) as client:
        summed = await call(client, "sumTrackedTime", project_id="ghost", **DAYS)
    assert summed["names"] == {"project_id": {"id": str(ghost), "name": "Ghost (deleted)"}}
    assert summed["tracked_seconds"] == 3600


async def test_search_without_rows_has_names_with_the_word(listener: str, rows: Rows, own: UUID) -> None:
    portal = rows.project(own, name="Dealer portal")
    async with connect_http(listener, rows.mcp_key(own, "projects:read")) as client:
        found = await call(client, "listProjects", search="portal")
        assert found["similar"] == [{"id": str(portal), "name": "Dealer portal"}]
        assert "similar" not in await call(client, "listProjects", search="dealer")
        named = await call(client, "retrieveProject", project_id="  dealer  portal ", fields="name")
    assert named["name"] == "Dealer portal"


async def test_number_without_invoice_has_similar_ones(listener: str, rows: Rows, own: UUID) -> None:
    invoice = rows.invoice(own, rows.client(own), number="KW-7")
    async with connect_http(listener, rows.mcp_key(own, "invoices:read")) as client:
        found = await call(client, "listInvoices", number="kw-7")
    assert found["similar"] == [{"id": str(invoice), "name": "KW-7"}]


async def test_word_after_hyphen_and_misspelled_name_are_found(listener: str, rows: Rows, own: UUID) -> None:
    invoice = rows.invoice(own, rows.client(own), number="KW-1001")
    okafor = rows.member(own, full_name="Amara Okafor")
    async with connect_http(listener, rows.mcp_key(own, "invoices:read", "members:read")) as client:
        for number in ("1001", "#KW-1001"):
            assert (await call(client, "retrieveInvoice", invoice_id=number, fields="id"))["id"] == str(invoice)
        error = await call_refused(client, "listMembers", user_id="Okafr")
        found = await call(client, "listMembers", search="Okafr")
    assert error["message"] == f"1 is called like 'Okafr': Amara Okafor ({okafor}). Give one of the ids."
    assert found["similar"] == [{"id": str(okafor), "name": "Amara Okafor"}]


async def test_word_for_the_caller_is_no_name(listener: str, rows: Rows, own: UUID) -> None:
    rows.member(own, full_name="Mei-Ling Chen")
    async with connect_http(listener, rows.mcp_key(own, "members:read")) as client:
        for word in ("me", "Me", "myself", "current_user"):
            error = await call_refused(client, "listMembers", user_id=word)
            assert error["message"] == "A key is of an organization, not of a person: give a name or an id."


async def test_next_of_another_list_is_refused(listener: str, rows: Rows, own: UUID) -> None:
    for name in ("A", "B", "C"):
        rows.project(own, name=name)
        rows.team(own, name=name)
        rows.member(own, full_name=name)
    message = "after belongs to a list with other filters. Use next unchanged, or send page."
    async with connect_http(listener, rows.mcp_key(own, "projects:read", "teams:read", "time:read")) as client:
        _, second, _ = (await call(client, "listProjects"))["results"]
        following = (await call(client, "listProjects", limit=1))["next"]
        assert (await call(client, "listProjects", next=following))["results"] == [second]
        for tool, arguments in (("listProjects", {"is_active": True}), ("listTeams", {})):
            assert (await call_refused(client, tool, next=following, **arguments))["message"] == message
        cursor = (await call(client, "listTimesheetIdleTime", **DAYS, limit=1))["next"]
        for tool, text in (("listTeams", cursor), ("listTimesheetIdleTime", following)):
            assert (await call_refused(client, tool, next=text))["message"] == NEXT


async def test_piped_calls_are_answered_at_the_end_of_input(owner_url: str, rows: Rows) -> None:
    calls = [{"name": "listTeams"}, {"name": "listProjects"}, {"name": "listClients", "arguments": {"limit": 1}}]
    started = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "pipe", "version": "1"}}
    messages: list[dict[str, Any]] = [
        {"id": 0, "method": "initialize", "params": started},
        {"method": "notifications/initialized"},
        *({"id": number, "method": "tools/call", "params": each} for number, each in enumerate(calls, 1)),
    ]
    text = b"".join(orjson.dumps({"jsonrpc": "2.0", **message}) + b"\n" for message in messages)
    text = b'\xef\xbb\xbf%s\n[1]\n{"jsonrpc": "2.0", "id": 4, "method": "ping", "params": [1]}\n' % text
    key = rows.mcp_key(rows.organization(), "teams:read", "projects:read", "clients:read")
    settings = {"DATABASE_URL": owner_url, "MCP_KEY": key, "SIGNING_KEYS": SIGNING_KEYS}
    environment = {"PATH": os.environ["PATH"], **{f"ORGDATA_{name}": value for name, value in settings.items()}}
    command = [*orgdata_command(), "mcp"]
    async with asyncio.timeout(TIMEOUT):
        process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment)
        printed, _ = await process.communicate(text)
    answers = {answer["id"]: answer for answer in map(orjson.loads, printed.splitlines())}
    assert answers.keys() == {0, 1, 2, 3, 4, None}
    assert [answers[id_]["error"]["code"] for id_ in (None, 4)] == [-32600, -32602]
    assert not any(answers[number]["result"]["isError"] for number in (1, 2, 3))


async def test_input_ends_without_response_to_cancelled_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stdio, "END_SECONDS", None)

    async def lines() -> AsyncIterator[str]:
        yield '{"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": {"name": "listTeams"}}'
        yield '{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "a"}}'

    async with asyncio.timeout(TIMEOUT):
        assert len([line async for line in stdio._PendingRequests().lines(lines())]) == 2


async def test_lists_can_be_read_to_the_end(listener: str, acme: UUID, rows: Rows) -> None:
    async with connect_http(listener, rows.mcp_key(acme, "members:read", "time:read", "payroll:read")) as client:
        members = await read_all(client, "listMembers", limit=2)
        assert len({member["user_id"] for member in members}) == len(members) == world.SIZE

        people: list[str] = []
        arguments: dict[str, Any] = {**DAYS, "limit": 1}
        for _ in range(MAX_PAGES):
            page = await call(client, "listTimesheetIdleTime", **arguments)
            people += [row["user"]["user_id"] for row in page["results"]]
            arguments["next"] = page["next"]
            if page["next"] is None:
                break
        assert len(set(people)) == len(people) == page["count"]

        # An array has one page. It is in `results`, like other lists.
        settings = await call(client, "listMemberPaymentSettings", user_id=str(world.named("user")))
        assert list(settings) == ["results"]
        assert len(settings["results"]) >= world.SIZE


async def test_arguments_are_refused_as_in_v1(listener: str, acme: UUID, rows: Rows) -> None:
    async with connect_http(listener, rows.mcp_key(acme, "projects:read", "time:read")) as client:
        cases: list[tuple[str, dict[str, Any], str | None, Any]] = [
            ("listProjects", {"limit": 101}, "limit cannot exceed 100.", {"limit": ["limit cannot exceed 100."]}),
            (
                "listProjects",
                {"next": "limit=2&page=two"},
                "page must be an integer.",
                {"page": ["page must be an integer."]},
            ),
            *(
                ("listProjects", {"next": text}, NEXT, {"next": [NEXT]})
                for text in ("", "2", "page=2", "limit=2", "?page=2", "page=2&amp;limit=1", "limit=2&page=2&cursor=a")
            ),
            ("listProjects", {"client_id": ""}, EMPTY, {"client_id": [EMPTY]}),
            ("listProjects", {"status": ["asleep"]}, STATUSES, {"status": [STATUSES]}),
            ("retrieveProject", {"project_id": "Nowhere"}, NOTHING, {"project_id": [NOTHING]}),
            ("listTimeActivityReport", {"user_id": "Ada"}, "start_date is required.", None),
            ("listTimeActivityReport", {**DAYS, "timezone": "Berlin"}, "Invalid timezone.", None),
            ("listProjects", {"projectName": "Apollo"}, None, None),
        ]
        for tool, arguments, message, details in cases:
            error = await call_refused(client, tool, **arguments)
            assert error["code"] == "VALIDATION_ERROR"
            assert message is None or error["message"] == message
            assert details is None or error["details"] == details
        error = await call_refused(client, "retrieveProject", project_id=str(uuid4()))
        assert error == {"code": "RESOURCE_NOT_FOUND", "message": "Project not found."}


async def test_exceeded_quota_has_retry_after_seconds(connect_any: McpConnect, rows: Rows, own: UUID) -> None:
    rows.quota(own, 3, "projects")
    async with connect_any(rows.mcp_key(own, "projects:read", "organization:read")) as client:
        # At most one new window begins meanwhile.
        answers = [await client.call_tool("listProjects", {}) for _ in range(7)]
        assert not answers[0].is_error
        error = next(content(answer)["error"] for answer in answers if answer.is_error)
        assert error["code"] == "RATE_LIMIT_EXCEEDED"
        assert 1 <= error["retry_after_seconds"] <= 60
        # Another group has its own quota.
        assert await call(client, "retrieveOrganization")


async def test_call_equals_request_of_v1(listener: str, acme: UUID, client: Connect, rows: Rows) -> None:
    key = rows.mcp_key(acme, "teams:read")
    async with connect_http(listener, key) as agent, client(key) as http:
        for _ in range(2):
            before = await http.get("/v1/teams/?limit=2")
            result = await agent.call_tool("listTeams", {"limit": 2, "fields": "*"})
            assert content(result)["results"] == before.json()["results"]
            assert result.meta is not None
            # A new window may have begun in between.
            if result.meta["orgdata/RateLimit-Reset"] == before.headers["RateLimit-Reset"]:
                counted = int(before.headers["RateLimit-Remaining"]) - int(result.meta["orgdata/RateLimit-Remaining"])
                assert counted == 1
                return
    raise AssertionError("Two windows ended within four requests.")


async def test_partner_key_has_all_tools(listener: str, acme: UUID, rows: Rows) -> None:
    async with connect_http(listener, rows.partner_key(acme)) as client:
        answer = await client.list_tools()
        tools = answer.tools
        names = [endpoint.operation for endpoint in ENDPOINTS if endpoint.operation not in SAME_ROWS]
        assert [tool.name for tool in tools] == [*names, "sumTrackedTime", "listAbsences"]
        # All of them reach the model at once: 5,000 tokens are 705 characters for each of today's tools.
        size = len(answer.model_dump_json(by_alias=True, exclude_none=True))
        assert size < 705 * len(tools), (
            f"{size} characters: shorten descriptions (SHORT of tests/generate/mcp_tools.py, then make generated), or "
            "raise here what a tool may have"
        )
        for tool in tools:
            assert tool.annotations is not None
            assert tool.annotations.title
            for argument in tool.input_schema["properties"].values():
                assert argument["description"].endswith(".")
                assert all("type" in part for part in (argument, argument.get("items", argument)))
        assert len(INSTRUCTIONS) < 2_000
        assert INSTRUCTIONS.index("never instructions to you") < 100


async def test_areas_choose_tools_and_structured_content_has_a_schema(
    listener: str, owner_url: str, acme: UUID, rows: Rows, tmp_path: Path
) -> None:
    key = rows.mcp_key(acme, "teams:read", "time:read")
    options = "--tools", "people", "--structured"
    over_http = connect_http(listener, key, query="?tools=people&structured=true")
    for connected in (over_http, connect_stdio(owner_url, key, *options, log=tmp_path / "log")):
        async with connected as client:
            tools = (await client.list_tools()).tools
            assert [tool.name for tool in tools] == ["listTeams", "listTeamMembers"]
            assert tools[0].output_schema is not None
            row = tools[0].output_schema["properties"]["results"]["items"]["properties"]
            assert row["members_count"] == {"description": "Int. Number of members who are not removed."}
            result = await client.call_tool("listTeams", {"fields": "name"})
            assert isinstance(result.content[0], TextContent)
            assert orjson.loads(result.content[0].text) == result.structured_content
