"""Clients that poll an organization while its rows change: in the end they have what a full read has.

One client polls all the time. The other one read everything a week ago, and polls once, at the end.
"""

import asyncio
import random
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import httpx2 as httpx
from sqlalchemy import Engine, text
from sqlalchemy.exc import SQLAlchemyError

from db.admin.engine import connect
from rest_facade.rest.endpoint import Endpoint
from tests.factories.rows import Rows
from tests.polling.asking import Ask, OpenTransaction, Page, over_http
from tests.polling.column_edits import TABLES, Editor
from tests.polling.copies import MOVES, Client, View, views_of
from tests.polling.history import History
from tests.world import World, build

OVERLAP = timedelta(minutes=1)
"""How far before `X-Data-As-Of` a client polls: transactions commit later than their rows are stamped."""

AWAY = timedelta(days=7)
EDITS_BEFORE = 300
"""The edits of the week in which the one client is away."""

PAUSE_SECONDS = 5.0
"""Seconds between two polls."""

RETRY_SECONDS = 0.5

BACKDATE = """
UPDATE {table} SET updated_at = updated_at - :away, created_at = least(created_at, updated_at - :away),
                   deleted_at = deleted_at - :away
WHERE organization_id = :own AND updated_at >= :since
"""


@dataclass
class PollingResult:
    """How many edits and polls there were, and the rows that each client had in the end: in all, and otherwise."""

    edits: int = 0
    polls: int = 0
    failures: list[tuple[float, str]] = field(default_factory=list)
    """What was asked again: seconds from the start, and the status."""
    rows: dict[str, int] = field(default_factory=dict)
    different: dict[str, int] = field(default_factory=dict)


@dataclass
class PolledWorld:
    """An organization, and a client that read it a week ago. `dice` are those of its edits."""

    world: World
    away: Client
    away_since: datetime
    dice: random.Random


def polled_world(url: str, superuser_url: str) -> PolledWorld:
    """Make an organization, let a client read it, change rows, and move all that to the past by a week."""
    engine, dice = connect(url), random.Random(0)
    world = build(Rows(engine), "soak")
    with engine.connect() as connection:
        editor = Editor(connection, world)
        since = editor.now()
        transaction = OpenTransaction(connection, world.organization_id)
        away = Client(transaction.ask, world, _views(world))
        asyncio.run(away.begin())
        history = History(editor, dice)
        for _ in range(EDITS_BEFORE):
            history.edit()
        connection.commit()
    with connect(superuser_url).begin() as connection:
        connection.execute(text("SET LOCAL session_replication_role = replica"))
        for table in TABLES:
            values = {"away": AWAY, "own": world.organization_id, "since": since}
            connection.execute(text(BACKDATE.format(table=table.name)), values)
    return PolledWorld(world, away, since - AWAY, dice)


class Polling:
    """Edits and polls for some seconds, in a thread of its own."""

    def __init__(
        self, polled: PolledWorld, *, url: str, address: str, seconds: float, settle: Callable[[], object]
    ) -> None:
        self.result = PollingResult()
        self._polled, self._url, self._address, self._seconds = polled, url, address, seconds
        self._settle = settle
        """Waits until each host has all changes."""
        self._began = time.monotonic()
        self._as_of: datetime | None = None
        """The earliest X-Data-As-Of since the last poll began."""
        self.thread = threading.Thread(target=lambda: asyncio.run(self._run()), name="polling", daemon=True)

    async def _run(self) -> None:
        end = time.monotonic() + self._seconds
        world, engine = self._polled.world, connect(self._url)
        headers = {"X-SERVICE-API-KEY": world.key}
        async with httpx.AsyncClient(base_url=self._address, headers=headers, timeout=30) as http:
            ask = self._asking(http)
            steady = Client(ask, world, _views(world))
            await steady.begin()
            while time.monotonic() < end:
                self._edit(engine)
                await self._poll(steady)
                await asyncio.sleep(PAUSE_SECONDS)
            self._edit(engine)
            self._settle()
            await self._poll(steady)
            away = self._polled.away
            away.ask = ask
            await away.poll(self._polled.away_since - OVERLAP, away.views)
            for name, client in {"steady": steady, "away": away}.items():
                found = await client.differences(client.views)
                self.result.rows[name] = sum(len(view.rows) for view in client.views)
                self.result.different[name] = sum(len(rows) for rows in found.values())
                for view, rows in found.items():
                    print(f"polling: {name}: {view}: {rows}", flush=True)

    async def _poll(self, client: Client) -> None:
        assert self._as_of is not None
        since, self._as_of = self._as_of - OVERLAP, None
        await client.poll(since, client.views)
        self.result.polls += 1

    def _edit(self, engine: Engine) -> None:
        """Some edits in a transaction. Without a primary, there are none."""
        try:
            with engine.connect() as connection:
                history = History(Editor(connection, self._polled.world), self._polled.dice)
                for _ in range(self._polled.dice.randint(1, 4)):
                    history.edit()
                connection.commit()
                self.result.edits += len(history.said)
        except SQLAlchemyError as error:
            print(f"polling: no edits: {type(error).__name__}", flush=True)

    def _asking(self, http: httpx.AsyncClient) -> Ask:
        """Asks again what a fault prevented, and keeps the moment of the oldest data."""

        async def note(response: httpx.Response) -> None:
            if moment := response.headers.get("X-Data-As-Of"):
                self._as_of = min(filter(None, [self._as_of, datetime.fromisoformat(moment)]))

        http.event_hooks = {"response": [note]}
        once = over_http(http)

        async def ask(endpoint: Endpoint, ids: Mapping[str, str], params: Mapping[str, str]) -> Page | None:
            while True:
                try:
                    return await once(endpoint, ids, params)
                except (httpx.TransportError, httpx.HTTPStatusError) as error:
                    if isinstance(error, httpx.HTTPStatusError):
                        if error.response.status_code < 500:
                            raise
                        failure = time.monotonic() - self._began, str(error.response.status_code)
                        self.result.failures.append(failure)
                    await asyncio.sleep(RETRY_SECONDS)

        return ask


def _views(world: World) -> list[View]:
    return [view for view in views_of(world) if view.endpoint.operation not in MOVES]
