"""An organization with random references, and with deleted rows in all tables. Modules may have other worlds."""

from collections.abc import Iterator

import pytest

from db.sample.embedded.server import Server
from tests.factories.rows import Rows
from tests.helpers.databases import superuser_of
from tests.schema.values import varied_world
from tests.world import World

ROWS = 10
"""Rows of each table."""


@pytest.fixture(scope="package")
def world(rows: Rows, owner_url: str, server: Server) -> Iterator[World]:
    with superuser_of(server, owner_url) as superuser:
        yield varied_world.build(rows, superuser, ROWS, seed=18)
