"""What an import changed, as text or as JSON."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict

import orjson

from db.jobs.importing.import_run import ImportResult

SHOWN_PEOPLE = 50
"""People whose hours are shown as text."""


def text_result(result: ImportResult, notes: Sequence[str], *, dry_run: bool) -> Iterator[str]:
    """Lines for a reader: the time, what became of the rows of each table, and notes."""
    if (time := result.time) is not None:
        yield (
            f"time\t{time.first_day} to {time.last_day}\t{len(time.people)} people\t{time.projects} projects"
            f"\thalf of the entries start between {time.early_start:%H:%M} and {time.late_start:%H:%M}"
            f" ({time.timezone})"
        )
        for name, seconds in time.people[:SHOWN_PEOPLE]:
            yield f"hours\t{seconds // 3600}:{seconds // 60 % 60:02}\t{name}"
        if len(time.people) > SHOWN_PEOPLE:
            yield f"... and {len(time.people) - SHOWN_PEOPLE} more people"
    for each in result.tables:
        counts = f"{each.inserted} new\t{each.updated} changed\t{each.deleted} deleted\t{each.unchanged} unchanged"
        yield f"{each.table}\t{counts}"
    yield from notes
    if dry_run:
        yield "This was a dry run: nothing was written."


def json_result(result: ImportResult, notes: Sequence[str], *, dry_run: bool) -> str:
    """One object for programs."""
    tables = [{**asdict(each), "unchanged": each.unchanged} for each in result.tables]
    time = None
    if result.time is not None:
        people = [{"full_name": name, "seconds": seconds} for name, seconds in result.time.people]
        time = {**asdict(result.time), "people": people}
    content = {"dry_run": dry_run, "tables": tables, "time": time, "notes": notes}
    return orjson.dumps(content).decode()
