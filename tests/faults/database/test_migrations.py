"""`orgdata migrate` beside an open writer and beside a dump: it waits, and no request fails meanwhile."""

import threading
from pathlib import Path

import psycopg
import pytest

from db.admin.engine import connect
from db.admin.migrate import migrate
from tests.db.migrations.later_revision import add_revision
from tests.factories.rows import Rows
from tests.faults.database.cluster import make_tenant
from tests.faults.database.traffic import TeamsClient, Traffic
from tests.faults.service import serving

pytestmark = pytest.mark.fault

UPGRADE = """
op.execute("ALTER TABLE teams ADD COLUMN motto text")
op.execute("ALTER TABLE api_keys ADD COLUMN motto text")
"""


@pytest.mark.parametrize(
    "holding",
    ["UPDATE api_keys SET label = label", "LOCK TABLE teams, api_keys IN ACCESS SHARE MODE"],
    ids=["writer", "dump"],
)
def test_no_request_fails_while_a_migration_waits(
    holding: str, own_url: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_revision(tmp_path, monkeypatch, UPGRADE)
    rows = Rows(connect(own_url))
    tenant = make_tenant(rows, "First")
    unknown_keys = [rows.partner_key(tenant.id) for _ in range(40)]
    rows.connection.close()
    said: list[str] = []
    waited = threading.Event()

    def step(sentence: str) -> None:
        said.append(sentence)
        if len(said) == 3:
            waited.set()

    with (
        serving(folder, database_url=own_url, quota_limit="1000000") as running,
        psycopg.connect(own_url) as holder,
        connect(own_url).connect() as connection,
        Traffic(running, [tenant]) as traffic,
    ):
        holder.execute(holding.encode())
        migration = threading.Thread(target=migrate, args=(connection,), kwargs={"step": step})
        migration.start()
        with TeamsClient(running, tenant) as asking:
            answers = [asking.teams(unknown_keys.pop()) for _ in range(20)]
            assert waited.wait(60)
            answers += [asking.teams(unknown_keys.pop()) for _ in range(5)]
            holder.rollback()
            migration.join(60)
            answers += [asking.teams(unknown_keys.pop()) for _ in range(5)]
        traffic.wait_for(20)
        with psycopg.connect(own_url) as later:
            assert later.execute("SELECT version_num FROM alembic_version").fetchall() == [("9999",)]
    assert set(traffic.counts()) == {200}
    assert {answer.status for answer in answers} == {200}
