"""Polling: a client that keeps the rows that `updated_since` returns has in the end the rows of a full read.

Two connections write at the same time: they insert, change, delete, restore and remove rows, and commit out of order.
"""

import random
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, suppress
from datetime import datetime
from typing import Any
from uuid import uuid4

import httpx2 as httpx
import orjson
import pytest
from sqlalchemy import Connection, Table, func, select, text, tuple_, update
from sqlalchemy.exc import DBAPIError

from db.admin.engine import connect
from db.tables.activity import app_usages, suspicious_activity_logs, url_usages
from db.tables.columns import metadata
from db.tables.people import members, team_members
from db.tables.timesheets import clock_records, manual_requests, timesheets
from db.tables.work import project_members, projects, task_members, tasks
from rest_facade.openapi.polling import OTHERWISE
from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.envelopes import SINGLE, Cursor
from rest_facade.v1 import ENDPOINTS
from tests.conftest import Connect
from tests.factories.base import set_row_organization
from tests.factories.rows import Rows
from tests.property_tests import examples
from tests.test_contract import items_of, key_of, params_of, path_of
from tests.world import World, build

STEPS = 24
FIRST, LAST = "2026-01-01", "2026-01-31"
"""The range of requests that need one; see `params_of`."""
PAGE = 3

TABLES: dict[str, Table] = {
    "listTeamMembers": team_members,
    "listTaskMembers": task_members,
    "listProjectMembers": project_members,
    "listProjectMemberships": project_members,
    "listTimesheetIdleTime": timesheets,
    "listTimeActivityReport": timesheets,
    "listManualTimesheetReports": manual_requests,
    "listClockInOut": clock_records,
    "listAppReports": app_usages,
    "listUrlReports": url_usages,
    "listSuspiciousActivityLogs": suspicious_activity_logs,
    "listClientProjects": projects,
    "listProjectTasks": tasks,
    "listMemberHourlyPaymentLog": metadata.tables["hourly_payment_logs"],
    "listMemberOneTimePaymentLog": metadata.tables["one_time_payment_logs"],
    "listMemberPayables": metadata.tables["payables"],
}
"""The tables that are written, where the last word of the path is not their name."""

AWAY = 40
"""The days by which a record moves: more than the range has."""

STARTS: dict[Table, tuple[str, ...]] = {
    timesheets: ("started_at", "ended_at", "tracked_until"),
    manual_requests: ("started_at", "ended_at"),
    clock_records: ("clock_in_at", "clock_out_at"),
}
"""The times of records that move."""

POLLED = [endpoint for endpoint in ENDPOINTS if "updated_since" in endpoint.query_names]
PEOPLE = [endpoint.operation for endpoint in POLLED if "include_deleted" not in endpoint.query_names]
"""The operations whose rows are people, or are lost otherwise (see OTHERWISE)."""


def table_of(endpoint: Endpoint) -> Table:
    name = endpoint.path.split("/")[-2]
    return TABLES[endpoint.operation] if endpoint.operation in TABLES else metadata.tables[name]


