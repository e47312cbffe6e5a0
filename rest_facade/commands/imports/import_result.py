"""What an import changed, as text or as JSON."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict

import orjson

from db.jobs.importing.merging.merge import TableChanges
from db.jobs.importing.time_summary import TimeSummary

SHOWN_PEOPLE = 50
"""People whose hours are shown as text."""


def text_result(
    changes: Sequence[TableChanges], summaries: Sequence[TimeSummary], notes: Sequence[str], *, dry_run: bool
) -> Iterator[str]:
    """Lines for a reader: the time, what became of the rows of each table, and notes."""
    for summary in summaries:
        yield (
            f"time\t{summary.first_day} to {summary.last_day}"
            f"\t{len(summary.people)} people\t{summary.projects} projects"
            f"\thalf of the entries start between {summary.early_start:%H:%M} and {summary.late_start:%H:%M}"
            f" ({summary.timezone})"
        )
        for name, seconds in summary.people[:SHOWN_PEOPLE]:
            yield f"hours\t{seconds // 3600}:{seconds // 60 % 60:02}\t{name}"
        if len(summary.people) > SHOWN_PEOPLE:
            yield f"... and {len(summary.people) - SHOWN_PEOPLE} more people"
    for each in changes:
        counts = f"{each.inserted} new\t{each.updated} changed\t{each.deleted} deleted\t{each.unchanged} unchanged"
        yield f"{each.table}\t{counts}"
    yield from notes
    if dry_run:
        yield "This was a dry run: nothing was written."


def json_result(
    changes: Sequence[TableChanges], summaries: Sequence[TimeSummary], notes: Sequence[str], *, dry_run: bool
) -> str:
    """One object for programs."""
    tables = [{**asdict(each), "unchanged": each.unchanged} for each in changes]
    times = [
        {**asdict(each), "people": [{"full_name": name, "seconds": seconds} for name, seconds in each.people]}
        for each in summaries
    ]
    content = {"dry_run": dry_run, "tables": tables, "time": times[0] if times else None, "notes": notes}
    return orjson.dumps(content).decode()
