"""Polling shows every edit: of each column of each table, whatever list, report or object shows it.

After an edit, a client polls since the time before it. Then its copy is what a full read returns.
"""

import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from functools import partial
from typing import Any

import httpx2 as httpx
import pytest
from sqlalchemy import Table

from db.admin.engine import connect
from db.reading.reader import Reader
from db.tables.columns import metadata
from rest_facade.openapi.document import openapi
from rest_facade.openapi.polling import DELETED_PEOPLE
from rest_facade.v1 import ENDPOINTS
from tests.conftest import Connect
from tests.factories.rows import Rows
from tests.polling.column_edits import TABLES, Editor, columns_of
from tests.polling.copies import EXCEPTIONS, MOVES, NAMED_BY, Client, View, views_of
from tests.world import World, build

pytestmark = pytest.mark.anyio

KEYS = ("organization_id", "id", "app_id", "domain_id", "page_id", "slot_at", "timesheet_id")
REFUSED = {
    "members": ("user_id",),
    "leave_types": ("unit",),
    # The second: the people of a world have a balance of each policy.
    "leave_balances": ("user_id", "leave_policy_id"),
    "leave_policies": ("leave_type_id",),
    "project_members": ("project_id", "user_id"),
    "task_members": ("task_id", "user_id"),
    "team_members": ("team_id", "user_id"),
    "timesheets": (),
    "manual_requests": (),
    **dict.fromkeys(("app_usages", "url_usages", "activity_slots", "idle_times"), ("user_id",)),
    **dict.fromkeys(("payables", "payment_settings", "hourly_payment_logs", "one_time_payment_logs"), ("user_id",)),
    **dict.fromkeys(("leave_applications", "leave_assignments"), ("user_id",)),
    **dict.fromkeys(("screenshots", "suspicious_activity_logs"), ("user_id",)),
}
"""The columns that no edit changes: those of keys, and the people of records other than time."""

OF_TIME = {"timesheets", "idle_times", "break_times", "activity_slots", "app_usages", "members"}
"""The tables after whose edits a report is read in pages of one row, and for each person, too."""


@pytest.fixture(scope="module")
def world(rows: Rows) -> World:
    world = build(rows, "P")
    rows.quota(world.organization_id, 1_000_000)
    return world


@pytest.fixture
async def http(world: World, client: Connect) -> AsyncIterator[httpx.AsyncClient]:
    async with client(world.key) as http:
        yield http


@pytest.fixture
def editor(owner_url: str, world: World) -> Iterator[Editor]:
    engine = connect(owner_url)
    with engine.connect() as connection:
        yield Editor(connection, world)
    engine.dispose()


async def views_by_table(client: Client, monkeypatch: pytest.MonkeyPatch) -> Mapping[str, list[View]]:
    """The views whose full read has a table in one of its statements. The client begins with it."""
    found: dict[str, list[View]] = {table: [] for table in metadata.tables}
    read = Reader.read
    for view in client.views:
        said: list[str] = []

        async def record(self: Any, statement: Any, *arguments: Any, said: list[str] = said, **more: Any) -> Any:
            said.append(statement.sql)
            return await read(self, statement, *arguments, **more)

        with monkeypatch.context() as recording:
            recording.setattr(Reader, "read", record)
            await view.begin(client.http)
        words = set(re.findall(r"\w+", " ".join(said)))
        for table in found.keys() & words:
            found[table].append(view)
    return found


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
async def test_poll_shows_what_a_full_read_shows(
    table: Table, world: World, http: httpx.AsyncClient, editor: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = Client(http, world, views_of(world))
    views = (await views_by_table(client, monkeypatch))[table.name]
    missed, refused, row = dict[str, Any](), set[str](), editor.row_of(table)

    async def check(what: str, edit: Callable[[], bool]) -> bool:
        """Poll after an edit. Returns false if it is refused."""
        since = editor.rows("SELECT clock_timestamp() AS at")[0].at
        if not edit():
            return False
        await client.poll(since, views)
        for view, different in await client.differences(views):
            if f"{table.name}.{what}" not in MOVES.get(view.endpoint.operation, ()):
                missed[f"{what}: {view.name}"] = different
            await view.begin(http)
        if table.name in OF_TIME:
            for view in views:
                assert not view.is_report or await view.is_same_in_parts(http), f"{what}: {view.name}"
        return True

    def undo() -> bool:
        editor.restore(table, row)
        return True

    for column in (*table.primary_key, *columns_of(table)):
        if await check(column.name, partial(editor.change, column, row)):
            await check(column.name, undo)
        else:
            refused.add(column.name)
    for what, edit in {"deleted_at": lambda: editor.update(table, row, "deleted_at = now()"), "restored": undo}.items():
        assert await check(what, edit)
    assert table.name == "organizations" or await check("insert", lambda: editor.copy(table, row))
    assert missed == {}
    assert refused - {*KEYS} == {*REFUSED.get(table.name, ())}


def test_exceptions_are_sentences_of_the_openapi_document() -> None:
    document = str(openapi(ENDPOINTS, base_url="http://127.0.0.1:8000"))
    assert len(EXCEPTIONS) + len(MOVES) + len(NAMED_BY) <= 10
    assert [sentence for sentence in (*EXCEPTIONS, DELETED_PEOPLE) if sentence not in document] == []