class Writer:
    """A connection that changes rows of a table in transactions of its own."""

    def __init__(self, connection: Connection, world: World, table: Table, keys: list[tuple[Any, ...]]) -> None:
        self.connection = connection
        self.world = world
        self.table = table
        self.keys = keys
        self.key = [column for column in table.primary_key if column.name != "organization_id"]
        self.since: datetime | None = None
        """The start of the open transaction."""

    def write(self, dice: random.Random) -> None:
        """Change one row. A change that another transaction or a constraint prevents is left out."""
        if self.since is None:
            self.since = self.connection.scalar(select(func.now()))
            set_row_organization(self.connection, self.world.organization_id)
            self.connection.execute(text("SET LOCAL lock_timeout = '100ms'"))
        row = dice.choice(self.keys)
        kinds = [self.touch, self.touch]
        if not set(row) & set(self.world.ids.values()):
            kinds += [self.delete, self.restore]
            kinds += [self.remove] if self.table is members else []
        if self.table in STARTS:
            kinds += [self.move, self.move_back]
        if [column.name for column in self.key] in (["id"], ["user_id"]) and self.table is not timesheets:
            kinds += [self.insert]
        with suppress(DBAPIError), self.connection.begin_nested():
            dice.choice(kinds)(row)

    def _set(self, row: tuple[Any, ...], **values: Any) -> None:
        own = self.table.c.organization_id == self.world.organization_id
        self.connection.execute(update(self.table).where(own, tuple_(*self.key) == tuple_(*row)).values(**values))

    def touch(self, row: tuple[Any, ...]) -> None:
        self._set(row, created_at=self.table.c.created_at + text("interval '1 second'"))

    def delete(self, row: tuple[Any, ...]) -> None:
        self._set(row, deleted_at=func.now())

    def restore(self, row: tuple[Any, ...]) -> None:
        self._set(row, deleted_at=None)

    def remove(self, row: tuple[Any, ...]) -> None:
        self._set(row, status="removed", removed_at=func.now())

    def move(self, row: tuple[Any, ...], days: int = AWAY) -> None:
        """Let a record start on a day out of the range."""
        moved = text(f"interval '{days} days'")
        self._set(row, **{name: self.table.c[name] + moved for name in STARTS[self.table]})

    def move_back(self, row: tuple[Any, ...]) -> None:
        self.move(row, -AWAY)

    def insert(self, row: tuple[Any, ...]) -> None:
        """A copy of a row; none if that would break a unique key."""
        new = uuid4()
        copy = {str(self.key[0].name): str(new), "deleted_at": None, "membership_id": str(uuid4()), "email": None}
        columns = {name: value for name, value in copy.items() if name in self.table.c}
        times = "'created_at', statement_timestamp(), 'updated_at', statement_timestamp()"
        command = (
            f"INSERT INTO {self.table.name} SELECT copy.* FROM {self.table.name} row,"
            f" jsonb_populate_record(row, cast(:columns AS jsonb) || jsonb_build_object({times})) copy"
            f" WHERE row.organization_id = :own AND row.{self.key[0].name} = :key"
            " ON CONFLICT DO NOTHING RETURNING 1"
        )
        values = {"columns": orjson.dumps(columns).decode(), "own": self.world.organization_id, "key": row[0]}
        if self.connection.scalar(text(command), values):
            self.keys.append((new,))

    def commit(self) -> None:
        self.connection.commit()
        self.since = None


class Client:
    """A client that keeps rows by their keys, and polls for changes."""

    def __init__(self, http: httpx.AsyncClient, endpoint: Endpoint, world: World) -> None:
        self.http = http
        self.endpoint = endpoint
        self.path = path_of(endpoint, world)
        self.params = params_of(endpoint, world) or {}
        if isinstance(endpoint.envelope, Cursor):
            self.params |= {"start_date": FIRST, "end_date": LAST}
        self.deleted = {"include_deleted": "true"} if "include_deleted" in endpoint.query_names else {}
        self.table = table_of(endpoint)
        self.rows: dict[str, Any] = {}
        self.since: datetime | None = None

    async def read(self, **params: str) -> dict[str, Any]:
        """All pages of the list, by key."""
        found: dict[str, Any] = {}
        query = self.params | params | {"limit": str(PAGE)}
        response = await self.http.get(self.path, params=query)
        while True:
            assert response.status_code == 200, response.text
            body = response.json()
            found |= {key_of(item): item for item in items_of(self.endpoint, body)}
            if isinstance(self.endpoint.envelope, Cursor):
                cursor = body["pagination"]["next_cursor"]
                if cursor is None:
                    return found
                response = await self.http.get(self.path, params={"cursor": cursor})
            elif body["next"] is None:
                return found
            else:
                response = await self.http.get(body["next"])

    async def poll(self, now: datetime, unfinished: list[datetime]) -> None:
        """Read what changed, from the time that the last poll left.

        A minute covers the transactions that were open at the last poll. Here their own starts take its place.
        """
        since = {} if self.since is None else {"updated_since": self.since.isoformat()}
        self.rows |= await self.read(**since, **self.deleted)
        for key, row in list(self.rows.items()):
            # The range of the request is the one that the client keeps.
            if self.table in STARTS and "date" in row and not FIRST <= row["date"] <= LAST:
                del self.rows[key]
        seen = [datetime.fromisoformat(row["updated_at"]) for row in self.rows.values() if row.get("updated_at")]
        # The rows of idle times have no time of their own: such a client keeps the time of its request.
        newest = max(seen, default=now) if not isinstance(self.endpoint.envelope, Cursor) else now
        self.since = min([newest, *unfinished])


