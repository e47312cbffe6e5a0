"""An export of an organization: which rows its files have, from which moment, and in which form.

Covers `db/jobs/exporting/export_run.py`, `db/jobs/exporting/exported_rows.py`, `db/jobs/exporting/export_files.py` and
`db/jobs/exporting/manifest.py`.
"""

import csv
import json
import tracemalloc
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import orjson
import psycopg
import pytest
from pyarrow import parquet
from sqlalchemy import Connection, text

from db.admin.engine import connect
from db.admin.keys import AccessError, set_organization
from db.jobs.exporting.export_run import export_rows, snapshot_of
from db.jobs.exporting.exported_rows import EXPORTED_TABLES, ExportedRows
from db.jobs.exporting.manifest import ExportFormat, computed_fields, read_manifest
from tests.db.jobs.exporting.conftest import Export, counted, rows_of
from tests.factories.rows import Rows
from tests.helpers.waiting import until
from tests.rest_facade.graphql.locks import waiting
from tests.world import build, named

MANY_TIMESHEETS = """
INSERT INTO timesheets (organization_id, id, user_id, started_at, ended_at, tracked_until)
SELECT :own, gen_random_uuid(), :user, at, at + interval '1 minute', at + interval '1 minute'
FROM generate_series(0, 19999) n, LATERAL (SELECT timestamptz '2020-01-01Z' + n * interval '20 minutes' AS at) t
"""

MOST_MEMORY = 6_000_000
"""Bytes that an export of 20,000 rows may take."""


def test_files_and_manifest_have_all_own_rows(export: Export, owner: Connection, rows: Rows, tmp_path: Path) -> None:
    build(rows, "elsewhere")
    manifest = export("all")
    stored = rows_of(tmp_path / "all", manifest)
    assert {name: len(rows) for name, rows in stored.items()} == {
        table.name: counted(owner, table.name) for table in EXPORTED_TABLES
    }
    assert all(stored[table.name] for table in EXPORTED_TABLES)
    for file in manifest.files:
        content = (tmp_path / "all" / file.file).read_bytes()
        assert (file.bytes, file.sha256) == (len(content), sha256(content).hexdigest())
        assert file.rows == content.count(b"\n")
    names = {"manifest.json", "state.json", *(file.file for file in manifest.files)}
    assert {path.name for path in (tmp_path / "all").iterdir()} == names
    assert read_manifest(tmp_path / "all") == manifest


def test_rows_are_in_the_order_of_the_key(export: Export, own: UUID, rows: Rows, tmp_path: Path) -> None:
    def ids(name: str) -> list[str]:
        with (tmp_path / name / "teams.csv").open() as file:
            return [row["id"] for row in csv.DictReader(file)]

    export("first", ExportFormat.csv, "teams")
    # A row that is written again lies elsewhere in its table.
    with rows.transaction(own):
        rows.connection.execute(text("UPDATE teams SET description = 'x' WHERE id = :id"), {"id": ids("first")[0]})
    export("second", ExportFormat.csv, "teams")
    assert ids("first") == ids("second") == sorted(ids("first"))
    assert len(ids("first")) > 2


def test_deleted_rows_are_there_with_their_time(export: Export, owner: Connection, tmp_path: Path) -> None:
    owner.execute(text("UPDATE teams SET deleted_at = '2026-02-01T10:00:00.5Z' WHERE id = :id"), {"id": named("team")})
    owner.commit()
    teams = rows_of(tmp_path / "all", export("all", ExportFormat.ndjson, "teams"))["teams"]
    assert {row["deleted_at"] for row in teams} == {None, "2026-02-01T10:00:00.500000Z"}


def test_row_security_holds_in_the_snapshot(owner_url: str, owner: Connection, own: UUID, rows: Rows) -> None:
    rows.team(rows.organization())
    with snapshot_of(connect(owner_url), own) as snapshot:
        assert snapshot.connection.scalar(text("SELECT count(*) FROM teams")) == counted(owner, "teams")
        assert snapshot.connection.scalar(text("SELECT current_user")) == "orgdata_service"


def test_rows_that_are_written_meanwhile_are_left_out(
    export: Export, owner: Connection, own: UUID, rows: Rows, tmp_path: Path
) -> None:
    before = counted(owner, "timesheets")

    def begin(name: str) -> None:
        if name == "timesheets":
            rows.timesheet(own, named("user"))

    manifest = export("all", ExportFormat.ndjson, "teams", "timesheets", begin=begin)
    assert counted(owner, "timesheets") == before + 1
    assert len(rows_of(tmp_path / "all", manifest)["timesheets"]) == before


def test_change_of_a_statement_that_runs_is_not_settled(owner_url: str, own: UUID) -> None:
    with ThreadPoolExecutor(1) as pool, psycopg.connect(owner_url) as writer, psycopg.connect(owner_url) as lock:
        lock.execute("SELECT pg_advisory_lock(7)")
        writing = pool.submit(writer.execute, "SELECT pg_advisory_lock(7)")
        until(lambda: waiting(owner_url) == 1)
        ((now,),) = lock.execute("SELECT clock_timestamp()").fetchall()
        with snapshot_of(connect(owner_url), own) as snapshot:
            assert snapshot.settled_at < now
        lock.execute("SELECT pg_advisory_unlock(7)")
        writing.result(10)
        with snapshot_of(connect(owner_url), own) as snapshot:
            assert snapshot.settled_at > now


