"""Restored exports: an organization answers as before, in another database or under another id."""

import shutil
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from uuid import UUID, uuid4

import orjson
import pytest
from sqlalchemy import text

from db.admin.engine import connect
from db.admin.keys import set_organization
from db.errors import OperatorError
from db.jobs.exporting.export_run import export_rows
from db.jobs.exporting.exported_rows import ExportedRows
from db.jobs.exporting.manifest import ExportFormat
from db.jobs.importing.files.import_file import find_files
from db.jobs.importing.import_run import import_rows
from db.jobs.importing.import_table import IMPORT_TABLES
from db.jobs.importing.merging.merge import TableChanges
from db.jobs.importing.restore import restore
from db.tables.people import organizations
from rest_facade.commands.exports.export_rows import exported_resources
from rest_facade.composition import Service, build_service
from rest_facade.rest.envelopes import Offset
from rest_facade.settings import Settings
from rest_facade.v1 import ENDPOINTS
from tests.conftest import BASE_URL, Connect
from tests.db.jobs.exporting.conftest import rows_of
from tests.factories.rows import Rows
from tests.helpers.endpoint_calls import url_of
from tests.world import World, build, named

CHANGES = (
    "UPDATE projects SET deleted_at = '2026-02-01T10:00:00.25Z' WHERE id = :project",
    "UPDATE members SET status = 'removed', removed_at = '2026-02-01T10:00:00Z' WHERE user_id = :user",
    """UPDATE teams SET name = E'a "b" \\\\n\\r\\t c', description = '' WHERE id = :team""",
    "UPDATE clients SET invoice_emails = '{a@example.com,\"b,c\"}' WHERE id = :client",
    "UPDATE invoice_lines SET amount = 12.3456",
)
"""Changes to a world that an import would not keep as they are."""


@pytest.fixture(scope="module")
def resources() -> Sequence[ExportedRows]:
    return exported_resources()


@pytest.fixture(scope="module")
def world(rows: Rows, owner_url: str) -> World:
    world = build(rows, "moved")
    ids = {noun: named(noun, 2) for noun in ("project", "team", "client", "user")}
    with connect(owner_url).begin() as connection:
        set_organization(connection, world.organization_id)
        for change in CHANGES:
            connection.execute(text(change), ids)
    rows.quota(world.organization_id, 1_000_000)
    return world


@pytest.fixture(scope="module")
def folder(
    owner_url: str, world: World, tmp_path_factory: pytest.TempPathFactory, resources: Sequence[ExportedRows]
) -> Path:
    """An export of the world."""
    folder = tmp_path_factory.mktemp("exported") / "all"
    export_rows(connect(owner_url), world.organization_id, resources, folder)
    return folder


@pytest.fixture
def copied(folder: Path, tmp_path: Path) -> Path:
    """A copy of the export that a test may damage."""
    return shutil.copytree(folder, tmp_path / "copied")


def run(url: str, organization_id: UUID, folder: Path) -> Sequence[TableChanges]:
    with connect(url).begin() as connection:
        return restore(connection, organization_id, folder)


def lines(url: str, organization_id: UUID, to: Path, resources: Sequence[ExportedRows]) -> Mapping[str, set[bytes]]:
    """The rows of an organization, as an export has them."""
    found = rows_of(to, export_rows(connect(url), organization_id, resources, to))
    return {name: set(map(orjson.dumps, rows)) for name, rows in found.items() if name != "organizations"}


@pytest.fixture
async def moved(own_url: str, settings: Settings) -> AsyncIterator[Service]:
    """The service over a database without organizations."""
    service = build_service(settings, url=own_url, base_url=BASE_URL)
    async with service.running():
        yield service


