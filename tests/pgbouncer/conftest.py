"""Fixtures of the tests behind PgBouncer, which are skipped where it is missing, and what a transaction has there."""

from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import String, cast, func, select

from db.reading.database import Database
from db.reading.statement import Statement
from db.sample.embedded.server import Server
from tests.db.reading import recording
from tests.faults.conftest import folder as folder  # noqa: PLC0414 - fixtures
from tests.pgbouncer.pooler import Pooler, find_pgbouncer

SIZE = 3
"""PgBouncer's connections to the server."""

missing = pytest.mark.skipif(find_pgbouncer() is None, reason="There is no pgbouncer on PATH.")

Opened = Callable[..., AbstractAsyncContextManager[Database]]


@pytest.fixture
def pooler(server: Server, folder: Path) -> Iterator[Pooler]:
    with Pooler(server, folder, size=SIZE) as pooler:
        yield pooler


@pytest.fixture
def opened(pooler: Pooler, own_url: str) -> Opened:
    """`opened()`: a database at `own_url` through PgBouncer, with more connections than PgBouncer has to the server."""
    return partial(recording.opened, pooler.url(own_url), prepare_threshold=None, size=2 * SIZE)


SETTINGS = "transaction_read_only timezone statement_timeout jit client_connection_check_interval".split()
SESSION = Statement(
    select(func.current_user()).add_columns(
        *(cast(func.current_setting(name), String).label(name) for name in SETTINGS)
    )
)
UNKNOWN_ORGANIZATION = uuid4()


async def settings_of(database: Database) -> tuple[str, ...]:
    """The role and the settings of a transaction."""
    ((row,),) = await database.read_rows(UNKNOWN_ORGANIZATION, [(SESSION, {})])
    return tuple(row)
