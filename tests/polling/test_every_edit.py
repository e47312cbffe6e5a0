"""Polling shows every edit, whatever list, report or object shows it: of each column of each table, and random ones.

After an edit, a client polls since the time before it. Then its copy is what a full read returns. So it is where two
connections edit rows at the same time and commit out of order, with pages of a few rows.
"""

import os
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from datetime import datetime
from functools import partial
from typing import Any

import pytest
from sqlalchemy import Boolean, Column, Connection, Table, text

from db.admin.engine import connect
from rest_facade.openapi.document import openapi
from rest_facade.openapi.polling import DELETED_PEOPLE, OTHERWISE, RETAINED
from rest_facade.rest.envelopes import SINGLE
from rest_facade.v1 import ENDPOINTS
from tests.conftest import Connect
from tests.factories.rows import Rows
from tests.polling.asking import over_http
from tests.polling.column_edits import TABLES, Editor, columns_of
from tests.polling.copies import EXCEPTIONS, MOVES, NAMED_BY, Client, views_of
from tests.polling.edited import Beginning, EditedClient
from tests.polling.history import History
from tests.property_tests import examples
from tests.world import World, build

KEYS = ("organization_id", "id", "app_id", "domain_id", "page_id", "slot_at", "timesheet_id")
REFUSED = {
    "members": ("user_id",),
    # The people of a world have a balance of each policy.
    "leave_balances": ("leave_policy_id",),
    **dict.fromkeys(("app_usages", "url_usages", "activity_slots", "idle_times"), ("user_id",)),
}
"""The columns that no edit changes, besides those that are declared to be immovable: a missed poll shows that they
must be. They are columns of keys."""

OF_TIME = {"timesheets", "idle_times", "break_times", "activity_slots", "app_usages", "members"}
"""The tables after whose rows come and go, a report is read in pages of one row, and for each person, too."""

AGAIN = " again"
"""Behind the name of a column that gets the value that it had."""


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
async def test_poll_shows_what_a_full_read_shows(table: Table, poller: EditedClient, beginning: Beginning) -> None:
    editor, missed, refused = poller.editor, dict[str, Any](), set[str]()
    row, start = editor.row_of(table), poller.mark()

    async def check(what: str, edit: Callable[[], bool]) -> bool:
        """Poll after an edit. Returns false if it is refused."""
        done: list[bool] = []
        before = poller.full if table.name == "members" else {}
        for name, rows in (await poller.after(lambda: done.append(edit()))).items():
            if f"{table.name}.{what.removesuffix(AGAIN)}" not in MOVES.get(name, ()):
                missed[f"{what}: {name}"] = rows
        if table.name in OF_TIME and what in ("deleted_at", "restored", "insert"):
            assert await poller.reports_that_differ_in_parts(before) == [], what
        return done == [True]

    for column in (*table.primary_key, *columns_of(table)):
        edit = partial(editor.change, column, row)
        if is_another_way_back(column, row):
            if is_done := await check(column.name, edit):
                await check(f"{column.name}{AGAIN}", partial(editor.restore, table, row))
        else:
            with poller.undone():
                is_done = await check(column.name, edit)
        if not is_done:
            refused.add(column.name)
    assert await check("deleted_at", lambda: editor.update(table, row, "deleted_at = clock_timestamp()"))
    assert await check("restored", partial(editor.restore, table, row))
    assert table.name == "organizations" or await check("insert", partial(editor.copy, table, row))
    assert missed == {}
    # A client that was away meanwhile.
    await beginning.begin(poller)
    away = await poller.differences_since(start, polls_all=True)
    assert {name: rows for name, rows in away.items() if name not in MOVES} == {}
    immovable = {column.name for column in table.columns if column.info.get("immovable")}
    assert refused - {*KEYS} == {*REFUSED.get(table.name, ()), *immovable}


def is_another_way_back(column: Column[Any], row: Mapping[str, Any]) -> bool:
    """Whether to set the old value again is another kind of edit: of none to one, of a state, of a flag."""
    return row[column.name] is None or "values" in column.info or isinstance(column.type, Boolean)


