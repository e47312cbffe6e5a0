"""A restored export: the organization as it was, with its ids and times, in this database or another one.

An import merges: it makes what is missing, and rows that it changes are new to pollers. A restored organization is new
as a whole, so that its rows keep `updated_at`, and texts that an import would tidy up stay as they are.
"""

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from uuid import UUID

from sqlalchemy import Connection, insert, update

from db.admin.migrate import revision_of
from db.admin.tenant import use_organization
from db.errors import OperatorError
from db.jobs.distribution.image import batches, is_distributed, write_rows
from db.jobs.exporting.exported_rows import EXPORTED_TABLES
from db.jobs.exporting.manifest import MANIFEST, ExportFormat, Manifest, ManifestFile, read_manifest
from db.jobs.importing.merging.merge import TableChanges
from db.jobs.importing.restored_lines import column_names, copy_lines, create_line_table, insert_lines, records
from db.jobs.importing.rows import Advance
from db.jobs.importing.statements import ORGANIZATION, prepare, run
from db.tables.people import OPERATOR_COLUMNS, organizations

OF_ORGANIZATION = f"organization_id = {ORGANIZATION}"
"""SQL: whether a row is of the organization."""

BLOCK = 1 << 20
"""Bytes that are read at once."""


def restore(
    connection: Connection,
    organization_id: UUID,
    folder: Path,
    *,
    step: Callable[[str], object] = lambda _: None,
    advance: Advance = lambda _: None,
) -> Sequence[TableChanges]:
    """Insert the rows of an export in the caller's transaction, into an organization that is new or has no rows.

    `step` is called with what is done next, and `advance` with numbers of bytes that were read: of each file twice.
    Raises OperatorError.
    """
    manifest = _whole_export(connection, folder)
    use_organization(connection, organization_id)
    prepare(connection, "SET LOCAL jit = off", step)
    create_line_table(connection)
    _check_empty(connection, organization_id)
    for file in manifest.files:
        step(f"Checking {file.file}")
        _check_file(folder, file, advance)
    is_stored = run(connection, f"SELECT EXISTS (SELECT 1 FROM organizations WHERE {OF_ORGANIZATION})").scalar_one()
    # The organization first, for the keys of the others to it; one that is stored last, because of the lock.
    tables = sorted(EXPORTED_TABLES, key=lambda table: is_stored and table is organizations)
    files = {table: [file for file in manifest.files if file.resource == table.name] for table in tables}
    in_cluster = is_distributed(connection)
    for table in tables:
        for file in files[table]:
            step(file.file)
            path = folder / file.file
            if table is organizations:
                copy_lines(connection, _parts(path, advance))
                _write_organization(connection, organization_id, is_stored=is_stored)
            elif in_cluster:
                lines = (line.decode() for line in _parts(path, advance, by_line=True))
                for batch in batches(table, lines):
                    write_rows(connection, table, organization_id, column_names(table), batch)
            else:
                copy_lines(connection, _parts(path, advance))
                insert_lines(connection, table)
        # The plans of foreign key checks need statistics.
        if not in_cluster:
            run(connection, f"ANALYZE {table.name}")
    counts = {table.name: sum(file.rows for file in files[table]) for table in tables}
    return [TableChanges(name, read=count, inserted=count, updated=0, deleted=0) for name, count in counts.items()]


def _whole_export(connection: Connection, folder: Path) -> Manifest:
    """The manifest of an export of everything, in the form that can be restored."""
    manifest = read_manifest(folder)
    if manifest.format is not ExportFormat.ndjson:
        raise OperatorError(f"{folder} has {manifest.format} files: only an export in ndjson can be restored.")
    for table in EXPORTED_TABLES:
        resource = manifest.resources.get(table.name)
        if resource is None:
            raise OperatorError(f"{folder} has no {table.name}: only an export of everything can be restored.")
        if resource.updated_since is not None:
            raise OperatorError(f"{folder} has only what changed: only an export without --since can be restored.")
    version = revision_of(connection)
    if manifest.schema_version != version:
        raise OperatorError(
            f"{folder} is of schema version {manifest.schema_version}, and this database has {version}:"
            " migrate the older one first."
        )
    rows = dict.fromkeys(manifest.resources, 0)
    for file in manifest.files:
        rows[file.resource] = rows.get(file.resource, 0) + file.rows
    if unknown := sorted(rows.keys() - {table.name for table in EXPORTED_TABLES}):
        raise OperatorError(f"{folder / MANIFEST} has {unknown[0]}, which this version does not know.")
    for name, resource in manifest.resources.items():
        if rows[name] != resource.rows:
            raise OperatorError(f"{folder / MANIFEST} has {resource.rows} rows of {name}, and files of {rows[name]}.")
    if rows[organizations.name] != 1:
        raise OperatorError(f"{folder / MANIFEST} has {rows[organizations.name]} organizations: an export has one.")
    return manifest


def _check_empty(connection: Connection, organization_id: UUID) -> None:
    for table in EXPORTED_TABLES:
        rows = f"SELECT 1 FROM {table.name} WHERE {OF_ORGANIZATION}"
        if table is not organizations and run(connection, f"SELECT EXISTS ({rows})").scalar_one():
            raise OperatorError(f"Organization {organization_id} has {table.name} already: restore into a new one.")


def _check_file(folder: Path, file: ManifestFile, advance: Advance) -> None:
    digest, rows = sha256(), 0
    for block in _parts(folder / file.file, advance):
        digest.update(block)
        rows += block.count(b"\n")
    if digest.hexdigest() != file.sha256:
        raise OperatorError(f"{folder / file.file} is not as it was exported.")
    if rows != file.rows:
        raise OperatorError(f"{folder / file.file} has {rows} lines, and {MANIFEST} says {file.rows}.")


def _parts(path: Path, advance: Advance, *, by_line: bool = False) -> Iterator[bytes]:
    """The parts of a file: blocks of bytes, or its lines."""
    try:
        with path.open("rb") as opened:
            while part := opened.readline() if by_line else opened.read(BLOCK):
                advance(len(part))
                yield part
    except OSError as error:
        raise OperatorError(f"{path} cannot be read: {error.strerror}.") from error


def _write_organization(connection: Connection, organization_id: UUID, *, is_stored: bool) -> None:
    """Insert the organization of the copied line, or give the one that was created for its rows these values.

    What an operator has set of an organization that exists stays: an export must not resume a suspended one.
    """
    names = [name for name in column_names(organizations) if not is_stored or name not in OPERATOR_COLUMNS]
    columns = ", ".join(f"r.{name}" for name in names)
    values = dict(run(connection, f"SELECT {columns} FROM {records(organizations)}").mappings().one())
    if not is_stored:
        connection.execute(insert(organizations).values(organization_id=organization_id, **values))
        return
    # The trigger would set `updated_at`. Others wait to change organizations, and see the trigger as it is.
    run(connection, "SELECT set_config('citus.enable_unsafe_triggers', 'on', true)")
    run(connection, "ALTER TABLE organizations DISABLE TRIGGER set_updated_at")
    same = organizations.c.organization_id == organization_id
    connection.execute(update(organizations).where(same).values(values))
    run(connection, "ALTER TABLE organizations ENABLE TRIGGER set_updated_at")