@pytest.fixture(scope="module")
def polled_world(rows: Rows) -> World:
    world = build(rows, "P")
    rows.quota(world.organization_id, 1_000_000)
    return world


@pytest.fixture
async def http(polled_world: World, client: Connect) -> AsyncIterator[httpx.AsyncClient]:
    async with client(polled_world.key) as http:
        yield http


@pytest.fixture
def connections(owner_url: str) -> Iterator[list[Connection]]:
    engine = connect(owner_url)
    with ExitStack() as stack:
        yield [stack.enter_context(engine.connect()) for _ in range(3)]
    engine.dispose()


def keys_of(connection: Connection, endpoint: Endpoint, world: World) -> list[tuple[Any, ...]]:
    """The keys of the rows of the list."""
    table = table_of(endpoint)
    set_row_organization(connection, world.organization_id)
    key = [column for column in table.primary_key if column.name != "organization_id"]
    parents = [table.c[name] == world.ids[name] for name in endpoint.ids]
    own = select(*key).where(table.c.organization_id == world.organization_id, *parents).order_by(*key)
    return [tuple(row) for row in connection.execute(own)]


@pytest.mark.parametrize("seed", range(examples(1)))
@pytest.mark.parametrize(
    "endpoint",
    [endpoint for endpoint in POLLED if endpoint.operation != "listMemberProjects"],
    ids=lambda endpoint: endpoint.operation,
)
async def test_poller_has_what_a_full_read_returns(
    endpoint: Endpoint, seed: int, polled_world: World, http: httpx.AsyncClient, connections: list[Connection]
) -> None:
    dice = random.Random(f"{endpoint.operation} {seed}")
    clock = connections.pop()
    keys = keys_of(clock, endpoint, polled_world)
    clock.rollback()
    assert len(keys) > 1
    table = table_of(endpoint)
    writers = [Writer(connection, polled_world, table, keys[n::2]) for n, connection in enumerate(connections)]
    client = Client(http, endpoint, polled_world)

    async def poll() -> None:
        now = clock.scalar(select(func.clock_timestamp()))
        assert now is not None
        clock.rollback()
        await client.poll(now, [writer.since for writer in writers if writer.since is not None])

    await poll()
    for _ in range(STEPS):
        writer = dice.choice(writers)
        match dice.randrange(5):
            case 0:
                writer.commit()
            case 1:
                await poll()
            case _:
                writer.write(dice)
    for writer in dice.sample(writers, len(writers)):
        writer.commit()
        await poll()
    assert client.rows == await client.read(**client.deleted)
    live = {key for key, row in client.rows.items() if not row.get("deleted_at")}
    shown = await client.read()
    assert shown.keys() <= live
    assert {key: client.rows[key] for key in shown} == shown


def test_every_list_can_be_polled_or_says_why_not() -> None:
    rows = {endpoint.operation for endpoint in ENDPOINTS if endpoint.envelope != SINGLE}
    assert rows - {endpoint.operation for endpoint in POLLED} <= OTHERWISE.keys()
    assert set(PEOPLE) - OTHERWISE.keys() == {"listTimeActivityReport", "listAppReports", "listUrlReports"}
