"""Records of time as Hypothesis draws them, and how they are written to the database."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID, uuid4

from hypothesis import strategies as st
from sqlalchemy import Table, delete, insert

from db.tables.timesheets import activity_slots, break_times, idle_times, manual_requests, timesheets
from tests.factories.base import THEN, set_row_organization
from tests.factories.rows import Rows

SECOND, QUARTER, HOUR, DAY = timedelta(seconds=1), timedelta(minutes=15), timedelta(hours=1), timedelta(days=1)
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
COUNTERS = ("input_seconds", "active_seconds", "keyboard_seconds", "mouse_seconds")

# Ranges of four days, most of them with a change of the clock.
RANGES = [
    ("UTC", date(2026, 1, 5)),
    ("Europe/Berlin", date(2026, 3, 28)),
    ("Europe/Berlin", date(2026, 10, 24)),
    ("Africa/Cairo", date(2024, 4, 25)),
    ("Africa/Cairo", date(2024, 10, 30)),
    ("Asia/Beirut", date(2024, 3, 30)),
    ("Asia/Beirut", date(2024, 10, 26)),
    ("America/Havana", date(2024, 3, 9)),
    ("America/Havana", date(2024, 11, 2)),
    ("America/Santiago", date(2024, 9, 7)),
    ("America/Santiago", date(2024, 4, 6)),
    ("Atlantic/Azores", date(2024, 3, 30)),
    ("Atlantic/Azores", date(2024, 10, 26)),
    ("Australia/Lord_Howe", date(2024, 4, 6)),
    ("Australia/Lord_Howe", date(2024, 10, 5)),
    ("Pacific/Apia", date(2011, 12, 28)),
    ("Asia/Kathmandu", date(2026, 2, 27)),
    ("Asia/Kolkata", date(2024, 12, 30)),
]

# Names that sort differently by letter and by byte, a duplicate, and none. Projects with the number of a client, tasks
# with that of a project; a record has a project and a task, or neither.
CLIENTS = ["globex", "acme"]
PROJECTS = [("alpha", 0), ("Beta", None), ("alpha", None), ("éclair", 1)]
TASKS = [("draft", 0), ("Draft", 0), ("draft", 3)]
WORK = [(None, None), (0, None), (0, 0), (0, 1), (1, None), (2, None), (3, 2)]


@dataclass(frozen=True, kw_only=True)
class Record:
    """An interval from `start` until `end`."""

    start: datetime
    end: datetime
    is_deleted: bool = False
    updated_at: datetime = THEN


@dataclass(frozen=True, kw_only=True)
class Idle(Record):
    action: str


@dataclass(frozen=True, kw_only=True)
class Sheet(Record):
    """A timesheet; a running one was tracked until `end`. Its counters are the sums of those of its slots."""

    project: int | None = None
    task: int | None = None
    is_running: bool = False
    is_manual: bool = False
    is_billable: bool = False
    is_locked: bool = False
    idle: Sequence[Idle] = ()
    slots: dict[datetime, dict[str, int]] = field(default_factory=dict)
    slots_updated_at: datetime = THEN


@dataclass(frozen=True, kw_only=True)
class Break(Record):
    """A break; an open one has no end."""

    lasts: bool = False
    is_paid: bool = False


@dataclass(frozen=True, kw_only=True)
class Request(Record):
    """A manual time request; its original times differ by `moved`."""

    status: str
    moved: timedelta | None = None


@dataclass(frozen=True)
class Person:
    sheets: Sequence[Sheet] = ()
    breaks: Sequence[Break] = ()
    requests: Sequence[Request] = ()


@dataclass(frozen=True)
class Place:
    """An organization with two people; its clients, projects and tasks by number."""

    organization_id: UUID
    people: Sequence[UUID]
    clients: Sequence[UUID]
    projects: Sequence[UUID]
    tasks: Sequence[UUID]


Columns = Sequence[Mapping[str, Any]]


def new_place(
    rows: Rows,
    *,
    people: Columns = ({},) * 2,
    projects: Columns = ({},) * 4,
    tasks: Columns = ({},) * 3,
    **organization: Any,
) -> Place:
    """A place whose things have these columns beside those of above."""
    own, joined = rows.organization(**organization), {"first_joined_at": LONG_AGO, "updated_at": LONG_AGO}
    ids = [rows.member(own, created_at=THEN + n * HOUR, **joined, **columns) for n, columns in enumerate(people)]
    clients = [rows.client(own, name=name) for name in CLIENTS]
    project_ids = [
        rows.project(own, name=name, client_id=None if n is None else clients[n], **columns)
        for (name, n), columns in zip(PROJECTS, projects, strict=True)
    ]
    pairs = zip(TASKS, tasks, strict=True)
    task_ids = [rows.task(own, project_ids[n], name=name, **columns) for (name, n), columns in pairs]
    return Place(own, ids, clients, project_ids, task_ids)


@st.composite
def people(draw: st.DrawFn, origin: datetime, length: timedelta) -> Person:
    """A person with records between `origin` and `length` later, many of them on quarters of an hour."""
    numbers = Random(draw(st.integers(0, 2**32)))

    def common(start: datetime, end: datetime) -> dict[str, Any]:
        """The columns of each record, two of them random."""
        is_deleted, updated_at = numbers.random() < 0.1, THEN + numbers.randrange(10**9) * SECOND / 1000
        return {"start": start, "end": end, "is_deleted": is_deleted, "updated_at": updated_at}

    sheets = []
    drawn = sorted(draw(st.lists(_stretches(origin, length), max_size=8)))
    stretches = drawn if draw(st.booleans()) else _apart(drawn)
    for start, end in stretches:
        project, task = numbers.choice(WORK)
        is_running = (start, end) == stretches[-1] and numbers.random() < 0.5
        until = start if is_running and numbers.random() < 0.2 else end
        sheets.append(
            Sheet(
                project=project,
                task=task,
                is_running=is_running,
                is_manual=numbers.random() < 0.3,
                is_billable=numbers.random() < 0.5,
                is_locked=numbers.random() < 0.5,
                idle=[
                    Idle(action=numbers.choice(["kept", "discarded", "reassigned", "pending"]), **common(begin, stop))
                    for begin, stop in draw(st.lists(_stretches(start, end - start), max_size=3).map(_apart))
                ],
                slots=_slots(numbers, start, until),
                slots_updated_at=common(start, until)["updated_at"],
                **common(start, until),
            )
        )
    # Paid breaks may overlap unpaid ones.
    rests = [(is_paid, draw(st.lists(_stretches(origin, length), max_size=4).map(_apart))) for is_paid in (False, True)]
    requests = draw(st.lists(_stretches(origin, length), max_size=2))
    return Person(
        sheets,
        [
            Break(lasts=(start, end) == spans[-1] and numbers.random() < 0.5, is_paid=is_paid, **common(start, end))
            for is_paid, spans in rests
            for start, end in spans
        ],
        [
            Request(
                status=numbers.choice(["pending", "approved", "rejected"]),
                moved=numbers.choice([None, -DAY, 2 * DAY]),
                **common(*stretch),
            )
            for stretch in requests
        ],
    )


def _stretches(origin: datetime, length: timedelta) -> st.SearchStrategy[tuple[datetime, datetime]]:
    """A start and an end: intervals of a second to a day."""
    last = length // SECOND
    starts = st.integers(0, last - 1) | st.integers(0, (last - 1) // 900).map(lambda quarter: quarter * 900)
    pairs = st.tuples(starts, st.integers(1, DAY // SECOND) | st.integers(1, 96).map(lambda quarter: quarter * 900))
    return pairs.map(lambda pair: (origin + pair[0] * SECOND, origin + min(last, sum(pair)) * SECOND))


def _apart(stretches: Sequence[tuple[datetime, datetime]]) -> list[tuple[datetime, datetime]]:
    """The intervals that do not overlap an earlier one."""
    kept: list[tuple[datetime, datetime]] = []
    for start, end in sorted(stretches):
        if not kept or kept[-1][1] <= start:
            kept.append((start, end))
    return kept


def _slots(numbers: Random, start: datetime, end: datetime) -> dict[datetime, dict[str, int]]:
    """Counters of each quarter of an hour, at most the seconds that the timesheet has in it."""
    slots = {}
    slot = datetime.fromtimestamp(start.timestamp() // 900 * 900, UTC)
    while slot < end:
        length = (min(slot + QUARTER, end) - max(slot, start)) // SECOND
        captured = numbers.choice([length, numbers.randint(0, length)])
        slots[slot] = {"input_seconds": captured} | {name: numbers.randint(0, captured) for name in COUNTERS[1:]}
        slot += QUARTER
    return slots


def write(rows: Rows, place: Place, persons: Sequence[Person]) -> None:
    """Write the records of the place's people, in place of those of an earlier example."""
    tables: dict[Table, list[dict[str, Any]]] = {
        table: [] for table in (timesheets, idle_times, activity_slots, break_times, manual_requests)
    }

    def add(table: Table, user_id: UUID, record: Record, **values: Any) -> None:
        own = {"organization_id": place.organization_id, "id": uuid4(), "user_id": user_id}
        times = {"started_at": record.start, "ended_at": record.end, "updated_at": record.updated_at}
        tables[table].append(own | times | {"deleted_at": record.updated_at if record.is_deleted else None} | values)

    for user_id, person in zip(place.people, persons, strict=True):
        # Ids ascend, since of timesheets that begin together the one with the lower id has the time.
        for id_, sheet in zip(sorted(uuid4() for _ in person.sheets), person.sheets, strict=True):
            work = {
                "project_id": None if sheet.project is None else place.projects[sheet.project],
                "task_id": None if sheet.task is None else place.tasks[sheet.task],
            }
            ends = {"ended_at": None if sheet.is_running else sheet.end, "tracked_until": sheet.end}
            kind = {"kind": "manual" if sheet.is_manual else "automatic", "is_billable": sheet.is_billable}
            kind |= {"is_locked": sheet.is_locked}
            counters = {name: sum(slot[name] for slot in sheet.slots.values()) for name in COUNTERS}
            add(timesheets, user_id, sheet, id=id_, **work, **ends, **kind, **counters)
            for idle in sheet.idle:
                add(idle_times, user_id, idle, timesheet_id=id_, action=idle.action)
            own = {"organization_id": place.organization_id, "user_id": user_id, "timesheet_id": id_}
            slot = own | {"updated_at": sheet.slots_updated_at}
            tables[activity_slots] += [slot | {"slot_at": at} | counted for at, counted in sheet.slots.items()]
        for rest in person.breaks:
            add(break_times, user_id, rest, ended_at=None if rest.lasts else rest.end, is_paid=rest.is_paid)
        for request in person.requests:
            asked = {"status": request.status, "requested_by_user_id": user_id, "requested_at": THEN, "action": "added"}
            if request.moved is not None:
                original = (request.start + request.moved, request.end + request.moved)
                asked |= dict(zip(("original_started_at", "original_ended_at"), original, strict=True), action="edited")
            else:
                asked |= dict.fromkeys(("original_started_at", "original_ended_at"))
            add(manual_requests, user_id, request, **asked)
    with rows.connection.begin():
        set_row_organization(rows.connection, place.organization_id)
        for table in (activity_slots, idle_times, timesheets, break_times, manual_requests):
            rows.connection.execute(delete(table).where(table.c.organization_id == place.organization_id))
        for table, values in tables.items():
            if values:
                rows.connection.execute(insert(table), values)
