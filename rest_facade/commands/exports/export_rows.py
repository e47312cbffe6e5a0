"""`orgdata export`: rows of an organization become files, all of them, or those that changed since another export."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Annotated
from uuid import UUID

import typer
from sqlalchemy import Engine

from db.admin.organizations import list_organizations
from db.errors import OperatorError
from db.jobs.exporting.exported_rows import EXPORTED_TABLES, ExportedRows
from db.jobs.exporting.manifest import ExportFormat, Manifest
from db.jobs.exporting.state import STATE
from rest_facade.commands.options import AllOption, OrganizationFilter, check_one_or_all, ended_by_interrupt
from rest_facade.commands.owner import owner_engine
from rest_facade.commands.printed_rows import AsJson, PrintedRow, print_rows


def export_rows(
    to: Annotated[
        Path,
        typer.Option(help="An empty folder for the files; it is made if it is missing. With --all: of their folders."),
    ],
    organization: OrganizationFilter = None,
    *,
    every: AllOption = False,
    format_: Annotated[
        ExportFormat, typer.Option("--format", help="ndjson: a JSON object a line; csv; or parquet (an extra).")
    ] = ExportFormat.ndjson,
    since: Annotated[
        Path | None,
        typer.Option(
            help="The state.json of an earlier export: only rows that changed since then. With --all: its folder."
        ),
    ] = None,
    resource: Annotated[
        list[str] | None, typer.Option(help="Only this resource; may be given several times. Default: all.")
    ] = None,
    escape_formulas: Annotated[
        bool,
        typer.Option("--escape-formulas", help="csv: an apostrophe before texts that a spreadsheet would calculate."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write all rows of an organization to files, deleted ones too, or those that changed since an earlier export.

    With --all, each organization has a folder with its id; one that has an export already is passed over.
    """
    from db.jobs.exporting.export_run import export_rows as write_rows
    from rest_facade.commands.progress import job_progress

    check_one_or_all(organization, every=every)
    if escape_formulas and format_ is not ExportFormat.csv:
        raise typer.BadParameter("is for --format csv", param_hint="--escape-formulas")
    resources = exported_resources(resource or [])
    engine = owner_engine()
    targets = [(organization, to, since)] if organization is not None else _targets(engine, to, since)
    outcome = "Finished exports stay; run the command again." if every else "Nothing was exported."
    rows: list[PrintedRow] = []
    with ended_by_interrupt(outcome), job_progress("export", len(targets) * len(resources)) as bar:
        for own, folder, state in targets:
            try:
                manifest = write_rows(
                    *(engine, own, resources, folder, format_),
                    since=state,
                    escapes_formulas=escape_formulas,
                    begin=bar.begin,
                    progress=bar.count,
                )
            except OSError as error:
                reason = error.strerror or error
                raise OperatorError(f"The export of an organization ended without files: {reason}.") from error
            exported = [_of_organization(manifest)] if every else _of_resources(manifest)
            rows += exported
            if not as_json:
                print_rows(exported, as_json=False)
    if as_json:
        print_rows(rows, as_json=True)


def _targets(engine: Engine, to: Path, since: Path | None) -> list[tuple[UUID, Path, Path | None]]:
    """Each organization without a finished export in `to`, its folder, and the state of its export in `since`."""
    if since is not None and not since.is_dir():
        raise typer.BadParameter("With --all, it is the folder of an earlier --all.", param_hint="--since")

    def state_of(name: str) -> Path | None:
        path = None if since is None else since / name / STATE
        return path if path is not None and path.exists() else None

    with engine.connect() as connection:
        ids = [each.organization_id for each in list_organizations(connection)]
    return [(own, to / str(own), state_of(str(own))) for own in ids if not (to / str(own) / STATE).exists()]


def _of_organization(manifest: Manifest) -> PrintedRow:
    own, count = manifest.organization_id, sum(file.rows for file in manifest.files)
    values = {"organization_id": own, "rows": count, "files": len(manifest.files)}
    return PrintedRow(values, (own, f"{count} rows", f"{len(manifest.files)} files"))


def _of_resources(manifest: Manifest) -> list[PrintedRow]:
    rows = []
    for name, exported in manifest.resources.items():
        files = sum(file.resource == name for file in manifest.files)
        values = {"resource": name, "rows": exported.rows, "files": files}
        rows.append(PrintedRow(values, (name, f"{exported.rows} rows", f"{files} files")))
    return rows


def exported_resources(names: Collection[str] = ()) -> Sequence[ExportedRows]:
    """Tables with the fields of the schema: those with these names, or all. Raises typer.BadParameter."""
    from resolvers.lists.flat_rows import flat_rows
    from rest_facade.commands.exports.row_fields import row_fields
    from schema.schema import GRAPHQL_SCHEMA

    known = {table.name: table for table in EXPORTED_TABLES}
    for name in names:
        if name not in known:
            raise typer.BadParameter(f"{name!r} is none of {', '.join(sorted(known))}", param_hint="--resource")
    fields = row_fields(GRAPHQL_SCHEMA)
    return [flat_rows(table, fields.get(table, {})) for name, table in known.items() if not names or name in names]
