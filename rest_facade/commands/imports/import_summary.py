"""Summary of an import: lines for a reader, or one JSON object for programs."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import timedelta
from uuid import UUID

import orjson

from db.jobs.importing.detailed_reports.intervals import written_hours
from db.jobs.importing.import_run import ImportResult
from db.jobs.importing.time_summary import NamedTime, TimeSummary
from resolvers.reports.report_members import TIMESHEETS_CAP

SHOWN_NAMES, NAMED_PEOPLE = 50, 5
"""People and projects whose hours are shown as text, and people who are named in a sentence."""


def summary_lines(result: ImportResult, notes: Sequence[str], *, dry_run: bool) -> Iterator[str]:
    """Lines for a reader: the time, what became of the rows of each table, and notes."""
    times = [("deleted", result.deleted)]
    if (time := result.time) is not None:
        starts = f"between {time.early_start:%H:%M} and {time.late_start:%H:%M} ({time.timezone})"
        # Entries that only have a length start at midnight, which says nothing about the zone.
        half = f"\thalf of the entries start {starts}" if time.late_start.strftime("%H:%M") > "00:00" else ""
        sizes = f"{_counted(len(time.people), 'person', 'people')}\t{_counted(time.projects, 'project', 'projects')}"
        yield f"time\t{time.first_day} to {time.last_day}\t{sizes}{half}"
        times = [("hours", time.people), ("project", time.project_time), ("less", time.uncounted), *times]
        times.append(("stored", time.stored))
    for label, named in times:
        for name, seconds in named[:SHOWN_NAMES]:
            yield f"{label}\t{written_hours(seconds)}\t{name}"
        if len(named) > SHOWN_NAMES:
            yield f"... and {len(named) - SHOWN_NAMES} more with {label}"
    for each in result.tables:
        counts = f"{each.inserted} new\t{each.updated} changed\t{each.deleted} deleted\t{each.unchanged} unchanged"
        yield f"{each.table}\t{counts}"
    yield from notes
    if dry_run:
        yield "This was a dry run: nothing was written."


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def time_notes(time: TimeSummary, *, is_report: bool) -> Iterator[str]:
    """What is stored with another start, and how much less reports count; for whom, and what to do."""
    if time.moved_days is not None:
        first, last = time.moved_days
        yield (
            f"{_of_people(time.moved)} is stored with another start, too, and both count: if the entries moved, or"
            f" --timezone or --dates was another, import with --replace --days {first}..{last}."
        )
    if time.stored:
        yield (
            f"{_of_people(time.stored)} is stored on these days, and not in the files: it stays, and counts, too."
            " --replace deletes what this time tracker does not have any more: use it if the files have all entries."
        )
    if time.uncounted:
        note = f"Reports count {_of_people(time.uncounted, ' less than the files have, for ')}: time of a person that"
        note += " overlaps counts once, and breaks and discarded idle time do not count."
        if time.starts_are_equal:
            remedy = "import with --durations" if is_report else "let each start where the one before it ends"
            note += f" Entries of a person start together: if they only mean durations, {remedy}."
        elif is_report:
            note += " If only the lengths are right, as after rounding, import with --durations."
        yield note
    if time.crowded:
        days = _first_of([f"{name} on {day}" for name, day in time.crowded])
        yield f"Reports refuse days with more than {TIMESHEETS_CAP.limit:,} timesheets of a person: {days}."


def report_advice(organization: UUID, time: TimeSummary) -> str:
    """The command that shows the time, of its last year at most."""
    start = max(time.first_day, time.last_day - timedelta(days=365))
    days = f"--start {start} --end {time.last_day}"
    return f"To look at the hours: orgdata report --organization {organization} {days} --html hours.html"


def _of_people(times: NamedTime, between: str = " of ") -> str:
    hours = written_hours(sum(seconds for _, seconds in times))
    return f"{hours}{between}{_first_of([name for name, _ in times])}"


def _first_of(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED_PEOPLE} more" if len(names) > NAMED_PEOPLE else ""
    return f"{', '.join(names[:NAMED_PEOPLE])}{more}"


def summary_json(result: ImportResult, notes: Sequence[str], *, dry_run: bool) -> str:
    """One object for programs."""
    time = None if result.time is None else asdict(result.time)
    content = {"dry_run": dry_run, "tables": [asdict(each) for each in result.tables], "time": time, "notes": notes}
    content["deleted"] = _seconds("full_name", result.deleted)
    if time is not None:
        time |= {name: _seconds("full_name", time[name]) for name in ("people", "uncounted", "stored", "moved")}
        time["project_time"] = _seconds("name", time["project_time"])
        time["crowded"] = [{"full_name": name, "date": day} for name, day in time["crowded"]]
    return orjson.dumps(content).decode()


def _seconds(key: str, times: NamedTime) -> list[dict[str, str | int]]:
    return [{key: name, "seconds": seconds} for name, seconds in times]
