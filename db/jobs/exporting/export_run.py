"""An export: all rows of an organization, or those that changed, as files of one snapshot."""

from collections.abc import Callable, Sequence
from pathlib import Path
from uuid import UUID

from sqlalchemy import Engine

from db.jobs.exporting.copying import copy_rows
from db.jobs.exporting.export_files import check_format
from db.jobs.exporting.export_folder import export_folder
from db.jobs.exporting.export_format import ExportFormat
from db.jobs.exporting.exported_rows import ExportedRows
from db.jobs.exporting.manifest import Manifest, ManifestFile, ManifestResource
from db.jobs.exporting.snapshot import Snapshot, snapshot_of
from db.jobs.exporting.state import ExportState, UnusableState, read_state


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
    Raises UnusableFolder, UnusableState, FormatMissing, AccessError, MigrationError and OSError; then the
    folder has no file.
    """
    check_format(format_)
    state = None if since is None else read_state(since)
    with snapshot_of(engine, organization_id) as snapshot:
        if state is not None and since is not None:
            state.check(since, organization_id, snapshot.schema_version)
            unknown = [rows.name for rows in resources if state.since(rows.name) is None]
            if unknown:
                raise UnusableState(f"{since} has no {', '.join(unknown)}: export that once without --since.")
        with export_folder(to) as folder:
            files: list[ManifestFile] = []
            for rows in resources:
                begin(rows.name)
                read_from = None if state is None else state.since(rows.name)
                files += copy_rows(
                    *(snapshot, rows, read_from, format_, folder.unfinished, progress),
                    escapes_formulas=escapes_formulas,
                )
            manifest = _manifest(snapshot, format_, resources, files, state)
            folder.finish(manifest, _next_state(snapshot, resources, state))
    return manifest


def _manifest(
    snapshot: Snapshot,
    format_: ExportFormat,
    resources: Sequence[ExportedRows],
    files: Sequence[ManifestFile],
    state: ExportState | None,
) -> Manifest:
    described = {
        rows.name: ManifestResource(
            rows=sum(file.rows for file in files if file.resource == rows.name),
            updated_since=None if state is None or rows.has_derived else state.since(rows.name),
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


def _next_state(snapshot: Snapshot, resources: Sequence[ExportedRows], state: ExportState | None) -> ExportState:
    """The state after this export. Resources that it left out keep their watermarks."""
    watermarks = {} if state is None else dict(state.watermarks)
    watermarks |= {rows.name: snapshot.settled_at for rows in resources}
    return ExportState(
        organization_id=snapshot.organization_id, schema_version=snapshot.schema_version, watermarks=watermarks
    )
