"""A pytest plugin that records which tests read the wall clock: `make clock-readers` runs all tests with it.

A test reads the clock when, while it or a fixture of its own runs,

- code of this project calls a function of `time` or `datetime` that tells the time,
- a resolver uses the moment of its request (`Context.now`), which the real clock gave, or
- the database is sent a statement that says `now()` or the like: its log has all statements.

Not recorded are `EVERYDAY` reads, the `STAMP` of a changed row, defaults of columns, and what other processes read.
"""

import json
import re
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from types import BuiltinFunctionType, CodeType
from typing import Any

import psycopg
import pytest

from db.sample.embedded.server import Server
from resolvers import context

assert sys.version_info >= (3, 12), "make clock-readers needs sys.monitoring: Python 3.12 or newer"

ROOT = f"{Path(__file__).parents[2]}/"
FOREIGN = f"{ROOT}.venv/"
FUNCTIONS = {"now", "utcnow", "today", "time", "time_ns", "localtime", "gmtime"}
SQL_CLOCK = re.compile(
    r"\bnow\(\)|\bcurrent_(?:date|timestamp)\b|\blocaltimestamp\b|\b(?:statement|transaction|clock)_timestamp\(",
    re.IGNORECASE,
)
STATEMENT = re.compile(r"^(?:.*?LOG:  (?:statement|execute [^:]*): )(.*(?:\n\t.*)*)", re.MULTILINE)

EVERYDAY = {
    "rest_facade/rest/request_log.py": "the time of a line of the log",
    "rest_facade/access/quota.py": "the window of a quota",
    "rest_facade/access/rate_counter.py": "the window of a quota",
    "rest_facade/access/authentication.py": "the expiry of a key",
    "db/admin/keys.py": "the longest life of a new token",
    "tests/rest_facade/graphql/client.py": "the end of a token, one day later",
    "db/admin/organizations.py": "the time with which an identifier begins",
    "resolvers/context.py": "the moment of a request, before a resolver uses it",
    "db/reading/database.py": "the lag of a replica",
}
"""What reads the clock for every request. Tests of these modules read it elsewhere, too."""

EVERYDAY_SQL = re.compile(
    r"set_config\('app\.organization_id'|api_keys\.expires_at|^\s*CREATE |pg_is_in_recovery|^DO ", re.IGNORECASE
)
"""The start of each transaction, which asks for the moment of its data; keys; definitions; questions to replicas."""

STAMP = re.compile(
    r"\b(?:deleted|updated)_at ?= ?(?:greatest\()?(?:now|(?:statement|clock)_timestamp)\(\)", re.IGNORECASE
)
"""The time of a change in the row that changed. Triggers write it, too, and no log has what they do."""


class Recording:
    """What was read on behalf of each test, fixture and module."""

    def __init__(self) -> None:
        self.places: defaultdict[str, set[str]] = defaultdict(set)
        self.users: defaultdict[str, set[str]] = defaultdict(set)
        self.owners = ["collection"]
        self.log: Path | None = None
        self.position = 0

    def record(self, place: str) -> None:
        self.places[self.owners[-1]].add(place)

    def called(self, code: CodeType, offset: int, function: object, first: object) -> object:
        """The callback of `sys.monitoring` for each call; foreign code is not asked again."""
        file = code.co_filename
        if not file.startswith(ROOT) or file.startswith(FOREIGN) or file == __file__:
            return sys.monitoring.DISABLE
        if isinstance(function, BuiltinFunctionType) and function.__name__ in FUNCTIONS:
            source = function.__self__
            if source is time or (isinstance(source, type) and issubclass(source, date | datetime)):
                name = file.removeprefix(ROOT)
                if code.co_name == "<module>":
                    self.places[name].add(f"{name}:<module>")
                elif name not in EVERYDAY:
                    self.record(f"{name}:{code.co_name}")
        return None

    def read_log(self) -> None:
        """Record the statements that were sent since the last call."""
        if self.log is not None and self.log.exists():
            with self.log.open("rb") as log:
                log.seek(self.position)
                text = log.read().decode(errors="replace")
                self.position = log.tell()
            for match in STATEMENT.finditer(text):
                statement = STAMP.sub("", match[1])
                if (found := SQL_CLOCK.search(statement)) and not EVERYDAY_SQL.search(statement):
                    begin = max(0, found.start() - 60)
                    self.record(f"SQL: {' '.join(statement[begin : found.end()].split())}")

    def enter(self, owner: str) -> None:
        self.read_log()
        self.owners.append(owner)

    def leave(self) -> None:
        self.read_log()
        self.owners.pop()


recording = Recording()


def _now_of(self: context.Context) -> datetime:
    moment, is_real = self.__dict__["now"]
    if is_real:
        recording.record("a resolver: context.now")
    return moment  # type: ignore[no-any-return]


def _set_now(self: context.Context, moment: datetime) -> None:
    self.__dict__["now"] = (moment, context.clock is _CLOCK)


_CLOCK = context.clock


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--record-clock", type=Path, help="folder for what each process of pytest recorded")


def pytest_configure(config: pytest.Config) -> None:
    context.Context.now = property(_now_of, _set_now)  # type: ignore[assignment]
    monitoring, tool = sys.monitoring, sys.monitoring.PROFILER_ID
    monitoring.use_tool_id(tool, "clock readers")
    monitoring.register_callback(tool, monitoring.events.CALL, recording.called)
    monitoring.set_events(tool, monitoring.events.CALL)


@pytest.fixture(scope="session", autouse=True)
def _statements(server: Server) -> None:
    with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET log_statement = 'all'")
        connection.execute("SELECT pg_reload_conf()")
    recording.log = server.folder / "postgres.log"


def owner_of(fixture: pytest.FixtureDef[Any]) -> str:
    return f"{fixture.baseid}::{fixture.argname}"


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any]) -> Iterator[Any]:
    if fixturedef.scope == "function":
        return (yield)
    recording.enter("session" if fixturedef.scope == "session" else owner_of(fixturedef))
    try:
        return (yield)
    finally:
        recording.leave()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Function) -> Iterator[Any]:
    name = item.nodeid.partition("[")[0]
    recording.users[name].add(name.partition("::")[0])
    for fixtures in item._fixtureinfo.name2fixturedefs.values():
        recording.users[name] |= {owner_of(each) for each in fixtures if each.scope not in ("function", "session")}
    recording.enter(name)
    try:
        return (yield)
    finally:
        recording.leave()


def pytest_sessionfinish(session: pytest.Session) -> None:
    folder: Path | None = session.config.getoption("--record-clock")
    worker = getattr(session.config, "workerinput", {}).get("workerid", "main")
    if folder is not None and recording.users:
        found = {}
        for name, users in recording.users.items():
            if places := set().union(*(recording.places.get(owner, ()) for owner in (name, *users))):
                found[name] = sorted(places)
        (folder / f"{worker}.json").write_text(json.dumps(found, indent=1))
