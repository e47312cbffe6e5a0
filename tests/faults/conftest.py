"""Fixtures of the fault tests: a folder that every user can read, a Redis, and an organization with a key."""

from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest

from tests.factories.rows import Rows
from tests.faults.service import Serving, serving
from tests.faults.store import Store
from tests.helpers.folders import open_folder


@pytest.fixture
def folder() -> Iterator[Path]:
    with open_folder() as folder:
        yield folder


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A Redis of this test alone."""
    with Store(tmp_path) as store:
        yield store


@pytest.fixture(scope="module")
def organization(rows: Rows) -> UUID:
    return rows.organization()


@pytest.fixture(scope="module")
def key(rows: Rows, organization: UUID) -> str:
    return rows.partner_key(organization)


@pytest.fixture(scope="module")
def service(owner_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A service whose log is quiet and whose clients may name another address."""
    folder = tmp_path_factory.mktemp("service")
    with serving(
        folder, database_url=owner_url, request_log="0", graphql_quota="1000000", trusted_proxies="127.0.0.0/8"
    ) as service:
        yield service