def test_exceptions_are_sentences_that_clients_read() -> None:
    paths = openapi(ENDPOINTS, base_url="http://127.0.0.1:8000")["paths"].values()
    said = {path["get"]["operationId"]: path["get"]["description"] for path in paths}
    of_some = [*EXCEPTIONS, DELETED_PEOPLE, RETAINED]
    assert len(of_some) + len(MOVES) <= 10
    # Behind the name of the field of an operation.
    ends = [each.rpartition("{}")[2] for each in of_some]
    assert [each for each in ends if each not in " ".join(said.values())] == []
    assert [each for each in (*MOVES, *NAMED_BY) if OTHERWISE[each] not in said[each]] == []


HISTORIES = range(*(int(each) for each in os.environ.get("HISTORIES", f"0 {examples(4)}").split()))
"""Those that are tried."""

POLLS, EDITS = 8, 4
"""Polls of a history, and the most edits between two."""


@pytest.mark.parametrize("seed", HISTORIES)
async def test_poller_has_what_a_full_read_returns(seed: int, poller: EditedClient) -> None:
    history = History(poller.editor, random.Random(f"history {seed}"))

    def edit() -> None:
        for _ in range(history.dice.randint(1, EDITS)):
            history.edit()

    for _ in range(POLLS):
        history.said.clear()
        different = {
            name: rows for name, rows in (await poller.after(edit, polls_all=True)).items() if name not in MOVES
        }
        assert different == {}, "\n".join(history.said)


STEPS = 40


class Writer:
    """A connection that edits rows in transactions of its own."""

    def __init__(self, connection: Connection, world: World, dice: random.Random) -> None:
        self._connection, self._world, self._dice = connection, world, dice
        self.since: datetime | None = None
        """The start of the open transaction."""

    def edit(self) -> None:
        """Change a row, unless the other transaction or a constraint prevents it."""
        editor = Editor(self._connection, self._world)
        if self.since is None:
            self.since = editor.now()
            self._connection.execute(text("SET LOCAL lock_timeout = '20ms'"))
        History(editor, self._dice, kinds=("change", "move", "delete", "restore", "insert")).edit()

    def commit(self) -> None:
        self._connection.commit()
        self.since = None


@pytest.fixture
def connections(owner_url: str) -> Iterator[list[Connection]]:
    engine = connect(owner_url)
    with ExitStack() as stack:
        yield [stack.enter_context(engine.connect()) for _ in range(3)]


@pytest.mark.parametrize("seed", range(examples(1)))
async def test_poller_sees_late_commits(seed: int, rows: Rows, client: Connect, connections: list[Connection]) -> None:
    world, dice, clock = build(rows, "O"), random.Random(f"order {seed}"), connections.pop()
    rows.quota(world.organization_id, 1_000_000)
    writers = [Writer(connection, world, dice) for connection in connections]
    http = client(world.key)
    views = [view for view in views_of(world, limit="3") if view.endpoint.operation not in MOVES]
    poller = Client(over_http(http), world, views)
    await poller.begin()
    since: datetime = clock.execute(text("SELECT clock_timestamp()")).scalar_one()

    async def poll() -> None:
        """Poll since the start of the last poll, and of the transactions that were open then."""
        nonlocal since
        # Transactions of writers are seconds long; a minute of overlap covers them, and their starts do so here.
        began: datetime = clock.execute(text("SELECT clock_timestamp()")).scalar_one()
        started = [writer.since for writer in writers if writer.since is not None]
        await poller.poll(since, views)
        since = min([began, *started])

    for _ in range(STEPS):
        match dice.randrange(5):
            case 0:
                dice.choice(writers).commit()
            case 1:
                await poll()
            case _:
                dice.choice(writers).edit()
    for writer in dice.sample(writers, len(writers)):
        writer.commit()
        await poll()
    assert await poller.differences(views) == {}


def test_every_list_can_be_polled_or_says_why_not() -> None:
    lists = [endpoint for endpoint in ENDPOINTS if endpoint.envelope != SINGLE]
    others = {each.operation for each in lists if "updated_since" not in each.query_names}
    people = {each.operation for each in lists if "include_deleted" not in each.query_names} - others
    assert others <= OTHERWISE.keys()
    assert people - OTHERWISE.keys() == {"listTimeActivityReport", "listAppReports", "listUrlReports"}
