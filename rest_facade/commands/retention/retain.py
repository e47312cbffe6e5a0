"""`orgdata retain`: drop the activity that is older than the retention of its organization."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import structlog
import typer
from sqlalchemy import Connection

from db.jobs.retention.drop_rows import DropResult, count_rows, drop_rows
from db.jobs.retention.retentions import RETAINED_TABLES, read_retentions
from db.jobs.retention.stored_objects import list_objects
from resolvers.day_bounds import day_start, local_date
from rest_facade.commands.options import AllOption, OrganizationFilter, check_one_or_all, ended_by_interrupt
from rest_facade.commands.owner import owner_engine
from rest_facade.commands.printed_rows import AsJson, PrintedRow, print_note, print_rows
from rest_facade.commands.progress import job_progress

log = structlog.get_logger()

MOST_BATCH_ROWS = 100_000


def retain(
    organization: OrganizationFilter = None,
    *,
    every: AllOption = False,
    objects: Annotated[
        Path | None,
        typer.Option(help="A file to which the keys of dropped images are appended, one JSON object a line."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be dropped, and drop nothing.")] = False,
    batch: Annotated[int, typer.Option(help="Rows of a transaction.", min=1, max=MOST_BATCH_ROWS)] = 5_000,
    as_json: AsJson = False,
) -> None:
    """Drop screenshots and usage that are older than the retention of their organization, in small transactions.

    Exit code: 0 if all of it was dropped; 1 if some is left: run it again; 2 for wrong arguments.
    """
    check_one_or_all(organization, every=every)
    if objects is None and not dry_run:
        raise typer.BadParameter("Name a file for the keys of the images that are dropped.", param_hint="--objects")
    dropped: list[PrintedRow] = []
    outcome = "What was dropped stays dropped; run the command again."
    try:
        with ended_by_interrupt(outcome), owner_engine().connect() as connection:
            retentions = read_retentions(connection, organization)
            connection.rollback()
            for row, seconds in _each_table(connection, retentions, None if dry_run else objects, batch):
                dropped.append(row)
                if not as_json:
                    print_rows([row], as_json=False)
                if not dry_run:
                    texts = {name: str(row.values[name]) for name in ("organization_id", "first_kept_day")}
                    log.info("retained", **{**row.values, **texts}, ms=round(seconds * 1000))
    finally:
        if as_json:
            print_rows(dropped, as_json=True)
    if dry_run:
        print_note("This was a dry run: nothing was dropped.", as_json=as_json)
    if any(row.values["has_locked"] for row in dropped):
        typer.echo("orgdata: Other transactions held some rows, which stay: run the command again.", err=True)
        raise typer.Exit(1)


def first_kept_day(timezone: str, days: int, now: datetime) -> date:
    """The first local day of which rows are kept. Today is always kept: its rows are still written."""
    return local_date(timezone, now) - timedelta(days=max(days, 1) - 1)


def _each_table(
    connection: Connection, retentions: Sequence[Any], objects: Path | None, batch_rows: int
) -> Iterator[tuple[PrintedRow, float]]:
    """Drop the old rows of each table of each organization; without a file for `objects`, only count them.

    Yields what was dropped of each, and the seconds that it took.
    """
    with job_progress("retain", len(retentions) * len(RETAINED_TABLES)) as bar:
        for retention in retentions:
            for retained in RETAINED_TABLES:
                bar.begin(retained.table.name)
                started = perf_counter()
                days = retention.data_retention_days[retained.kind]
                day = first_kept_day(retention.timezone, days, datetime.now(UTC))
                old = (connection, retention.organization_id, retained, day_start(retention.timezone, day))
                if objects is None:
                    result = DropResult(count_rows(*old))
                    bar.count(result.rows)
                else:
                    list_in_file = partial(list_objects, objects)
                    result = drop_rows(*old, list_objects=list_in_file, batch_rows=batch_rows, progress=bar.count)
                own, table = retention.organization_id, retained.table.name
                values = {"organization_id": own, "table": table, "first_kept_day": day, **asdict(result)}
                row = PrintedRow(values, (own, table, f"before {day}", f"{result.rows} dropped"))
                yield row, perf_counter() - started
