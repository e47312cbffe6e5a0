"""Tenancy under load: fifty organizations, two workers, three sessions of PgBouncer."""

from pathlib import Path
from typing import Any

import pytest

from tests.faults.crowd import build_crowd, run_clients
from tests.faults.service import serving
from tests.faults.store import Store
from tests.pgbouncer.conftest import missing
from tests.pgbouncer.pooler import Pooler

pytestmark = [pytest.mark.pgbouncer, missing]

LARGE: Any = {"prepare_threshold": "", "quota_limit": "1000000", "graphql_quota": "1000000", "pool_size": "4"}


async def test_no_foreign_row_under_load(own_url: str, pooler: Pooler, folder: Path, tmp_path: Path) -> None:
    made = build_crowd(own_url)
    with (
        Store(tmp_path) as store,
        serving(folder, "--workers=2", database_url=pooler.url(own_url), quota_store=store.url, **LARGE) as service,
    ):
        ports = [int(address.rpartition(":")[2]) for address in (service.public, service.internal)]
        result = await run_clients(made, *ports, rows=100_000, seconds=120)
    result.assert_isolated(rows=100_000)
