"""An export: all rows of an organization, or those that changed, as files of one snapshot."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from uuid import UUID

from sqlalchemy import Connection, Engine, text

from db.admin.engine import copying
from db.admin.keys import set_organization
from db.admin.migrate import require_head
from db.admin.tenant import set_on_all_nodes
from db.errors import OperatorError
from db.jobs.distribution.image import is_distributed
from db.jobs.exporting.export_files import ExportFile, check_format, open_file
from db.jobs.exporting.export_folder import export_folder, finish_export
from db.jobs.exporting.exported_rows import MONTH_CHARACTERS, ExportedRows
from db.jobs.exporting.manifest import ExportFormat, Manifest, ManifestFile, ManifestResource
from db.jobs.exporting.state import ExportState, read_state
from db.reading.transaction import SET_ORGANIZATION_ID, transaction_start

MOST_BUFFERED = 1 << 26
"""Bytes of lines that the files of a resource keep in memory together."""

PROGRESS_ROWS = 1_000
"""Rows between two calls of `progress`."""

COPY_OUT = "COPY ({select}) TO STDOUT (FORMAT csv{options})"

# Neither character is in JSON text, so that COPY writes each row as it is.
RAW_LINES = ", QUOTE E'\\x01', DELIMITER E'\\x02'"

# A change is visible when its transaction has ended, with the start of its statement as `updated_at`. So the changes of
# transactions that write now are left to the next export, and those of statements that may begin to write. The server
# shows those of this role; to a superuser, all.
# A replica shows neither those of its primary nor what it has not replayed: nothing is settled there.
SETTLED = """
SELECT least(clock_timestamp(), min(CASE WHEN backend_xid IS NULL THEN query_start ELSE xact_start END),
             CASE WHEN pg_is_in_recovery() THEN timestamptz '1900-01-01Z' END)
FROM {activity}
WHERE datname = current_database()
  AND (backend_xid IS NOT NULL OR state = 'active' AND backend_type = 'client backend' AND pid <> pg_backend_pid())
"""


@dataclass(frozen=True)
class Snapshot:
    """One transaction of the service's role, which sees the rows of one organization."""

    connection: Connection
    organization_id: UUID
    schema_version: str
    at: datetime
    settled_at: datetime
    """Every change before this time is in the snapshot."""


@contextmanager
def snapshot_of(engine: Engine, organization_id: UUID) -> Iterator[Snapshot]:
    """The database now. Raises OperatorError, also for an unknown organization."""
    with engine.connect() as connection:
        # Where tables are distributed, rows are written by transactions of all nodes.
        activity = "citus_stat_activity" if is_distributed(connection) else "pg_stat_activity"
        settled_at = connection.execute(text(SETTLED.format(activity=activity))).scalar_one()
        version = require_head(connection)
        connection.rollback()
        connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        set_organization(connection, organization_id)
        settings = transaction_start(SET_ORGANIZATION_ID, statement_timeout=0)
        connection.exec_driver_sql(settings, {"organization_id": str(organization_id)})
        set_on_all_nodes(connection)
        at = connection.execute(text("SELECT transaction_timestamp()")).scalar_one()
        yield Snapshot(connection, organization_id, version, at, settled_at)


def export_rows(
    engine: Engine,
    organization_id: UUID,
    resources: Sequence[ExportedRows],
    to: Path,
    format_: ExportFormat = ExportFormat.ndjson,
    *,
    since: Path | None = None,
    escapes_formulas: bool = False,
    begin: Callable[[str], object] = lambda _: None,
    progress: Callable[[int], object] = lambda _: None,
) -> Manifest:
    """Write the rows of the resources to an empty folder; with the state of an earlier export, those that changed.

    `escapes_formulas`: texts of CSV files that a spreadsheet would take for formulas get an apostrophe. `begin` is
    called with the name of each resource, and `progress` with numbers of rows that were written since its last call.
    Raises OperatorError and OSError; then the folder has no file.
    """
    check_format(format_)
    earlier = None if since is None else read_state(since)
    with snapshot_of(engine, organization_id) as snapshot:
        state = earlier or ExportState(
            organization_id=organization_id, schema_version=snapshot.schema_version, watermarks={}
        )
        if since is not None:
            state.check(since, organization_id, snapshot.schema_version)
            unknown = [rows.name for rows in resources if state.since(rows.name) is None]
            if unknown:
                raise OperatorError(f"{since} has no {', '.join(unknown)}: export that once without --since.")
        with export_folder(to) as unfinished:
            files: list[ManifestFile] = []
            for rows in resources:
                begin(rows.name)
                files += _copy_rows(
                    *(snapshot, rows, state.since(rows.name), format_, unfinished, progress),
                    escapes_formulas=escapes_formulas,
                )
            manifest = _manifest(snapshot, format_, resources, files, state)
            # Resources that the export left out keep their watermarks.
            watermarks = dict(state.watermarks) | {rows.name: snapshot.settled_at for rows in resources}
            finish_export(unfinished, manifest, state.model_copy(update={"watermarks": watermarks}))
    return manifest


def _copy_rows(
    snapshot: Snapshot,
    rows: ExportedRows,
    since: datetime | None,
    format_: ExportFormat,
    folder: Path,
    progress: Callable[[int], object],
    *,
    escapes_formulas: bool = False,
) -> Sequence[ManifestFile]:
    """Copy the rows that changed since a time into files. Without rows there is no file."""
    files: dict[str, ExportFile] = {}
    month = 0 if rows.month is None else MONTH_CHARACTERS
    # In a CSV line, a comma follows the month.
    start = month + (month > 0 and format_ is not ExportFormat.ndjson)
    statement = rows.statement(format_, is_since=since is not None, escapes_formulas=escapes_formulas)
    options = RAW_LINES if format_ is ExportFormat.ndjson else ""
    values = {**statement.constants, "organization_id": snapshot.organization_id, "updated_since": since}
    count = 0
    command = COPY_OUT.format(select=statement.sql, options=options)
    with copying(snapshot.connection, command, values) as copy:
        for data in copy:
            line = bytes(data)
            file = files.get(part := line[:month].decode())
            if file is None:
                file = files[part] = open_file(folder, rows, part, format_)
            file.add(line[start:])
            count += 1
            if count % PROGRESS_ROWS == 0:
                progress(PROGRESS_ROWS)
                _bound_memory(files)
    progress(count % PROGRESS_ROWS)
    return [files[part].close() for part in sorted(files)]


def _bound_memory(files: Mapping[str, ExportFile]) -> None:
    """Flush the fullest files while all of them together hold too much."""
    total = sum(file.buffered for file in files.values())
    for file in sorted(files.values(), key=lambda file: file.buffered, reverse=True):
        if total <= MOST_BUFFERED:
            return
        total -= file.buffered
        file.flush()


def _manifest(
    snapshot: Snapshot,
    format_: ExportFormat,
    resources: Sequence[ExportedRows],
    files: Sequence[ManifestFile],
    state: ExportState,
) -> Manifest:
    described = {
        rows.name: ManifestResource(
            rows=sum(file.rows for file in files if file.resource == rows.name),
            updated_since=None if rows.has_derived else state.since(rows.name),
            fields=[field.name for field in rows.fields],
            computed=[field.name for field in rows.fields if field.is_computed],
        )
        for rows in resources
    }
    return Manifest(
        organization_id=snapshot.organization_id,
        schema_version=snapshot.schema_version,
        snapshot_at=snapshot.at,
        format=format_,
        resources=described,
        files=files,
    )
