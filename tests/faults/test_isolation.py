"""Tenancy under load: fifty organizations ask at once, and no response has a row of another one."""

from pathlib import Path

import pytest

from tests.faults.crowd import build_crowd, run_clients
from tests.faults.service import serving
from tests.faults.store import Store

pytestmark = pytest.mark.fault


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
        result = await run_clients(made, *ports, rows=100_000, seconds=120)
    result.assert_isolated(rows=100_000)
