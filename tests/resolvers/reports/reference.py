"""The reference for time activity in plain Python: it looks at each stretch of time in which nothing changes."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from itertools import pairwise, takewhile
from typing import Any

from tests.local_days import first_moment
from tests.resolvers.reports import records
from tests.resolvers.reports.records import COUNTERS, DAY, PROJECTS, SECOND, TASKS, Break, Person, Place, Record, Sheet

SECONDS = [
    *("tracked_seconds", "manual_seconds", "billable_seconds", "idle_seconds", "discarded_idle_seconds"),
    *("break_seconds", "paid_break_seconds", *COUNTERS, "locked_seconds"),
]
NOTHING = timedelta()
Content = Mapping[str, int]
"""What is asked for, by number: a project, a client, a task, or nothing."""

Fact = tuple[date, tuple[int | None, int | None], str, Any]
"""On which day, of which entry, what kind of thing, how much of it."""


def facts_of(person: Person, name: str, days: Sequence[date], content: Content) -> list[Fact]:
    """All that a report shows of the time of one person."""
    edges = _edges(name, days)
    live = [sheet for sheet in person.sheets if not sheet.is_deleted]
    shown = [sheet for sheet in live if _is_shown(sheet, content)]
    breaks = [rest for rest in person.breaks if not rest.is_deleted and not rest.lasts]

    found: list[Fact] = []
    for day, (begin, end) in zip(days, pairwise(edges), strict=True):
        for start, stop in pairwise(sorted({begin, end, *_changes(person, begin, end)})):
            length = (stop - start) // SECOND
            resting = _kinds_of_break([rest for rest in breaks if _holds(rest, start)])
            sheet = _owner(live, start)
            if sheet is None:
                if not content:
                    found += [(day, (None, None), kind, length) for kind in resting]
            elif sheet in shown:
                found += [(day, (sheet.project, sheet.task), kind, length) for kind in _kinds(sheet, start, resting)]
        for sheet in shown:
            own = _owned(sheet, live) if _is_met(sheet, live) else [(sheet.start, sheet.end)]
            own = [(max(start, begin), min(stop, end)) for start, stop in own if _overlaps(start, stop, begin, end)]
            if begin < end and own:
                key = (sheet.project, sheet.task)
                for at, counters in sheet.slots.items():
                    left = _seconds_of(own, at)
                    found += [(day, key, counter, min(counters[counter], left)) for counter in COUNTERS]
                found.append((day, key, "timesheet", id(sheet)))
                found.append((day, key, "began", own[0][0]))
                found.append((day, key, "ended", own[-1][1]))
    return found


def report(place: Place, person: Person, name: str, days: Sequence[date], content: Content) -> dict[str, Any]:
    """The row of one person, without the user."""
    edges = _edges(name, days)
    low, high = edges[0], edges[-1]
    found = facts_of(person, name, days, content)
    rows = []
    for day, (begin, end) in zip(days, pairwise(edges), strict=True):
        of_day = [fact for fact in found if fact[0] == day]
        if of_day:
            entries = {key: _totals(fact for fact in of_day if fact[1] == key) for _, key, _, _ in of_day}
            rows.append(
                {"date": day, "day_length_seconds": (end - begin) // SECOND}
                | _totals(of_day)
                | _ends(of_day)
                | {
                    "entries": [
                        _entry(place, *key) | entries[key]
                        for key in sorted(entries, key=lambda key: _order(place, *key))
                    ]
                }
            )
    requests = [
        request
        for request in person.requests
        if _touches(request, low, high)
        or (request.moved is not None and request.start + request.moved < high and request.end + request.moved > low)
    ]
    idle = [idle for sheet in person.sheets for idle in sheet.idle]
    starts = [(record.start, record.updated_at) for record in (*person.sheets, *idle, *person.breaks, *person.requests)]
    starts += [(request.start + request.moved, request.updated_at) for request in person.requests if request.moved]
    changes = [changed for start, changed in starts if low - DAY < start < high]
    changes += [
        sheet.slots_updated_at
        for sheet in person.sheets
        if _is_divided(sheet, person, edges) and any(low <= at < high for at in sheet.slots)
    ]
    unfinished = [
        *(sheet.is_running and not sheet.is_deleted and low - DAY < sheet.start < high for sheet in person.sheets),
        *(rest.lasts and not rest.is_deleted and low - DAY < rest.start < high for rest in person.breaks),
        *(each.action == "pending" and not each.is_deleted and _touches(each, low, high) for each in idle),
        *(request.status == "pending" and not request.is_deleted for request in requests),
    ]
    return (
        {"start_date": days[0], "end_date": days[-1], "timezone": name}
        | _totals(found)
        | _ends(found)
        | {
            "days_worked": sum(row["tracked_seconds"] != 0 for row in rows),
            "is_final": not any(unfinished),
            "updated_at": max(changes, default=records.LONG_AGO),
            "days": rows,
        }
    )


def _edges(name: str, days: Sequence[date]) -> list[datetime]:
    return [first_moment(name, day) for day in [*days, days[-1] + DAY]]


def _is_met(sheet: Sheet, sheets: Sequence[Sheet]) -> bool:
    """Whether another one of these, which are in the order of their starts, overlaps a timesheet."""
    earlier = list(takewhile(lambda other: other is not sheet, sheets))
    later = sheets[len(earlier) + 1 :]
    return any(sheet.start < other.end for other in earlier) or any(other.start < sheet.end for other in later)


def _keeps(sheet: Sheet, moment: datetime) -> bool:
    idle = [each for each in sheet.idle if not each.is_deleted and _holds(each, moment)]
    return all(each.action in ("kept", "pending") for each in idle)


def _owner(live: Sequence[Sheet], moment: datetime) -> Sheet | None:
    """The timesheet in which an instant counts: the earliest one that keeps it, else the earliest one."""
    holders = [sheet for sheet in live if _holds(sheet, moment)]
    return next((sheet for sheet in holders if _keeps(sheet, moment)), holders[0] if holders else None)


def _owned(sheet: Sheet, live: Sequence[Sheet]) -> list[tuple[datetime, datetime]]:
    """The stretches of a timesheet that count in it."""
    records = [*live, *(idle for other in live for idle in other.idle)]
    moments = {moment for each in records for moment in (each.start, each.end)} | {sheet.start, sheet.end}
    stretches = pairwise(sorted(moment for moment in moments if sheet.start <= moment <= sheet.end))
    return [(start, stop) for start, stop in stretches if _owner(live, start) is sheet]


def _seconds_of(stretches: Sequence[tuple[datetime, datetime]], at: datetime) -> int:
    """The seconds of the slot `at` in these stretches."""
    cut = [min(stop, at + records.QUARTER) - max(start, at) for start, stop in stretches]
    return sum(max(length, NOTHING) // SECOND for length in cut)


def _overlaps(start: datetime, stop: datetime, begin: datetime, end: datetime) -> bool:
    return begin <= start < end or start < begin < stop


def _is_shown(sheet: Sheet, content: Content) -> bool:
    client = None if sheet.project is None else PROJECTS[sheet.project][1]
    of = {"project_id": sheet.project, "client_id": client, "task_id": sheet.task}
    return all(of[name] == number for name, number in content.items())


def _holds(record: Record, moment: datetime) -> bool:
    return record.start <= moment < record.end


def _touches(record: Record, begin: datetime, end: datetime) -> bool:
    return _overlaps(record.start, record.end, begin, end)


def _is_divided(sheet: Sheet, person: Person, edges: Sequence[datetime]) -> bool:
    """Whether a timesheet holds the bound of a day, or another one overlaps it, a deleted one too."""
    return any(sheet.start < edge < sheet.end for edge in edges) or _is_met(sheet, person.sheets)


def _changes(person: Person, begin: datetime, end: datetime) -> list[datetime]:
    records = [*person.sheets, *person.breaks, *(idle for sheet in person.sheets for idle in sheet.idle)]
    return [moment for record in records for moment in (record.start, record.end) if begin < moment < end]


def _kinds_of_break(breaks: Sequence[Break]) -> list[str]:
    """The kinds of time that an instant in these breaks counts as; an unpaid one makes it unpaid."""
    is_paid = all(rest.is_paid for rest in breaks)
    return ["break_seconds", *(["paid_break_seconds"] if is_paid else [])] if breaks else []


def _kinds(sheet: Sheet, moment: datetime, resting: list[str]) -> list[str]:
    """The kinds of time that an instant of a timesheet counts as."""
    actions = [idle.action for idle in sheet.idle if not idle.is_deleted and _holds(idle, moment)]
    if resting:
        return resting
    if actions and actions[0] in ("discarded", "reassigned"):
        return ["discarded_idle_seconds"]
    more = {"manual": sheet.is_manual, "billable": sheet.is_billable, "locked": sheet.is_locked, "idle": bool(actions)}
    return ["tracked_seconds", *(f"{kind}_seconds" for kind, is_true in more.items() if is_true)]


def _totals(facts: Any) -> dict[str, Any]:
    facts = list(facts)
    totals: dict[str, Any] = {name: sum(value for *_, kind, value in facts if kind == name) for name in SECONDS}
    captured, active = totals["input_seconds"], totals["active_seconds"]
    totals["activity_percent"] = int(100 * active / captured + 0.5) if captured else None
    totals["timesheets_count"] = len({value for *_, kind, value in facts if kind == "timesheet"})
    return totals


def _ends(facts: Any) -> dict[str, Any]:
    facts = list(facts)
    return {
        "first_started_at": min((value for *_, kind, value in facts if kind == "began"), default=None),
        "last_ended_at": max((value for *_, kind, value in facts if kind == "ended"), default=None),
    }


def _entry(place: Place, project: int | None, task: int | None) -> dict[str, Any]:
    client = None if project is None else PROJECTS[project][1]
    return {
        "project_id": None if project is None else place.projects[project],
        "project_name": None if project is None else PROJECTS[project][0],
        "client_id": None if client is None else place.clients[client],
        "client_name": None if client is None else records.CLIENTS[client],
        "task_id": None if task is None else place.tasks[task],
        "task_name": None if task is None else TASKS[task][0],
    }


def _order(place: Place, project: int | None, task: int | None) -> tuple[Any, ...]:
    """Sort key: the bytes of the names, then the ids; nulls last."""
    entry = _entry(place, project, task)
    names = [entry[name] and entry[name].encode() for name in ("project_name", "task_name")]
    ids = [entry[name] for name in ("project_id", "task_id")]
    return tuple((value is None, value or 0) for value in [*names, *ids])
