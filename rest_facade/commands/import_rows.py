"""`orgdata import`: rows of files become rows of an organization, all of them or none."""

import sys
from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from db.importing.detailed_reports.dates import DateOrder
from db.importing.detailed_reports.formats import Tracker
from rest_facade.commands.options import Organization
from rest_facade.commands.owner import owner_transaction

if TYPE_CHECKING:
    from sqlalchemy import Connection


def import_rows(
    path: Annotated[Path, typer.Argument(help="CSV file of a detailed report.", exists=True, dir_okay=False)],
    organization: Organization,
    *,
    tracker: Annotated[Tracker, typer.Option("--from", help="The time tracker whose detailed report the file is.")],
    timezone: Annotated[
        str | None, typer.Option(help="Zone of the times in the report. Default: the organization's.")
    ] = None,
    dates: Annotated[
        DateOrder | None, typer.Option(help="Order of day and month in the report, where its dates do not tell.")
    ] = None,
    replace: Annotated[bool, typer.Option(help="Delete entries that the report no longer has.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would change, and change nothing.")] = False,
) -> None:
    """Import a detailed report of another time tracker: all of it, or nothing."""
    from db.importing import run
    from db.importing.detailed_reports.detailed_report import DetailedReport
    from db.importing.detailed_reports.formats import FORMATS

    with owner_transaction() as connection:
        zone = _zone(connection, organization, timezone)
        report = DetailedReport(path, FORMATS[tracker], zone, dates, replaces=replace)
        try:
            changes = run.import_rows(connection, organization, report.rows(connection, organization), dry_run=dry_run)
        except run.ImportRefused as refused:
            connection.rollback()
            typer.echo("\n".join(refused.log.lines()), err=True)
            sys.exit(f"orgdata: {refused}")
    for change in changes:
        typer.echo(f"{change.table}\t{change.inserted} new\t{change.updated} changed\t{change.deleted} deleted")
    for note in report.notes():
        typer.echo(note)


def _zone(connection: "Connection", organization_id: UUID, name: str | None) -> tzinfo:
    from db.admin.keys import set_organization
    from db.importing.detailed_reports.known_work import organization_timezone
    from resolvers.day_bounds import zone_info

    set_organization(connection, organization_id)
    try:
        return zone_info(name or organization_timezone(connection, organization_id))
    except KeyError as error:
        raise typer.BadParameter(f"{error} is not a time zone", param_hint="--timezone") from error