def test_rows_are_divided_by_the_month_of_their_start(export: Export, own: UUID, rows: Rows, tmp_path: Path) -> None:
    for number, start in enumerate((datetime(2026, 3, 31, 23, 59, 59, tzinfo=UTC), datetime(2026, 4, 1, tzinfo=UTC))):
        rows.timesheet(own, named("user"), id=named("late", number), started_at=start)
    starts = {}
    for file in export("all", ExportFormat.ndjson, "timesheets").files:
        lines = (tmp_path / "all" / file.file).read_bytes().splitlines()
        starts[file.file] = {orjson.loads(line)["started_at"] for line in lines}
    assert list(starts) == ["timesheets-2026-01.ndjson", "timesheets-2026-03.ndjson", "timesheets-2026-04.ndjson"]
    assert starts["timesheets-2026-03.ndjson"] == {"2026-03-31T23:59:59Z"}
    assert starts["timesheets-2026-04.ndjson"] == {"2026-04-01T00:00:00Z"}


def test_every_format_has_the_same_rows(
    export: Export, owner: Connection, tmp_path: Path, resources: Sequence[ExportedRows]
) -> None:
    name = 'a \'b "c", d\\n\ne\té'
    change = text("UPDATE teams SET name = :name, description = '' WHERE id = :id")
    owner.execute(change, {"id": named("team"), "name": name})
    owner.commit()
    lines = rows_of(tmp_path / "ndjson", export("ndjson"))
    assert name in {row["name"] for row in lines["teams"]}
    texts: dict[str, list[Any]] = {name: [] for name in lines}
    typed: dict[str, list[Any]] = {name: [] for name in lines}
    for file in export("csv", ExportFormat.csv).files:
        with (tmp_path / "csv" / file.file).open(newline="") as opened:
            texts[file.resource] += csv.DictReader(opened)
    for file in export("parquet", ExportFormat.parquet).files:
        typed[file.resource] += parquet.read_table(tmp_path / "parquet" / file.file).to_pylist()
    for resource in resources:
        types = {field.name: field.type for field in resource.fields}
        own = lines[resource.name]
        assert texts[resource.name] == [{name: csv_text(value) for name, value in row.items()} for row in own]
        assert typed[resource.name] == [
            {name: typed_value(types[name], value) for name, value in row.items()} for row in own
        ]


def typed_value(kind: Any, value: Any) -> Any:
    """A value of a JSON object as a Parquet file has it."""
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, (dict, list)):
        return dumped(value)
    python = kind.python_type if kind.__class__.__name__ != "Uuid" else str
    if python is datetime:
        return datetime.fromisoformat(value)
    if python is date:
        return date.fromisoformat(value)
    return Decimal(value) if python is Decimal else value


def csv_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return dumped(value) if isinstance(value, (dict, list)) else str(value)


def dumped(value: Any) -> str:
    """JSON as PostgreSQL writes it: arrays without spaces, objects with."""
    return orjson.dumps(value).decode() if isinstance(value, list) else json.dumps(value, ensure_ascii=False)


def test_memory_stays_flat(owner_url: str, rows: Rows, tmp_path: Path, resources: Sequence[ExportedRows]) -> None:
    own = rows.organization()
    values = {"own": own, "user": rows.member(own)}
    with connect(owner_url).begin() as connection:
        set_organization(connection, own)
        connection.execute(text(MANY_TIMESHEETS), values)
    timesheets = [each for each in resources if each.name == "timesheets"]
    tracemalloc.start()
    try:
        manifest = export_rows(connect(owner_url), own, timesheets, tmp_path / "all")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert sum(file.bytes for file in manifest.files) > 1.5 * MOST_MEMORY
    assert peak < MOST_MEMORY


def test_formulas_get_an_apostrophe_if_asked(export: Export, own: UUID, rows: Rows, tmp_path: Path) -> None:
    for number, name in enumerate(("=1+1", "+49 30", "-x", "@home", "a=b")):
        rows.team(own, name=name, description=f"formula {number}")
    names = {}
    for escapes in (False, True):
        export(f"{escapes}", format_=ExportFormat.csv, escapes_formulas=escapes)
        with (tmp_path / f"{escapes}" / "teams.csv").open() as file:
            found = [row["name"] for row in csv.DictReader(file) if row["description"].startswith("formula")]
        names[escapes] = sorted(found)
    assert names[False] == ["+49 30", "-x", "=1+1", "@home", "a=b"]
    assert names[True] == ["'+49 30", "'-x", "'=1+1", "'@home", "a=b"]


def test_unknown_organization_leaves_nothing(owner_url: str, tmp_path: Path, resources: Sequence[ExportedRows]) -> None:
    with pytest.raises(AccessError):
        export_rows(connect(owner_url), uuid4(), resources, tmp_path / "all")
    assert not (tmp_path / "all").exists()


def test_computed_fields_are_named_in_the_manifest(export: Export, tmp_path: Path) -> None:
    export("all", ExportFormat.ndjson, "members", "teams")
    assert computed_fields(tmp_path / "all") == {"members": {"is_active"}, "teams": frozenset()}
    assert computed_fields(tmp_path) == {}
