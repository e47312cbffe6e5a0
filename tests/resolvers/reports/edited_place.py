"""An organization with records of some days, and random edits of it, for tests of what an edit changes."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import insert, text

from db.tables.columns import metadata
from tests.factories.base import THEN, set_row_organization
from tests.factories.rows import Rows
from tests.local_days import first_moment

FIRST = datetime(2026, 6, 9, tzinfo=UTC)
DAYS = 5
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
RATINGS = ("productive", "neutral", "unproductive", "unrated")

Row = dict[str, Any]


class Place:
    """An organization with records of some days, all unchanged since THEN, and random edits of it."""

    def __init__(self, rows: Rows, seed: int) -> None:
        self.rows, self.numbers, self.own = rows, Random(seed), uuid4()
        self.ids: dict[str, list[UUID]] = {}
        self.tables: dict[str, list[Row]] = {}
        self._people()
        for user_id in self.ids["members"]:
            self._records(user_id)
            self._payables(user_id)
        with rows.transaction(self.own):
            for name, values in self.tables.items():
                columns = dict.fromkeys(column for row in values for column in row)
                rows.connection.execute(insert(metadata.tables[name]), [columns | row for row in values])

    def _add(self, table_name: str, /, **values: Any) -> UUID:
        table, id_ = metadata.tables[table_name], uuid4()
        key = {"id": id_} if "id" in table.columns else {}
        row = {"organization_id": self.own, "created_at": THEN, "updated_at": THEN} | key | values
        self.tables.setdefault(table_name, []).append(row)
        own = values["user_id"] if table_name == "members" else id_
        self.ids.setdefault(table_name, []).append(own)
        return id_

    def _people(self) -> None:
        self._add("organizations", name="Changing", timezone="Europe/Berlin", currency="EUR")
        for n in range(3):
            joined = {"status": "active", "joined_at": LONG_AGO, "first_joined_at": LONG_AGO}
            named = {"full_name": f"Member {n}", "email": f"{n}@example.com"}
            self._add("members", user_id=uuid4(), membership_id=uuid4(), **named, **joined)
        for n in range(2):
            self._add("clients", name=f"Client {n}", currency="EUR")
        for n in range(3):
            client = self.numbers.choice([None, *self.ids["clients"]])
            project = self._add("projects", name=f"Project {n}", client_id=client, currency="EUR")
            self._add("tasks", name=f"Task {n}", project_id=project)
        for n in range(3):
            self._add("apps", name=f"App {n}", productivity=RATINGS[n])
            site = self._add("domains", name=f"site{n}.example", productivity=RATINGS[n])
            self._add("url_pages", domain_id=site, url=f"https://site{n}.example/", title=f"Page {n}")
        for n in range(2):
            team = self._add("teams", name=f"Team {n}")
            for user_id in self.numbers.sample(self.ids["members"], 2):
                deleted = self.numbers.choice([None, None, THEN])
                self._add("team_members", team_id=team, user_id=user_id, joined_at=THEN, deleted_at=deleted)

    def _records(self, user_id: UUID) -> None:
        numbers, person = self.numbers, {"user_id": user_id}
        start = FIRST - DAY + numbers.randrange(20) * HOUR
        while start < FIRST + (DAYS + 1) * DAY:
            end = start + numbers.choice([1, 2, 5, 12]) * HOUR
            self._sheet(user_id, start, end)
            start = end + numbers.choice([1, 9, 20, 40]) * HOUR
        for _ in range(2):
            at = self.moment()
            self._add("break_times", **person, started_at=at, ended_at=numbers.choice([None, at + HOUR]))
            self._add("manual_requests", **person, **self._request())
            out = numbers.choice([None, at + 9 * HOUR])
            status = "open" if out is None else "closed"
            self._add("clock_records", **person, clock_in_at=at, clock_out_at=out, status=status)

    def _request(self) -> Row:
        at, before = self.moment(), self.moment()
        original = {"original_started_at": before, "original_ended_at": before + HOUR, "action": "edited"}
        who = {"requested_by_user_id": self.ids["members"][0], "requested_at": THEN}
        status = self.numbers.choice(["pending", "approved", "rejected"])
        changed = original if self.numbers.random() < 0.5 else {}
        return {"started_at": at, "ended_at": at + 2 * HOUR, "status": status, "action": "added"} | who | changed

    def _sheet(self, user_id: UUID, start: datetime, end: datetime) -> None:
        numbers = self.numbers
        project = numbers.choice([None, 0, 1, 2])
        is_running = numbers.random() < 0.1
        sheet = self._add(
            "timesheets",
            user_id=user_id,
            started_at=start,
            ended_at=None if is_running else end,
            tracked_until=end,
            project_id=None if project is None else self.ids["projects"][project],
            task_id=None if project is None or numbers.random() < 0.3 else self.ids["tasks"][project],
            deleted_at=THEN if numbers.random() < 0.1 else None,
        )
        if numbers.random() < 0.5:
            action = numbers.choice(["kept", "discarded", "pending"])
            stop = start + timedelta(minutes=30)
            self._add("idle_times", user_id=user_id, timesheet_id=sheet, started_at=start, ended_at=stop, action=action)
        for hours in range(0, (end - start) // HOUR, 3):
            slot = {"user_id": user_id, "timesheet_id": sheet, "slot_at": start + hours * HOUR}
            self._add("activity_slots", **slot, input_seconds=600)
            self._usage(slot)

    def _usage(self, slot: Row) -> None:
        used = {"duration_seconds": 300, "active_seconds": 100, "first_at": slot["slot_at"], "last_at": slot["slot_at"]}
        deleted = {"deleted_at": THEN if self.numbers.random() < 0.1 else None}
        n = self.numbers.randrange(3)
        self._add("app_usages", app_id=self.ids["apps"][n], **slot, **used, **deleted)
        n = self.numbers.randrange(3)
        visited = {"domain_id": self.ids["domains"][n], "page_id": self.ids["url_pages"][n]}
        self._add("url_usages", **visited, **slot, **used, **deleted)

    def _payables(self, user_id: UUID) -> None:
        for _ in range(3):
            start = (FIRST + self.numbers.randrange(-2, DAYS) * DAY).date()
            period = {"period_start": start, "period_end": start + self.numbers.choice([0, 0, 1, 3, 6]) * DAY}
            closed = {"is_final": self.numbers.random() < 0.8, "deleted_at": self.numbers.choice([None] * 5 + [THEN])}
            self._add("payables", user_id=user_id, kind="hourly", amount=1, currency="EUR", **period, **closed)

    def moment(self) -> datetime:
        return FIRST + self.numbers.randrange(-12, DAYS * 24 + 12) * HOUR

    def run(self, command: str, **values: Any) -> None:
        with self.rows.connection.begin():
            set_row_organization(self.rows.connection, self.own)
            self.rows.connection.execute(text(command), {"own": self.own} | values)

    def read(self, table: str) -> Sequence[Any]:
        with self.rows.connection.begin():
            set_row_organization(self.rows.connection, self.own)
            return self.rows.connection.execute(
                text(f"SELECT * FROM {table} WHERE organization_id = :own"), {"own": self.own}
            ).all()

    def edit(self, tables: Sequence[str]) -> str:
        """One random edit of one of the tables, which is a command that PostgreSQL accepts."""
        table = self.numbers.choice(tables)
        return self.apply(table, self.numbers.choice(EDITS[table]))

    def apply(self, table: str, change: str) -> str:
        """Apply the edit to a random row of the table, with random values."""
        numbers = self.numbers
        key = {"members": "user_id", "organizations": "organization_id"}.get(table, "id")
        values: Row = {
            "user": numbers.choice(self.ids["members"]),
            "at": self.moment(),
            "shift": numbers.choice([-100, -50, -24, -3, 1, 30, 80]) * HOUR,
            "hours": numbers.choice([1, 3, 20]) * HOUR,
            "number": numbers.randrange(10**6),
            "project": numbers.choice([None, *self.ids["projects"]]),
            "client": numbers.choice([None, *self.ids["clients"]]),
            "zone": numbers.choice(["Asia/Tokyo", "UTC", "America/New_York"]),
            "rating": numbers.choice(RATINGS),
            "team": numbers.choice(self.ids["teams"]),
            "day": (FIRST + numbers.randrange(DAYS) * DAY).date(),
        }
        if table in SLOTS:
            row = numbers.choice(self.tables[table])
            where = "timesheet_id = :sheet AND slot_at = :slot"
            values |= {"sheet": row["timesheet_id"], "slot": row["slot_at"]}
        else:
            where = f"{key} = :key"
            values["key"] = self.own if table == "organizations" else numbers.choice(self.ids[table])
        own = f"organization_id = :own AND {where}"
        is_command = change.strip().startswith(("INSERT", "WITH"))
        command = change.format(table=table, own=own) if is_command else f"UPDATE {table} SET {change} WHERE {own}"
        self.run(command, **values)
        return f"{table}: {change}"


SLOTS = ("activity_slots", "app_usages", "url_usages")
"""The tables whose rows are slots. A row that moves is deleted and inserted again."""

DELETION = ("deleted_at = now()", "deleted_at = NULL")
MOVE = ("started_at = started_at + :shift, ended_at = ended_at + :shift", "user_id = :user")
EDITS: Mapping[str, Sequence[str]] = {
    "timesheets": [
        *(f"{move}, tracked_until = tracked_until + :shift" for move in MOVE[:1]),
        *MOVE[1:],
        *DELETION,
        "ended_at = CASE WHEN ended_at IS NULL THEN tracked_until + interval '1 second' END",
        "ended_at = started_at + :hours, tracked_until = started_at + :hours",
        "project_id = :project, task_id = NULL",
        "is_billable = NOT is_billable",
        "input_seconds = :number % 3600",
    ],
    "idle_times": [MOVE[0], *DELETION, "action = 'pending'", "action = 'discarded'", "ended_at = started_at + :hours"],
    "break_times": [
        *MOVE,
        *DELETION,
        "ended_at = CASE WHEN ended_at IS NULL THEN started_at + :hours END",
        "is_paid = NOT is_paid",
    ],
    "manual_requests": [
        *MOVE,
        *DELETION,
        "status = 'pending'",
        "status = 'approved'",
        "original_started_at = :at, original_ended_at = :at + interval '1 hour', action = 'edited'",
        "original_started_at = NULL, original_ended_at = NULL, action = 'added'",
    ],
    "clock_records": [
        *DELETION,
        "user_id = :user",
        "clock_in_at = clock_in_at + :shift, clock_out_at = clock_out_at + :shift",
        "clock_out_at = NULL, status = 'open'",
        "clock_out_at = clock_in_at + :hours, status = 'closed'",
    ],
    "activity_slots": [*DELETION, "input_seconds = :number % 900"],
    **{
        table: [
            *DELETION,
            "duration_seconds = 100 + :number % 800",
            f"""
            WITH moved AS (UPDATE {{table}} SET deleted_at = now() WHERE {{own}} RETURNING *)
            INSERT INTO {{table}} ({columns}, slot_at, first_at, last_at)
            SELECT {columns}, slot_at + :shift, first_at + :shift, last_at + :shift FROM moved
            ON CONFLICT DO NOTHING
            """,
        ]
        for table, columns in (
            ("app_usages", "organization_id, user_id, app_id, timesheet_id, duration_seconds"),
            ("url_usages", "organization_id, user_id, domain_id, page_id, timesheet_id, duration_seconds"),
        )
    },
    "apps": ["productivity = :rating", "name = 'App ' || :number", "category = 'Category ' || :number"],
    "domains": ["productivity = :rating", "name = 'site' || :number || '.example'"],
    "url_pages": ["title = 'Page ' || :number"],
    "team_members": [
        "deleted_at = now()",
        "role = CASE role WHEN 'lead' THEN 'member' ELSE 'lead' END",
        """
        INSERT INTO team_members (organization_id, id, team_id, user_id, joined_at)
        VALUES (:own, gen_random_uuid(), :team, :user, now()) ON CONFLICT DO NOTHING
        """,
    ],
    "payables": [
        *DELETION,
        "is_final = NOT is_final",
        "period_start = :day, period_end = :day",
        "note = 'Note ' || :number",
    ],
    "clients": ["name = 'Client ' || :number"],
    "projects": ["name = 'Project ' || :number", "client_id = :client"],
    "tasks": ["name = 'Task ' || :number"],
    "members": [
        "full_name = 'Member ' || :number",
        "email = :number || '@example.com'",
        "status = 'removed', removed_at = :at",
        "status = 'active', removed_at = NULL",
        "joined_at = :at, first_joined_at = :at",
        *DELETION,
    ],
    "organizations": ["timezone = :zone"],
}
"""The edits of each table."""


def is_final(place: Place, user_id: str, zone: str, start: date, end: date) -> bool:
    """Whether no record of the person is unfinished, looked up in all rows of the organization."""
    low, high = first_moment(zone, start), first_moment(zone, end + DAY)

    def overlaps(begin: datetime | None, stop: datetime) -> bool:
        return begin is not None and begin < high and stop > low

    def own(table: str) -> list[Any]:
        return [row for row in place.read(table) if str(row.user_id) == user_id and row.deleted_at is None]

    return not (
        any(row.ended_at is None and low - DAY < row.started_at < high for row in own("timesheets"))
        or any(row.ended_at is None and low - DAY < row.started_at < high for row in own("break_times"))
        or any(row.clock_out_at is None and row.clock_in_at < high for row in own("clock_records"))
        or any(row.action == "pending" and overlaps(row.started_at, row.ended_at) for row in own("idle_times"))
        or any(
            row.status == "pending"
            and (overlaps(row.started_at, row.ended_at) or overlaps(row.original_started_at, row.original_ended_at))
            for row in own("manual_requests")
        )
    )
