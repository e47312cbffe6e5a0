"""Transactions that commit out of order: a client that polls has in the end what a full read has.

Two connections edit rows at the same time, and pages have a few rows.
"""

import random
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import datetime

import pytest
from sqlalchemy import Connection, text

from db.admin.engine import connect
from rest_facade.openapi.polling import OTHERWISE
from rest_facade.rest.envelopes import SINGLE
from rest_facade.v1 import ENDPOINTS
from tests.conftest import Connect
from tests.factories.rows import Rows
from tests.polling.asking import over_http
from tests.polling.column_edits import Editor
from tests.polling.copies import MOVES, Client, views_of
from tests.polling.history import History
from tests.property_tests import examples
from tests.world import World, build

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
