"""Tenancy under load: fifty organizations ask at once, and no response has a row of another one."""

from collections import Counter
from pathlib import Path

import pytest

from rest_facade.v1 import ENDPOINTS
from tests.faults.crowd import build_crowd, run_clients
from tests.faults.service import serving
from tests.faults.store import Store

pytestmark = pytest.mark.fault

ROWS = 100_000


async def test_no_row_of_another_organization_under_load(own_url: str, folder: Path, store: Store) -> None:
    made = build_crowd(own_url)
    with serving(
        folder,
        "--workers=2",
        database_url=own_url,
        quota_store=store.url,
        quota_limit="1000000",
        graphql_quota="1000000",
        pool_size="4",
    ) as service:
        ports = [int(address.rpartition(":")[2]) for address in (service.public, service.internal)]
        result = await run_clients(made, *ports, rows=ROWS, seconds=120)
    assert result.foreign == []
    assert result.rows >= ROWS
    assert result.aborted > 50
    assert result.answered == {"graphql", *(endpoint.operation for endpoint in ENDPOINTS)}
    assert result.failed == Counter()