async def test_every_operation_answers_the_same_bytes_in_another_database(
    world: World, folder: Path, own_url: str, database: Rows, moved: Service, client: Connect
) -> None:
    run(own_url, world.organization_id, folder)
    key = database.partner_key(world.organization_id)
    database.quota(world.organization_id, 1_000_000)
    async with client(world.key) as before, client(key, of=moved) as after:
        for endpoint in ENDPOINTS:
            names = {parameter.name for parameter in endpoint.query_parameters}
            queries = ["", "limit=2" if isinstance(endpoint.envelope, Offset) else ""]
            queries += ["updated_since=2026-01-01T00:00:00Z"] if "updated_since" in names else []
            queries += ["include_deleted=true"] if "include_deleted" in names else []
            for query in dict.fromkeys(queries):
                url = url_of(endpoint, world, query)
                old, new = await before.get(url), await after.get(url)
                assert old.status_code == 200, url
                assert new.content == old.content, url


def test_restored_copy_has_the_same_rows_under_another_id(
    world: World, folder: Path, owner_url: str, tmp_path: Path, resources: Sequence[ExportedRows]
) -> None:
    new = uuid4()
    changes = run(owner_url, new, folder)
    copy = lines(owner_url, new, tmp_path / "copy", resources)
    assert copy == lines(owner_url, world.organization_id, tmp_path / "original", resources)
    inserted = {change.table: change.inserted for change in changes}
    assert inserted == {"organizations": 1, **{name: len(rows) for name, rows in copy.items()}}


def test_created_organization_is_restored_with_times(world: World, folder: Path, owner_url: str, rows: Rows) -> None:
    new = rows.organization(name="Created")
    run(owner_url, new, folder)
    columns = ", ".join(column.name for column in organizations.columns if column.name != "organization_id")
    stored = text(f"SELECT {columns} FROM organizations WHERE organization_id = :id")
    with connect(owner_url).begin() as connection:
        (before,), (after,) = (connection.execute(stored, {"id": id_}) for id_ in (world.organization_id, new))
        assert after == before
        connection.execute(text("SELECT set_organization(:id)"), {"id": new})
        connection.execute(text("UPDATE organizations SET name = 'Changed'"))
        (changed,) = connection.execute(stored, {"id": new})
        assert changed.updated_at > after.updated_at, "the trigger is there again"


def test_operators_columns_stay_in_a_restored_organization(folder: Path, owner_url: str, rows: Rows) -> None:
    deleted_at = datetime(2026, 3, 1, tzinfo=UTC)
    new = rows.organization(name="Created", status="suspended", deleted_at=deleted_at)
    run(owner_url, new, folder)
    with connect(owner_url).begin() as connection:
        stored = text("SELECT name, status, deleted_at FROM organizations WHERE organization_id = :id")
        assert connection.execute(stored, {"id": new}).one() == ("moved-organization", "suspended", deleted_at)


def test_organization_with_rows_is_refused(world: World, folder: Path, owner_url: str) -> None:
    with pytest.raises(OperatorError, match=f"Organization {world.organization_id} has apps already"):
        run(owner_url, world.organization_id, folder)


def test_damaged_file_is_refused_and_nothing_written(copied: Path, owner_url: str) -> None:
    path = copied / "teams.ndjson"
    path.write_bytes(path.read_bytes().replace(b"moved", b"moves", 1))
    new = uuid4()
    with pytest.raises(OperatorError, match=r"teams\.ndjson is not as it was exported"):
        run(owner_url, new, copied)
    path.unlink()
    with pytest.raises(OperatorError, match=r"teams\.ndjson cannot be read: No such file or directory"):
        run(owner_url, new, copied)
    with connect(owner_url).begin() as connection:
        known = text("SELECT count(*) FROM organizations WHERE organization_id = :id")
        assert connection.scalar(known, {"id": new}) == 0


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('"schema_version": "', '"schema_version": "old', "is of schema version old"),
        ('"format": "ndjson"', '"format": "csv"', "has csv files: only an export in ndjson can be restored"),
        ('"updated_since": null', '"updated_since": "2026-01-01T00:00:00Z"', "has only what changed"),
        ('"teams": {', '"crews": {', "has no teams: only an export of everything can be restored"),
        ('"file": "teams.ndjson"', '"file": "../teams.ndjson"', "is not the name of a file in the folder"),
        ('"resource": "teams"', '"resource": "crews"', "has crews, which this version does not know"),
        ("{", "", "is not the manifest of an export"),
    ],
)
def test_other_exports_are_refused(copied: Path, owner_url: str, old: str, new: str, sentence: str) -> None:
    path = copied / "manifest.json"
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(OperatorError, match=sentence):
        run(owner_url, uuid4(), copied)


