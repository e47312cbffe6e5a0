"""The commands of operators over distributed tables: each once, with the same result as over a plain server.

Covers `db/jobs/distribution/` and `rest_facade/commands/database.py`.
"""

import json
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from db.admin.engine import connect
from db.admin.migrate import head
from db.admin.triggers.declared import row_triggers
from db.migrations.security import OWN
from db.sample.embedded.database import OWNER
from db.tables.columns import metadata
from rest_facade.settings import Settings
from tests.citus.cluster import Cluster
from tests.citus.conftest import Orgdata, missing
from tests.conftest import BASE_URL
from tests.db.jobs.importing.detailed_reports.reports import TOGGL_HEADER, toggl_line
from tests.rest_facade.graphql.client import varied

pytestmark = [pytest.mark.citus, missing, pytest.mark.usefixtures("distributed")]

STUDIO = sorted((Path(__file__).parents[2] / "examples" / "studio").glob("*.csv"))


@pytest.fixture
def studio(orgdata: Orgdata) -> str:
    """A new organization without rows."""
    created = orgdata("organizations", "create", "--name=Studio", "--timezone=Europe/Berlin", "--currency=EUR")
    return created.strip()


async def status_of(cluster: Cluster, settings: Settings, key: str) -> list[int]:
    """The status of a list through each node, from services that have not seen the key before."""
    found = []
    for node in cluster.nodes:
        async with varied(settings, node.url(OWNER)) as service:
            transport = httpx.ASGITransport(service.public, client=("10.0.0.2", 1))
            async with httpx.AsyncClient(transport=transport, base_url=BASE_URL) as http:
                found.append((await http.get("/v1/teams/", headers={"X-SERVICE-API-KEY": key})).status_code)
    return found


def exported(folder: Path) -> dict[str, list[bytes]]:
    """The lines of an export's files of rows, sorted: rows come as the server stores them."""
    files = [path for path in folder.iterdir() if path.name not in ("manifest.json", "state.json")]
    return {path.name: sorted(path.read_bytes().splitlines()) for path in files}


def test_export_restored_into_the_cluster_is_exported_the_same(orgdata: Orgdata, own_url: str, tmp_path: Path) -> None:
    own = orgdata("seed", "--members=12", "--days=9", url=own_url).split()[-1]
    orgdata("export", "--organization", own, "--to", tmp_path / "plain", url=own_url)
    orgdata("import", "--organization", own, "--restore", tmp_path / "plain")
    orgdata("export", "--organization", own, "--to", tmp_path / "distributed")
    plain = exported(tmp_path / "plain")
    assert len(plain) > 20
    assert exported(tmp_path / "distributed") == plain
    refused = orgdata("import", "--organization", own, "--restore", tmp_path / "plain", code=1)
    assert "restore into a new one" in refused


def test_seed_makes_the_same_numbers_of_rows(orgdata: Orgdata, own_url: str, tmp_path: Path) -> None:
    rows = []
    for name, options in (("plain", {"url": own_url}), ("distributed", {})):
        own = orgdata("seed", "--members=12", "--days=9", **options).split()[-1]
        orgdata("export", "--organization", own, "--to", tmp_path / name, **options)
        manifest = json.loads((tmp_path / name / "manifest.json").read_text())
        rows.append({resource: found["rows"] for resource, found in manifest["resources"].items()})
    assert rows[0] == rows[1]
    assert rows[0]["activity_slots"] > 500


def test_import_merges_and_replaces(orgdata: Orgdata, studio: str, tmp_path: Path) -> None:
    first = orgdata("import", "--organization", studio, *STUDIO)
    assert "timesheets\t33 new\t0 changed\t0 deleted" in first
    again = orgdata("import", "--organization", studio, *STUDIO)
    lines = [line for line in again.splitlines() if line.endswith(" unchanged")]
    assert len(lines) == 9
    assert all("\t0 new\t0 changed\t0 deleted\t" in line for line in lines)
    checks = [found["check"] for found in findings(orgdata, studio)]
    assert [name for name in checks if "-older-than-" in name] == [], "rows move that show imported ones"
    orgdata("export", "--organization", studio, "--to", tmp_path / "first")
    clients = tmp_path / "clients.csv"
    lines = (STUDIO[0].parent / "clients.csv").read_text().splitlines()
    clients.write_text("\n".join(lines[:2]) + "\n")
    replaced = orgdata("import", "--organization", studio, "--replace", clients)
    assert replaced.startswith(f"clients\t0 new\t0 changed\t{len(lines) - 2} deleted")
    orgdata(
        "export", "--organization", studio, "--to", tmp_path / "second", "--since", tmp_path / "first" / "state.json"
    )
    changed = exported(tmp_path / "second")
    deleted = [json.loads(line) for line in changed["clients.ndjson"]]
    assert sum(row["deleted_at"] is not None for row in deleted) == len(lines) - 2


