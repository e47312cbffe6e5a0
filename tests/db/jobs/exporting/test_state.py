"""States: an export with the state of another one has what changed after it, and refuses any other state."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection, text

from db.admin.engine import connect
from db.admin.keys import set_organization
from db.errors import OperatorError
from db.jobs.exporting.exported_rows import EXPORTED_TABLES
from db.jobs.exporting.manifest import ExportFormat
from db.jobs.exporting.state import OVERLAP, ExportState, read_state
from tests.db.jobs.exporting.conftest import Export, rows_of
from tests.world import named

KEYS = {
    table.name: [column.name for column in table.primary_key if column.name != "organization_id"]
    for table in EXPORTED_TABLES
}

Tables = Mapping[str, Mapping[tuple[Any, ...], Mapping[str, Any]]]


def read(folder: Path, manifest: Any) -> Tables:
    """The rows of each resource by their keys."""
    found = rows_of(folder, manifest)
    return {name: {tuple(row[key] for key in KEYS[name]): row for row in rows} for name, rows in found.items()}


@pytest.fixture
def aged(owner: Connection) -> None:
    """All rows changed last before any watermark, as in an organization that is not of today."""
    is_own = "organization_id = current_setting('app.organization_id')::uuid"
    for table in EXPORTED_TABLES:
        owner.execute(text(f"ALTER TABLE {table.name} DISABLE TRIGGER set_updated_at"))
        owner.execute(text(f"UPDATE {table.name} SET updated_at = '2026-01-07Z' WHERE {is_own}"))
        owner.execute(text(f"ALTER TABLE {table.name} ENABLE TRIGGER set_updated_at"))
    owner.commit()


@pytest.mark.usefixtures("aged")
def test_full_and_then_changes_are_what_full_is_now(export: Export, owner_url: str, own: UUID, tmp_path: Path) -> None:
    ids = {"own": own, "new": uuid4(), "project": named("project"), "timesheet": named("timesheet")}
    before = read(tmp_path / "1", export("1"))
    with connect(owner_url).begin() as connection:
        set_organization(connection, own)
        for change in (
            "UPDATE projects SET deleted_at = now() WHERE id = :project",
            "UPDATE timesheets SET ended_at = ended_at - interval '1 minute' WHERE id = :timesheet",
            "UPDATE members SET last_tracked_at = '2026-03-01T00:00:00Z'",
            "UPDATE organizations SET name = 'Another name'",
            "INSERT INTO teams (organization_id, id, name) VALUES (:own, :new, 'A new team')",
        ):
            connection.execute(text(change), ids)
    manifest = export("2", since=tmp_path / "1" / "state.json")
    changes = read(tmp_path / "2", manifest)
    now = read(tmp_path / "3", export("3"))
    assert {name: {**rows, **changes[name]} for name, rows in before.items()} == now
    assert len(changes["teams"]) == 1
    assert len(changes["timesheets"]) == 1
    assert set(changes["project_members"]) < set(now["project_members"])
    assert not changes["invoices"]
    assert not any(file.resource == "invoices" for file in manifest.files)
    assert manifest.resources["invoices"].updated_since is not None
    assert manifest.resources["members"].updated_since is None, "a change of last_tracked_at leaves updated_at"


def test_resources_that_were_left_out_keep_their_watermarks(export: Export, tmp_path: Path) -> None:
    export("1", ExportFormat.ndjson, "teams", "clients")
    state = tmp_path / "1" / "state.json"
    export("2", ExportFormat.ndjson, "teams", since=state)
    old, new = read_state(state), read_state(tmp_path / "2" / "state.json")
    assert new.watermarks["clients"] == old.watermarks["clients"]
    assert new.watermarks["teams"] > old.watermarks["teams"]
    with pytest.raises(OperatorError, match="has no tasks: export that once without --since"):
        export("3", ExportFormat.ndjson, "tasks", since=state)
    assert not (tmp_path / "3").exists()


def test_writer_holds_the_watermark_back(export: Export, owner_url: str, own: UUID, tmp_path: Path) -> None:
    with connect(owner_url).begin() as connection:
        set_organization(connection, own)
        connection.execute(text("UPDATE teams SET description = 'late' WHERE id = :id"), {"id": named("team")})
        began = connection.scalar(text("SELECT transaction_timestamp()"))
        export("1", ExportFormat.ndjson, "teams")
    state = read_state(tmp_path / "1" / "state.json")
    assert began is not None
    assert state.watermarks["teams"] <= began
    assert state.since("teams") == state.watermarks["teams"] - OVERLAP


OWN = uuid4()
THEN = datetime(2026, 1, 5, 9, tzinfo=UTC)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "state.json"
    ExportState(organization_id=OWN, schema_version="0013", watermarks={"teams": THEN}).write(path)
    return path


def test_state_is_read_as_it_was_written(path: Path) -> None:
    state = read_state(path)
    state.check(path, OWN, "0013")
    assert state.since("teams") == THEN - timedelta(minutes=1)
    assert state.since("tasks") is None


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("2026-01-05T09", "2026-01-06T09", "was changed after an export wrote it"),
        ('"teams"', '"tasks"', "was changed after an export wrote it"),
        ("2026-01-05T09", "yesterday", "is not the state of an export: watermarks.teams: "),
        ('"watermarks"', '"marks"', "is not the state of an export: watermarks: Field required"),
        ("{", "", "is not the state of an export: "),
    ],
)
def test_tampered_state_is_refused(path: Path, old: str, new: str, sentence: str) -> None:
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(OperatorError, match=sentence):
        read_state(path).check(path, OWN, "0013")


def test_state_of_something_else_is_refused(path: Path, tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match=f"is of organization {OWN}"):
        read_state(path).check(path, uuid4(), "0013")
    with pytest.raises(OperatorError, match="is of schema version 0013, and the database has 0014"):
        read_state(path).check(path, OWN, "0014")
    with pytest.raises(OperatorError, match="cannot be read: No such file or directory"):
        read_state(tmp_path / "absent")
    with pytest.raises(OperatorError, match="cannot be read: Is a directory"):
        read_state(tmp_path)