@pytest.mark.parametrize(
    ("resource", "in_file", "told", "sentence"),
    [
        ("teams", None, 7, r"teams\.ndjson has \d lines, and manifest.json says 7"),
        ("organizations", 2, 2, "has 2 organizations: an export has one"),
        ("organizations", 0, 0, "has 0 organizations: an export has one"),
        ("organizations", 2, 1, r"organizations\.ndjson has 2 lines, and manifest.json says 1"),
    ],
)
def test_other_number_of_lines_is_refused(
    copied: Path, owner_url: str, resource: str, in_file: int | None, told: int, sentence: str
) -> None:
    path, manifest = copied / f"{resource}.ndjson", copied / "manifest.json"
    if in_file is not None:
        path.write_bytes(path.read_bytes() * in_file)
    content = orjson.loads(manifest.read_bytes())
    content["resources"][resource]["rows"] = told
    for file in content["files"]:
        if file["resource"] == resource:
            file |= {"rows": told, "sha256": sha256(path.read_bytes()).hexdigest()}
    manifest.write_bytes(orjson.dumps(content))
    with pytest.raises(OperatorError, match=sentence):
        run(owner_url, uuid4(), copied)


def test_manifest_with_other_sums_is_refused(copied: Path, owner_url: str) -> None:
    path = copied / "manifest.json"
    content = orjson.loads(path.read_bytes())
    content["resources"]["teams"]["rows"] = 7
    path.write_bytes(orjson.dumps(content))
    with pytest.raises(OperatorError, match=r"manifest.json has 7 rows of teams, and files of \d"):
        run(owner_url, uuid4(), copied)


@pytest.mark.parametrize("format_", ExportFormat)
def test_import_reads_exported_files_as_they_are(
    world: World, owner_url: str, rows: Rows, tmp_path: Path, format_: ExportFormat
) -> None:
    tables = ("members", "teams", "clients", "projects", "tasks", "timesheets")
    resources = exported_resources(["organizations", *tables])
    export_rows(connect(owner_url), world.organization_id, resources, tmp_path / "all", format_)
    new = rows.organization()
    files = find_files([tmp_path / "all"])
    assert {file.table for file in files} == set(tables)
    with connect(owner_url).begin() as connection:
        changes = import_rows(connection, new, (item for file in files for item in file.rows())).tables
    assert all(change.inserted for change in changes)
    both = (world.organization_id, new)
    before, after = (rows_without_update(owner_url, own, tmp_path / str(own), resources) for own in both)
    assert after == before
    with connect(owner_url).begin() as connection:
        changes = import_rows(connection, new, (item for file in files for item in file.rows())).tables
    # The members of a world do not have the last_tracked_at of their timesheets.
    assert not [change for change in changes if change.table != "members" and (change.inserted or change.updated)]


def rows_without_update(
    url: str, own: UUID, to: Path, resources: Sequence[ExportedRows]
) -> Mapping[str, Mapping[str, Mapping[str, object]]]:
    """The rows by id, without what an import sets itself, or tidies up."""
    manifest = export_rows(connect(url), own, resources, to)
    by_database = {name for table in IMPORT_TABLES.values() for name in table.read_over}
    left_out = {*by_database, "last_tracked_at", "description", "name"}
    return {
        name: {
            row.get("id", row.get("user_id")): {key: value for key, value in row.items() if key not in left_out}
            for row in rows
        }
        for name, rows in rows_of(to, manifest).items()
        if name != "organizations"
    }
