"""`orgdata import`: rows of files become rows of an organization, all of them or none."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import tzinfo
from functools import partial
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID

import typer
from psycopg import Error as DriverError
from psycopg import IntegrityError, OperationalError
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from db.admin.organizations import read_organization
from db.errors import OperatorError, printable
from db.jobs.importing.detailed_reports.detailed_report import DetailedReport
from db.jobs.importing.detailed_reports.mapping import DateOrder
from db.jobs.importing.detailed_reports.mapping_choice import advice_on, chosen_mapping, looks_like
from db.jobs.importing.detailed_reports.replaced_days import EVERY_DAY, ReplacedDays
from db.jobs.importing.detailed_reports.report_file import ReportFile
from db.jobs.importing.files.import_file import ImportFile, find_files
from db.jobs.importing.files.source import source_files
from db.jobs.importing.files.text_lines import UnreadableText
from db.jobs.importing.import_run import ImportRefused, ImportResult
from db.jobs.importing.import_run import import_rows as merge_rows
from db.jobs.importing.restore import restore as restore_export
from db.jobs.importing.rows import SourceItem
from resolvers.day_bounds import zone_info
from resolvers.reports.report_members import TIMESHEETS_CAP
from resolvers.reports.tracked_seconds import tracked_seconds
from rest_facade.commands.imports.import_summary import report_advice, summary_json, summary_lines, time_notes
from rest_facade.commands.options import OrganizationOption, ended_by_interrupt
from rest_facade.commands.owner import owner_engine
from rest_facade.commands.progress import JobProgress, job_progress

_merge = partial(merge_rows, tracked_seconds=tracked_seconds, timesheets_cap=TIMESHEETS_CAP.limit)

ONE_TRANSACTION = "It is one transaction, written as a whole or not at all"


@dataclass(frozen=True)
class ReportOptions:
    """Options of a report of a time tracker."""

    tracker: str
    columns: Sequence[str]
    settings: Mapping[str, Any]
    """What replaces the settings of the mapping."""
    save: bool
    durations: bool
    replace: bool
    undo: bool
    days: ReplacedDays | None


def import_rows(
    organization: OrganizationOption,
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Files named after tables, such as timesheets.csv or .ndjson (also with .gz), or .parquet, and folders"
            " of them, or in a ZIP file. With --from, CSV files of detailed reports.",
            exists=True,
        ),
    ] = None,
    *,
    tracker: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="NAME",
            help="The time tracker whose detailed report the file is, such as toggl; or the name of a mapping, which"
            " NAME.toml has, --map gives, or the header proposes.",
        ),
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option("--map", metavar="FIELD=COLUMN", help="Which column has a field, such as date=Datum."),
    ] = None,
    person: Annotated[
        str | None, typer.Option(help="E-mail address of the person of all entries, if no column has people.")
    ] = None,
    trust_durations: Annotated[
        bool,
        typer.Option("--trust-durations", help="An entry ends after its duration, whatever the end in the report is."),
    ] = False,
    save: Annotated[
        bool, typer.Option("--save", help="Keep the mapping, with zone and order of dates, as NAME.toml here.")
    ] = False,
    timezone: Annotated[
        str | None, typer.Option(help="Zone of the times in the report. Default: the organization's.")
    ] = None,
    dates: Annotated[
        DateOrder | None,
        typer.Option(help="Whether the day or the month is first in 03/04/2026, if no date of the report shows it."),
    ] = None,
    durations: Annotated[
        bool,
        typer.Option("--durations", help="Times of day in the report say nothing: entries of a day follow each other."),
    ] = False,
    replace: Annotated[
        bool,
        typer.Option(help="Delete the rows of the same tables (with --from: entries) that the files no longer have."),
    ] = False,
    undo: Annotated[
        bool, typer.Option("--undo", help="Delete what was imported from this time tracker. Without PATHS.")
    ] = False,
    days: Annotated[
        str | None,
        typer.Option(
            metavar="A..B",
            help="The days that --replace and --undo concern, such as 2026-03-01..2026-03-31, for all people.",
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would change, and change nothing.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print what changed as one JSON object.")] = False,
    restore: Annotated[
        bool,
        typer.Option(
            "--restore",
            help="Make the organization as it was when it was exported, ids and times included. PATHS is the folder of"
            " the export. An organization with this id may exist, without rows.",
        ),
    ] = False,
) -> None:
    """Import files of rows, a detailed report of another time tracker, or an export: all of it, or nothing."""
    paths = paths or []
    of_reports = (timezone, dates, columns, person, trust_durations, save, durations, undo, days)
    if tracker is None and any(of_reports):
        raise typer.BadParameter("is needed: these options are for detailed reports", param_hint="--from")
    if days and not (replace or undo):
        raise typer.BadParameter("needs --replace or --undo", param_hint="--days")
    if undo and (paths or replace or durations):
        raise typer.BadParameter("stands without PATHS and other options of files", param_hint="--undo")
    if not (paths or undo):
        raise typer.BadParameter("names no file", param_hint="PATHS")
    if restore and (tracker or replace or dry_run):
        raise typer.BadParameter("stands alone", param_hint="--restore")
    with ended_by_interrupt("Nothing was imported."), _told():
        if restore:
            result, notes = _restore(organization, paths)
        elif tracker is None:
            result, notes = _merge_files(organization, paths, replace=replace, dry_run=dry_run)
        else:
            settings = {"person": person, "timezone": timezone, "dates": dates, "trusts_durations": trust_durations}
            replaced = _days(days) if days else EVERY_DAY if undo else None
            options = ReportOptions(tracker, columns or [], settings, save, durations, replace, undo, replaced)
            result, notes, dry_run = _merge_reports(organization, paths, options, dry_run=dry_run, as_json=as_json)
    if result.time is not None:
        notes = [*notes, *time_notes(result.time, is_report=tracker is not None)]
    if as_json:
        typer.echo(summary_json(result, notes, dry_run=dry_run))
    else:
        for line in summary_lines(result, notes, dry_run=dry_run):
            typer.echo(printable(line))
        if result.time is not None and not dry_run:
            typer.echo(report_advice(organization, result.time))


def _merge_reports(
    organization: UUID, paths: Sequence[Path], options: ReportOptions, *, dry_run: bool, as_json: bool
) -> tuple[ImportResult, Sequence[str], bool]:
    """The changes, notes, and whether nothing was written, as with a mapping that is only proposed."""
    size = sum(path.stat().st_size for path in paths)
    with job_progress("import", size) as bar, owner_engine().begin() as owner:
        if any(path.is_dir() for path in paths):
            raise typer.BadParameter("reads files, and no folders", param_hint="--from")
        mapping = chosen_mapping(options.tracker, options.columns, paths, **options.settings)
        if mapping.is_proposed:
            typer.echo(printable(looks_like(ReportFile(source_files(paths[0])[0], mapping))), err=as_json)
            dry_run = dry_run or not options.save
        zone = _zone(owner, organization, mapping.timezone)
        replaces = options.replace or options.undo
        report = DetailedReport(paths, mapping, zone, options.durations, replaces, options.days)
        # Days without times of day are the same days here, whatever zone they were in.
        with suppress(UnreadableText):
            report.zone = _zone(owner, organization, None) if report.are_placed else zone
        items = report.rows(owner, organization, bar.advance, bar.count)
        result = _merge(owner, organization, items, dry_run=dry_run, step=bar.step)
        notes = report.notes()
        if options.undo and not any(table.deleted for table in result.tables):
            notes = [f"Nothing was deleted: no entry from {mapping.name} is stored, {options.days}."]
        if dry_run and not as_json:
            notes += report.preview
        if options.save and not dry_run:
            notes.append(mapping.save())
        elif mapping.is_proposed:
            notes.append(advice_on(mapping))
    return result, notes, dry_run


def _merge_files(
    organization: UUID, paths: Sequence[Path], *, replace: bool, dry_run: bool
) -> tuple[ImportResult, Sequence[str]]:
    files = find_files(paths)
    size = sum(path.stat().st_size for path in {file.source.path for file in files})
    with job_progress("import", size) as bar, owner_engine().begin() as owner:
        items = bar.counted(_rows(files, bar))
        result = _merge(owner, organization, items, replace=replace, dry_run=dry_run, step=bar.step)
    return result, [note for file in files if (note := file.note()) is not None]


def _rows(files: Sequence[ImportFile], bar: JobProgress) -> Iterator[SourceItem]:
    for file in files:
        bar.show(file.source.name)
        yield from file.rows(bar.advance)


def _restore(organization: UUID, paths: Sequence[Path]) -> tuple[ImportResult, Sequence[str]]:
    if len(paths) != 1 or not paths[0].is_dir():
        raise typer.BadParameter("reads the folder of one export", param_hint="--restore")
    # Each file is read twice: to check it, and to insert its rows.
    size = 2 * sum(entry.stat().st_size for entry in paths[0].iterdir() if entry.is_file())
    with job_progress("restore", size) as bar, owner_engine().begin() as owner:
        changes = restore_export(owner, organization, paths[0], step=bar.show, advance=bar.advance)
        status = read_organization(owner, organization)["status"]
    note = "If it existed before, its status and its deletion stay as the operator set them."
    return ImportResult(changes), [f"Organization {organization} is {status}. {note}"]


def _days(text: str) -> ReplacedDays:
    try:
        return ReplacedDays.parse(text)
    except ValueError as error:
        raise typer.BadParameter(f"{error}: write 2026-03-01..2026-03-31", param_hint="--days") from error


def _zone(connection: Connection, organization_id: UUID, name: str | None) -> tzinfo:
    organization = read_organization(connection, organization_id)
    try:
        return zone_info(name or organization["timezone"])
    except KeyError as error:
        raise typer.BadParameter(f"{error} is not a time zone", param_hint="--timezone") from error


@contextmanager
def _told() -> Iterator[None]:
    """Print the refused values, and say of an error of the database that nothing is half written."""
    try:
        yield
    except ImportRefused as refused:
        for line in refused.log.lines():
            typer.echo(line, err=True)
        raise
    except (DBAPIError, DriverError) as error:
        cause = getattr(error, "orig", error)
        if not isinstance(cause, IntegrityError | OperationalError):
            # A missing right, for example, has a message with its remedy elsewhere.
            raise
        reason = str(cause).strip().splitlines()[0].removesuffix(".")
        # Rows that a key or a rule of the database refuses are refused again.
        advice = "" if isinstance(cause, IntegrityError) else ": run the command again"
        raise OperatorError(f"The database ended the import: {reason}. {ONE_TRANSACTION}{advice}.") from error
