"""`orgdata export`: rows of an organization become files, all of them, or those that changed since another export."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Annotated

import typer

from db.errors import OperatorError
from db.jobs.exporting.export_format import ExportFormat
from db.jobs.exporting.exported_rows import EXPORTED_TABLES, ExportedRows
from rest_facade.commands.options import OrganizationOption, ended_by_interrupt
from rest_facade.commands.owner import owner_engine
from rest_facade.commands.printed_rows import AsJson, PrintedRow, print_rows


def export_rows(
    organization: OrganizationOption,
    to: Annotated[Path, typer.Option(help="An empty folder for the files; it is made if it is missing.")],
    *,
    format_: Annotated[
        ExportFormat, typer.Option("--format", help="ndjson: a JSON object a line; csv; or parquet (an extra).")
    ] = ExportFormat.ndjson,
    since: Annotated[
        Path | None, typer.Option(help="The state.json of an earlier export: only rows that changed since then.")
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
    """Write all rows of an organization to files, deleted ones too, or those that changed since an earlier export."""
    from db.jobs.exporting.export_run import export_rows as write_rows
    from rest_facade.commands.progress import job_progress

    if escape_formulas and format_ is not ExportFormat.csv:
        raise typer.BadParameter("is for --format csv", param_hint="--escape-formulas")
    try:
        resources = exported_resources(resource or [])
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--resource") from error
    try:
        with ended_by_interrupt("Nothing was exported."), job_progress("export", len(resources)) as bar:
            manifest = write_rows(
                *(owner_engine(), organization, resources, to, format_),
                since=since,
                escapes_formulas=escape_formulas,
                begin=bar.begin,
                progress=bar.count,
            )
    except OSError as error:
        raise OperatorError(f"The export ended without files: {error.strerror or error}.") from error
    rows = []
    for name, exported in manifest.resources.items():
        files = sum(file.resource == name for file in manifest.files)
        values = {"resource": name, "rows": exported.rows, "files": files}
        rows.append(PrintedRow(values, (name, f"{exported.rows} rows", f"{files} files")))
    print_rows(rows, as_json=as_json)


def exported_resources(names: Collection[str] = ()) -> Sequence[ExportedRows]:
    """The resources with these names: tables with the fields of the schema; all without names. Raises ValueError."""
    from resolvers.lists.flat_rows import flat_rows
    from rest_facade.commands.exports.row_fields import row_fields
    from schema.schema import GRAPHQL_SCHEMA

    known = {table.name: table for table in EXPORTED_TABLES}
    for name in names:
        if name not in known:
            raise ValueError(f"{name!r} is none of {', '.join(sorted(known))}")
    fields = row_fields(GRAPHQL_SCHEMA)
    return [flat_rows(table, fields.get(table, {})) for name, table in known.items() if not names or name in names]
