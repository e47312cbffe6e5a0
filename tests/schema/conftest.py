"""An organization with random references, and with deleted rows in all tables. Modules may have other worlds."""

from collections.abc import Iterator

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from db.sample.embedded.server import Server
from tests.factories.rows import Rows
from tests.schema.values import varied_world
from tests.world import World

ROWS = 10
"""Rows of each table."""


@pytest.fixture(scope="package")
def world(rows: Rows, owner_url: str, server: Server) -> Iterator[World]:
    database = str(conninfo_to_dict(owner_url)["dbname"])
    with psycopg.connect(server.url("postgres", database), autocommit=True) as superuser:
        yield varied_world.build(rows, superuser, ROWS, seed=18)
