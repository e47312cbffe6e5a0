"""What tests run on: one real PostgreSQL a run, a migrated database, the service over it."""

import gc
import re
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import httpx2 as httpx
import hypothesis
import psycopg
import pytest
from psycopg import sql
from sqlalchemy import Engine

from db.admin.engine import connect
from db.admin.migrate import migrate
from db.sample.embedded.database import OWNER, ensure_database
from db.sample.embedded.server import Server
from rest_facade.composition import Service, build_service
from rest_facade.settings import Settings, load
from rest_facade.telemetry import logging as log
from tests import property_tests
from tests.factories.rows import Rows
from tests.generate.migrated import missing_revision
from tests.helpers.folders import open_folder

BASE_URL = "http://testserver"
TEMPLATE = "template_migrated"

MEMORY = Path("/dev/shm")
MEMORY_NEEDED = 4 << 30
"""Bytes that must be free in `MEMORY` before a server is kept there; one grows to less than half of it."""

MARKED = re.compile(r"^pytestmark = \[?pytest\.mark\.(\w+)", re.MULTILINE)
"""The mark of all tests of a module."""

_numbers = count(1)

# `make fuzz` names another profile, which pytest loads after this and before it imports the tests.
hypothesis.settings.load_profile(property_tests.FIXED)

# What is imported and collected stays: collections of garbage that go through it take half of the time of collecting.
gc.disable()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the modules without a test that `-m` selects, unless they are named: what they import takes seconds."""
    named = {config.invocation_params.dir / argument.partition("::")[0] for argument in config.args}
    if not collection_path.match("test_*.py") or collection_path in named:
        return None
    text, marks = collection_path.read_text(), config.option.markexpr
    if marks.isidentifier() and any(f"not {marks}" in each for each in config.getini("addopts")):
        # A run of its own, such as `-m process`.
        return None if f"mark.{marks}" in text else True
    mark = MARKED.search(text)
    return True if mark is not None and f"not {mark[1]}" in marks else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--postgres", type=Path, help="folder of another PostgreSQL's initdb, instead of the wheel's")


@pytest.fixture(scope="session", autouse=True)
def _log() -> None:
    log.configure()


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


def server_parent() -> Path | None:
    """The folder of temporary servers: in memory if it has room, where databases are copied 15 times faster."""
    return MEMORY if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free >= MEMORY_NEEDED else None


@pytest.fixture(scope="session")
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """The embedded server of this run. Not under pytest's own folder, which another user could not enter."""
    options = {"fsync": "off", "synchronous_commit": "off", "max_connections": "200"}
    binaries = request.config.getoption("--postgres")
    with open_folder(server_parent()) as folder, Server(folder, binaries=binaries, options=options) as server:
        yield server


@pytest.fixture(scope="session")
def template(server: Server) -> str:
    """The name of a migrated, empty database that others are copied from."""
    with connect(ensure_database(server, TEMPLATE)).connect() as connection:
        migrate(connection)
        sentence = missing_revision(connection)
    if sentence is not None:
        pytest.fail(sentence, pytrace=False)
    return TEMPLATE


@contextmanager
def _copy(server: Server, template: str) -> Iterator[str]:
    name = f"copy_{next(_numbers)}"
    with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
        words = map(sql.Identifier, (name, template, OWNER))
        # Files are copied in half of the CPU time that a log of their pages takes.
        connection.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {} OWNER {} STRATEGY file_copy").format(*words))
        # A copy has the rights of a new database on itself.
        for right in (
            "REVOKE TEMPORARY ON DATABASE {} FROM PUBLIC",
            "GRANT TEMPORARY ON DATABASE {} TO orgdata_writer",
        ):
            connection.execute(sql.SQL(right).format(sql.Identifier(name)))
        yield server.url(OWNER, name)
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture(scope="session")
def owner_url(server: Server, template: str) -> Iterator[str]:
    """The database that most tests share; each makes organizations of its own in it."""
    with _copy(server, template) as url:
        yield url


@pytest.fixture
def own_url(server: Server, template: str) -> Iterator[str]:
    """A migrated, empty database for one test alone."""
    with _copy(server, template) as url:
        yield url


@pytest.fixture
def owner_engine(own_url: str) -> Engine:
    """The owner's engine on `own_url`."""
    return connect(own_url)


@pytest.fixture(scope="session")
def rows(owner_url: str) -> Iterator[Rows]:
    """Makes rows in the shared database."""
    rows = Rows(connect(owner_url))
    yield rows
    rows.connection.close()


@pytest.fixture
def database(own_url: str) -> Iterator[Rows]:
    """Makes rows in the database of this test alone."""
    rows = Rows(connect(own_url))
    yield rows
    rows.connection.close()


@pytest.fixture(scope="session")
def settings() -> Settings:
    return load({"signing_keys": "a signing key of the tests"})


@pytest.fixture(scope="session")
async def service(owner_url: str, settings: Settings, anyio_backend: str) -> AsyncIterator[Service]:
    """The service over the shared database. Quotas are per organization and throttles per address: use fresh ones."""
    service = build_service(settings, url=owner_url, base_url=BASE_URL)
    async with service.running():
        yield service


Connect = Callable[..., httpx.AsyncClient]


@pytest.fixture
def client(service: Service) -> Connect:
    """`client(key)`: an HTTP client of the public listener, from an address of its own, without a network."""

    def connect(key: str | None = None, address: str | None = None, of: Service = service) -> httpx.AsyncClient:
        number = next(_numbers)
        peer = address or f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
        return httpx.AsyncClient(
            transport=httpx.ASGITransport(of.public, client=(peer, 1)),
            base_url=BASE_URL,
            headers={} if key is None else {"X-SERVICE-API-KEY": key},
        )

    return connect