def findings(orgdata: Orgdata, own: str) -> list[dict[str, Any]]:
    """What the doctor says of an organization. The servers of the tests write without fsync, which is an error."""
    found: list[dict[str, Any]] = json.loads(orgdata("doctor", "--json", "--organization", own, code=1))["findings"]
    return found


def test_report_of_a_time_tracker_is_imported_once(orgdata: Orgdata, studio: str, tmp_path: Path) -> None:
    report = tmp_path / "report.csv"
    lines = [toggl_line(f"2026-03-{day} 09:00:00", f"2026-03-{day} 10:30:05", "01:30:05") for day in (27, 28)]
    report.write_text("\n".join([TOGGL_HEADER, *lines]))
    first = orgdata("import", "--organization", studio, "--from", "toggl", report)
    assert "timesheets\t2 new\t0 changed\t0 deleted\t0 unchanged" in first
    again = orgdata("import", "--organization", studio, "--from", "toggl", report)
    assert "timesheets\t0 new\t0 changed\t0 deleted\t2 unchanged" in again


def test_refused_import_writes_nothing(orgdata: Orgdata, studio: str, tmp_path: Path) -> None:
    teams = tmp_path / "teams.csv"
    teams.write_text("name,is_active\nOne,true\nTwo,perhaps\n")
    assert "is_active" in orgdata("import", "--organization", studio, teams, code=1)
    orgdata("export", "--organization", studio, "--to", tmp_path / "export")
    assert json.loads((tmp_path / "export" / "manifest.json").read_text())["resources"]["teams"]["rows"] == 0


async def test_key_works_until_revoked(cluster: Cluster, orgdata: Orgdata, unlimited: Settings, studio: str) -> None:
    key = orgdata("keys", "create", "--purpose=partner", "--organization", studio).strip()
    public_id = key.split("_")[2]
    assert await status_of(cluster, unlimited, key) == [200, 200, 200]
    rotated = orgdata("keys", "rotate", public_id).strip()
    assert await status_of(cluster, unlimited, key) == [401, 401, 401]
    assert await status_of(cluster, unlimited, rotated) == [200, 200, 200]
    assert public_id in orgdata("keys", "list", "--organization", studio)
    orgdata("organizations", "suspend", studio)
    assert await status_of(cluster, unlimited, rotated) == [401, 401, 401]
    orgdata("organizations", "resume", studio)
    assert await status_of(cluster, unlimited, rotated) == [200, 200, 200]
    orgdata("keys", "revoke", rotated.split("_")[2])
    assert await status_of(cluster, unlimited, rotated) == [401, 401, 401]


async def test_quota_limits_requests(cluster: Cluster, orgdata: Orgdata, unlimited: Settings, studio: str) -> None:
    orgdata("quotas", "set", "--organization", studio, "--limit=1")
    assert studio in orgdata("quotas", "list")
    key = orgdata("keys", "create", "--purpose=partner", "--organization", studio).strip()
    async with (
        varied(unlimited, cluster.workers[0].url(OWNER)) as service,
        httpx.AsyncClient(transport=httpx.ASGITransport(service.public), base_url=BASE_URL) as http,
    ):
        answers = [await http.get("/v1/teams/", headers={"X-SERVICE-API-KEY": key}) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 429]
    orgdata("quotas", "clear", "--organization", studio)
    assert studio not in orgdata("quotas", "list")


def test_old_activity_is_dropped_and_a_person_erased(orgdata: Orgdata, tmp_path: Path) -> None:
    own = orgdata("seed", "--members=4", "--days=5").split()[-1]
    dropped = orgdata("retain", "--organization", own, "--objects", tmp_path / "dropped")
    assert "dropped" in dropped
    orgdata("export", "--organization", own, "--to", tmp_path / "export", "--resource=members")
    member = json.loads((tmp_path / "export" / "members.ndjson").read_text().splitlines()[0])
    erased = orgdata(
        "erase", "--organization", own, "--user", member["user_id"], "--force", "--objects", tmp_path / "erased"
    )
    assert "members\t1 changed" in erased
    orgdata("export", "--organization", own, "--to", tmp_path / "after", "--resource=members")
    assert member["email"] not in (tmp_path / "after" / "members.ndjson").read_text()


