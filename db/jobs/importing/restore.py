"""A restored export: the organization as it was, with its ids and times, in this database or another one.

An import merges: it makes what is missing, and rows that it changes are new to pollers. A restored organization is new
as a whole, so that its rows keep `updated_at`, and texts that an import would tidy up stay as they are.
"""

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from uuid import UUID

from sqlalchemy import Connection, Table, insert, update

from db.admin.errors import OperatorError
from db.admin.migrate import revision_of
from db.admin.tenant import use_organization
from db.jobs.distribution.image import batches, is_distributed, write_rows
from db.jobs.exporting.export_format import ExportFormat
from db.jobs.exporting.exported_rows import EXPORTED_TABLES
from db.jobs.exporting.manifest import Manifest, ManifestFile, UnreadableManifest, read_manifest
from db.jobs.importing.merging.merge import TableChanges
from db.jobs.importing.restored_lines import column_names, copy_lines, create_line_table, insert_lines, records
from db.jobs.importing.statements import ORGANIZATION, prepare, run
from db.tables.people import OPERATOR_COLUMNS, organizations

OF_ORGANIZATION = f"organization_id = {ORGANIZATION}"
"""SQL: whether a row is of the organization."""

BLOCK = 1 << 20
"""Bytes that are read at once."""


class RestoreRefused(OperatorError):
    """An export cannot be restored; the message says why. Nothing was written."""


def restore(
    connection: Connection,
    organization_id: UUID,
    folder: Path,
    *,
    step: Callable[[str], object] = lambda _: None,
    advance: Callable[[int], object] = lambda _: None,
) -> Sequence[TableChanges]:
    """Insert the rows of an export in the caller's transaction, into an organization that is new or has no rows.

    `step` is called with what is done next, and `advance` with numbers of bytes that were read: of each file twice.
    Raises RestoreRefused.
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
    try:
        distributed_to = organization_id if is_distributed(connection) else None
        return [
            _restore_table(connection, table, manifest, folder, step, advance, distributed_to=distributed_to)
            for table in tables
        ]
    except BaseException:
        # A COPY may still be under way, in which a rollback fails. The server rolls back when the connection is closed.
        connection.invalidate()
        raise


def _whole_export(connection: Connection, folder: Path) -> Manifest:
    """The manifest of an export of everything, in the form that can be restored."""
    try:
        manifest = read_manifest(folder)
    except UnreadableManifest as error:
        raise RestoreRefused(str(error)) from error
    if manifest.format is not ExportFormat.ndjson:
        raise RestoreRefused(f"{folder} has {manifest.format} files: only an export in ndjson can be restored.")
    for table in EXPORTED_TABLES:
        resource = manifest.resources.get(table.name)
        if resource is None:
            raise RestoreRefused(f"{folder} has no {table.name}: only an export of everything can be restored.")
        if resource.updated_since is not None:
            raise RestoreRefused(f"{folder} has only what changed: only an export without --since can be restored.")
    version = revision_of(connection)
    if manifest.schema_version != version:
        raise RestoreRefused(
            f"{folder} is of schema version {manifest.schema_version}, and this database has {version}:"
            " migrate the older one first."
        )
    return manifest


def _check_empty(connection: Connection, organization_id: UUID) -> None:
    for table in EXPORTED_TABLES:
        rows = f"SELECT 1 FROM {table.name} WHERE {OF_ORGANIZATION}"
        if table is not organizations and run(connection, f"SELECT EXISTS ({rows})").scalar_one():
            raise RestoreRefused(f"Organization {organization_id} has {table.name} already: restore into a new one.")


def _check_file(folder: Path, file: ManifestFile, advance: Callable[[int], object]) -> None:
    digest = sha256()
    for block in _blocks(folder / file.file, advance):
        digest.update(block)
    if digest.hexdigest() != file.sha256:
        raise RestoreRefused(f"{folder / file.file} is not as it was exported.")


def _blocks(path: Path, advance: Callable[[int], object]) -> Iterator[bytes]:
    try:
        with path.open("rb", buffering=0) as opened:
            while block := opened.read(BLOCK):
                advance(len(block))
                yield block
    except OSError as error:
        raise RestoreRefused(f"{path} cannot be read: {error.strerror}.") from error


def _restore_table(
    connection: Connection,
    table: Table,
    manifest: Manifest,
    folder: Path,
    step: Callable[[str], object],
    advance: Callable[[int], object],
    *,
    distributed_to: UUID | None,
) -> TableChanges:
    """Insert the rows of one table. `distributed_to`: the organization, if the tables are distributed."""
    rows = 0
    for file in manifest.files:
        if file.resource != table.name:
            continue
        step(file.file)
        if distributed_to is not None and table is not organizations:
            lines = _lines(_blocks(folder / file.file, advance))
            for batch in batches(table, lines):
                write_rows(connection, table, distributed_to, column_names(table), batch)
            rows += file.rows
            continue
        copy_lines(connection, _blocks(folder / file.file, advance))
        if table is organizations:
            _restore_organization(connection, distributed_to)
        else:
            insert_lines(connection, table)
        rows += file.rows
    # The plans of foreign key checks need statistics.
    if distributed_to is None:
        run(connection, f"ANALYZE {table.name}")
    return TableChanges(table.name, rows, rows, 0, 0)


def _lines(blocks: Iterator[bytes]) -> Iterator[str]:
    rest = b""
    for block in blocks:
        *lines, rest = (rest + block).split(b"\n")
        yield from (line.decode() for line in lines)
    if rest:
        yield rest.decode()


def _restore_organization(connection: Connection, distributed_to: UUID | None) -> None:
    """Insert the organization, or give the one that was created for its rows the values of the export.

    What an operator has set of an organization that exists stays: an export must not resume a suspended one.
    """
    is_stored = run(connection, f"SELECT EXISTS (SELECT 1 FROM organizations WHERE {OF_ORGANIZATION})").scalar_one()
    names = [name for name in column_names(organizations) if not is_stored or name not in OPERATOR_COLUMNS]
    values = f"SELECT {', '.join(f'r.{name}' for name in names)} FROM {records(organizations)}"
    if not is_stored:
        if distributed_to is None:
            insert_lines(connection, organizations)
        else:
            row = run(connection, values).mappings().one()
            connection.execute(insert(organizations).values(organization_id=distributed_to, **row))
        return
    # The trigger would set `updated_at`. Others wait to change organizations, and see the trigger as it is.
    run(connection, "SELECT set_config('citus.enable_unsafe_triggers', 'on', true)")
    run(connection, "ALTER TABLE organizations DISABLE TRIGGER set_updated_at")
    if distributed_to is None:
        run(connection, f"UPDATE organizations SET ({', '.join(names)}) = ({values}) WHERE {OF_ORGANIZATION}")
    else:
        row = run(connection, values).mappings().one()
        same = organizations.c.organization_id == distributed_to
        connection.execute(update(organizations).where(same).values(**row))
    run(connection, "ALTER TABLE organizations ENABLE TRIGGER set_updated_at")
