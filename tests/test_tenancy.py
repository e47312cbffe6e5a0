"""Tenancy: the statement check and row-level security each keep organizations apart, also when the other is off.

Two organizations with the same row ids request every endpoint, and every list that only the graph has. All strings of A
start with `A-`, all of B with `B-`.
Covers `db/tables/work.py`.
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import orjson
import psycopg
import pytest
from psycopg import sql
from sqlalchemy import Float, func, select

from db.admin.engine import connect
from db.reading.database import Database
from db.reading.statement import Statement
from db.tables.columns import bind, in_organization, metadata
from db.tables.people import members, organizations
from rest_facade.composition import Service, build_service
from rest_facade.settings import Settings
from rest_facade.v1 import ENDPOINTS
from tests.conftest import BASE_URL, Connect
from tests.contract import WITHOUT_TEXT
from tests.db.reading.recording import opened
from tests.factories.rows import Rows
from tests.helpers.endpoint_calls import url_of
from tests.resolvers.answers import data_of
from tests.root_lists import dated_document, root_lists
from tests.world import World, build

CONDITION = re.compile(r'[\w."]+\.organization_id = %\(organization_id\)s(::UUID)?')

# The organization and its counts are found by the organization's id as their key, which restricts them, too.
FOUND_BY_ORGANIZATION = {"retrieveOrganization"}

OPERATIONS = {endpoint.operation for endpoint in ENDPOINTS} | set(root_lists())

Answers = dict[str, str]
"""The response body of each operation, and of each list that only the graph has."""


@dataclass(frozen=True)
class UncheckedStatement:
    """A statement without its tenancy condition."""

    sql: str
    constants: Any


class WithoutStatementCheck:
    """`Database.read_rows` with every tenancy condition replaced by true; `rewritten` counts them."""

    def __init__(self, database: Database) -> None:
        self._read = database.read_rows
        self.rewritten = 0

    async def __call__(self, organization_id: UUID, statements: Sequence[Any], *, is_heavy: bool = False) -> Any:
        changed: list[Any] = []
        for statement, values in statements:
            text, times = CONDITION.subn("true", statement.sql)
            assert "organization_id)s" not in text, text
            self.rewritten += times
            changed.append((UncheckedStatement(text, statement.constants), values))
        return await self._read(organization_id, changed, is_heavy=is_heavy)


def disable_row_level_security(owner_url: str) -> None:
    with psycopg.connect(owner_url) as connection:
        for table in metadata.tables:
            connection.execute(sql.SQL("ALTER TABLE {} DISABLE ROW LEVEL SECURITY").format(sql.Identifier(table)))


class Twins:
    """Organizations A and B in a database of their own, and the requests of each."""

    def __init__(self, rows: Rows, service: Service, client: Connect) -> None:
        self.worlds = build(rows, "A"), build(rows, "B")
        assert self.worlds[0].ids == self.worlds[1].ids
        for world in self.worlds:
            for endpoint in ENDPOINTS:
                rows.quota(world.organization_id, 1000, endpoint.group)
        self._service, self._client = service, client

    async def answers(self) -> tuple[Answers, Answers]:
        """What A is answered, and B."""
        own, other = [await self._answers(world) for world in self.worlds]
        assert set(own) == set(other) == OPERATIONS
        return own, other

    async def _answers(self, world: World) -> Answers:
        answers = {}
        async with self._client(world.key, of=self._service) as http:
            for endpoint in ENDPOINTS:
                response = await http.get(url_of(endpoint, world))
                assert response.status_code == 200, f"{endpoint.operation}: {response.text}"
                answers[endpoint.operation] = response.text
        for name in root_lists():
            data = await data_of(self._service.database, world.organization_id, dated_document(name))
            answers[name] = orjson.dumps(data).decode()
        return answers

    def foreign(self, answers: tuple[Answers, Answers]) -> set[str]:
        """The operations whose response to one organization contains data of the other."""
        return {
            operation
            for found, other in zip(answers, reversed(self.worlds), strict=True)
            for operation, text in found.items()
            if f"{other.tag}-" in text or str(other.organization_id) in text
        }


async def test_each_check_alone_keeps_organizations_apart(
    own_url: str, settings: Settings, client: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = datetime.now(UTC)
    monkeypatch.setattr("resolvers.context.clock", lambda: now)
    service = build_service(settings, url=own_url, base_url=BASE_URL)
    rows = Rows(connect(own_url))
    async with service.running():
        twins = Twins(rows, service, client)
        before = await twins.answers()
        assert {operation for operation, text in before[0].items() if '"A-' in text} >= {"listMembers", "listTasks"}
        assert twins.foreign(before) == set()

        unlocked = WithoutStatementCheck(service.database)
        with monkeypatch.context() as unchecked:
            unchecked.setattr(service.database, "read_rows", unlocked)
            assert await twins.answers() == before, "with row-level security only"
        assert unlocked.rewritten > len(ENDPOINTS)

        disable_row_level_security(own_url)
        assert await twins.answers() == before, "with the check of statements only"

        monkeypatch.setattr(service.database, "read_rows", unlocked)
        after = await twins.answers()
        changed = {o for o in OPERATIONS for old, new in zip(before, after, strict=True) if old[o] != new[o]}
        assert changed == OPERATIONS - FOUND_BY_ORGANIZATION
        assert OPERATIONS - twins.foreign(after) == WITHOUT_TEXT | FOUND_BY_ORGANIZATION
    rows.connection.close()


# One connection, many organizations.

NAME = Statement(select(organizations.c.name, func.pg_backend_pid().label("pid")).where(in_organization(organizations)))
NAMES = Statement(select(members.c.full_name).where(in_organization(members)))
SLEEP = Statement(select(func.pg_sleep(bind("seconds", Float()))))


async def test_connection_serves_organizations_in_turn(owner_url: str, rows: Rows) -> None:
    own, other = rows.organization(name="A"), rows.organization(name="B")
    rows.member(own, full_name="A-member")
    rows.member(other, full_name="B-member")
    seen, pids = [], set()
    async with opened(owner_url, size=1) as database:
        for turn in range(200):
            if turn == 100:
                await cancel_while_running(database, own, owner_url)
            (name,), (member,) = await database.read_rows((own, other)[turn % 2], [(NAME, {}), (NAMES, {})])
            seen.append((name.name, member.full_name))
            pids.add(name.pid)
    assert seen == [("A", "A-member"), ("B", "B-member")] * 100
    assert len(pids) <= 2, "the cancelled read may have closed its connection"


async def cancel_while_running(database: Database, organization_id: UUID, url: str) -> None:
    """Cancel a read while the server runs it."""
    reading = asyncio.create_task(database.read_rows(organization_id, [(NAME, {}), (SLEEP, {"seconds": 60.0})]))
    watch = "SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query LIKE %s AND pid <> pg_backend_pid()"
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection, asyncio.timeout(10):
        while (await (await connection.execute(watch, ["%pg_sleep(%"])).fetchone()) is None:
            await asyncio.sleep(0.001)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading


async def test_organization_must_be_a_uuid(owner_url: str) -> None:
    injected: Any = "' OR true --"
    async with opened(owner_url, size=1) as database:
        with pytest.raises(AttributeError):
            await database.read_rows(injected, [(NAME, {})])
        assert await database.read_rows(uuid4(), [(NAME, {})]) == [[]]