def test_deleted_organization_leaves_no_row(cluster: Cluster, orgdata: Orgdata, tmp_path: Path) -> None:
    own, other = (orgdata("seed", "--members=12", "--days=9").split()[-1] for _ in range(2))
    orgdata("export", "--organization", other, "--to", tmp_path / "before")
    name = json.loads(orgdata("organizations", "show", own))["name"]
    orgdata("organizations", "suspend", own)
    receipt = orgdata("organizations", "delete", own, "--name", name, "--objects", tmp_path / "objects", "--yes")
    assert "organizations\t1" in receipt
    for table in metadata.sorted_tables:
        if OWN in table.c:
            assert cluster.nodes[0].run(f"SELECT count(*) FROM {table.name} WHERE {OWN} = '{own}'") == [(0,)], (
                table.name
            )
    orgdata("export", "--organization", other, "--to", tmp_path / "after")
    assert exported(tmp_path / "after") == exported(tmp_path / "before")


def test_doctor_finds_no_error_of_distribution(orgdata: Orgdata) -> None:
    findings = json.loads(orgdata("doctor", "--json", code=1))["findings"]
    errors = [each for each in findings if each["severity"] == "error" and each["organization_id"] is None]
    # The servers of the tests write without fsync.
    assert [each["check"] for each in errors] == ["setting-fsync"]
    assert [each for each in findings if each["unfinished"]] == []


def test_revision_is_applied_to_distributed_tables(cluster: Cluster, orgdata: Orgdata) -> None:
    cluster.nodes[0].run("UPDATE alembic_version SET version_num = '0026'")
    assert orgdata("migrate") == f"The database is at revision {head()}.\n"


def test_migrate_and_distribute_again_change_nothing(cluster: Cluster, orgdata: Orgdata) -> None:
    triggers = "SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal AND tgname NOT LIKE '%truncate%'"
    before = cluster.coordinator.run(triggers)
    assert "The database is at revision" in orgdata("migrate")
    assert orgdata("distribute") == "All tables are distributed already.\n"
    assert orgdata("distribute", "--dry-run") == "All tables are distributed already.\n"
    assert cluster.coordinator.run(triggers) == before
    assert before[0][0] >= len(list(row_triggers()))


def test_new_column_reaches_all_nodes(cluster: Cluster) -> None:
    for command in ("ADD COLUMN tried int", "DROP COLUMN tried"):
        cluster.coordinator.transact(f"ALTER TABLE teams {command}", role=OWNER)


def test_tenant_table_of_a_later_version_is_distributed_again(cluster: Cluster, orgdata: Orgdata) -> None:
    # As `migrate` of a later version leaves it: a plain table, whose keys refer to distributed ones.
    table = metadata.tables["leave_application_days"]
    names = ", ".join(table.columns.keys())
    cluster.coordinator.run("CREATE SCHEMA kept", f"CREATE TABLE kept.rows AS SELECT {names} FROM {table.name}")
    with connect(cluster.owner_url).begin() as connection:
        table.drop(connection)
        table.create(connection)
        connection.exec_driver_sql(f"ALTER TABLE {table.name} ENABLE ROW LEVEL SECURITY")
        connection.exec_driver_sql(f"ALTER TABLE {table.name} FORCE ROW LEVEL SECURITY")
        connection.exec_driver_sql(f"CREATE POLICY tenant ON {table.name} USING ({OWN})")
    orgdata("migrate")
    assert orgdata("distribute", "--dry-run") == f"{table.name}: by organization_id\n"
    assert orgdata("distribute") == f"{table.name}: by organization_id\n"
    assert orgdata("distribute") == "All tables are distributed already.\n"
    back = f"INSERT INTO {table.name} ({names}) SELECT {names} FROM kept.rows"
    cluster.coordinator.run(back, "DROP SCHEMA kept CASCADE")


def test_distribution_of_a_plain_server_is_refused(orgdata: Orgdata, own_url: str) -> None:
    assert "is not in a Citus cluster" in orgdata("distribute", code=1, url=own_url)
