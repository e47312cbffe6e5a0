"""A varied world: each row has random references and values of its own, and some rows and people are deleted.

So a row, or a value, of the wrong parent is another one than the expected one. Rows keep what a constraint demands.
Some memberships and lines of an invoice are fixed, so that each array of ids has several.
"""

import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import date, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg.types.json import Jsonb
from sqlalchemy import Boolean, Column, Date, DateTime, Integer, Numeric, Table, Text
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects.postgresql import ARRAY, TIMESTAMP

from db.tables.columns import metadata
from db.tables.remembered import FROM, UNTIL, USER_IDS
from tests import world as worlds
from tests.factories import activity, leaves, money, timesheets
from tests.factories.base import NAMES, THEN
from tests.factories.rows import Rows
from tests.factories.world import World, named
from tests.schema.edges import TYPES, listed_references
from tests.schema.nodes import key_of

ZONE = "Pacific/Auckland"
"""The zone of the organization. Its days are not those of UTC."""

NOW = THEN + timedelta(days=5)
"""The time of requests, after all times of the world."""

FIXED = {FROM, UNTIL, USER_IDS, "organization_id", "deleted_at", "removed_at", "first_joined_at", "timezone"}
"""Columns that are not varied by their type."""

_EARLIER = "interval '1 minute' * (5 * get_byte(uuid_send(id), 1))"
_SOME = "get_byte(uuid_send({}), 2) %% 2 = 0"
_SOME_IDS = _SOME.format("id")
_PLACE = """jsonb_build_object('latitude', '1.5', 'longitude', '2.5', 'label', 'A-' || id)"""
_EDITED = "action = 'edited', original_started_at = started_at - interval '3 hours'"
_ORIGINAL = "original_ended_at = started_at - interval '1 minute' * get_byte(uuid_send(id), 3) / 2"
_CLOSED = (
    f"status = CASE WHEN clock_out_at IS NULL THEN 'open' WHEN {_SOME_IDS} THEN 'auto_closed' ELSE 'closed' END,"
    f" auto_clock_out_reason = CASE WHEN clock_out_at IS NOT NULL AND {_SOME_IDS}"
    " THEN coalesce(auto_clock_out_reason, 'inactivity') END"
)

CONNECTED = (
    ("timesheets", "ended_at = NULL, tracked_until = started_at + interval '30 minutes'"),
    ("timesheets", "ended_at = CASE WHEN " + _SOME_IDS + " THEN tracked_until END"),
    *(
        (table, ", ".join(f"{column} = {column} - {_EARLIER}" for column in columns))
        for table, *columns in (
            ("timesheets", "started_at", "ended_at", "tracked_until"),
            ("idle_times", "started_at", "ended_at"),
            ("manual_requests", "started_at", "ended_at"),
        )
    ),
    ("manual_requests", f"{_EDITED}, {_ORIGINAL}"),
    ("project_members", "role = CASE WHEN get_byte(uuid_send(id), 2) %% 4 > 0 THEN 'manager' ELSE role END"),
    ("projects", "budget_type = 'time', budget_amount = NULL, budget_seconds = 36, budget_recurrence = 'none'"),
    ("members", "timezone = CASE WHEN " + _SOME.format("user_id") + " THEN 'Europe/Berlin' END"),
    ("clients", "timezone = CASE WHEN " + _SOME_IDS + " THEN 'Asia/Tokyo' END"),
    ("clients", "address = jsonb_build_object('city', 'A-city ' || id)"),
    ("project_members", "currency = CASE WHEN " + _SOME_IDS + " THEN 'USD' END"),
    ("clock_records", f"clock_out_location = {_PLACE}"),
    ("clock_records", _CLOSED),
    ("leave_policies", "carry_over_expires_on_month_day = '03-31'"),
    ("leave_applications", "started_at = created_at, ended_at = created_at + interval '1 hour'"),
)
"""Tables, and changes of all rows: of columns that a constraint connects, or without which a field has nothing."""

DIALECT: Any = postgresql.dialect()  # type: ignore[no-untyped-call]  # SQLAlchemy has no type of it.


def _descending(name: str, *numbers: int) -> list[UUID]:
    """Ids of rows that leave neither the organization nor the world. Arrays show them in the other order."""
    return sorted((named(name, number) for number in numbers), reverse=True)


PEOPLE = _descending("user", 4, 5)
SHARED_TEAMS, SHARED_PROJECTS, SHARED_TASKS = (_descending(name, 1, 2) for name in ("team", "project", "task"))
INVOICE = named("invoice", 1)

TOGETHER = [named("together", number) for number in range(3)]
"""The ids of the fixed rows, in each table that has some."""

REMAINING = {*TOGETHER, *SHARED_TEAMS, *SHARED_PROJECTS, *SHARED_TASKS, INVOICE}
"""Rows that are not deleted."""

Value = Callable[[int], Any]


def build(rows: Rows, superuser: psycopg.Connection[Any], size: int, seed: int) -> World:
    """A varied world with `size` rows in each list. Another organization has rows with the same ids."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (worlds, activity, leaves, money, timesheets):
            patch.setattr(module, "SIZE", size)
        world, other = worlds.build(rows, "A"), worlds.build(rows, "B")
    for each in (world, other):
        _put_together(rows, each.organization_id)
    _Variation(superuser, world.organization_id, seed).apply()
    return world


def _put_together(rows: Rows, own: UUID) -> None:
    """The fixed rows: two people in one team, project and task, one of them in another, and an invoice of two projects.

    They are written in the order that arrays do not have.
    """
    with rows.transaction(own):
        for id_, parent, person in zip(TOGETHER, (0, 0, 1), (0, 1, 0), strict=True):
            user = PEOPLE[person]
            rows.team_member(own, SHARED_TEAMS[parent], user, id=id_, role="lead")
            through = {"source": "team", "team_id": SHARED_TEAMS[person]}
            rows.project_member(own, SHARED_PROJECTS[parent], user, id=id_, role="manager", **through)
            rows.task_member(own, SHARED_TASKS[parent], user, id=id_, role="assignee")
        for position, (id_, project) in enumerate(zip(TOGETHER, SHARED_PROJECTS, strict=False), start=100):
            rows.invoice_line(own, INVOICE, id=id_, position=position, project_id=project)


class _Variation:
    def __init__(self, superuser: psycopg.Connection[Any], own: UUID, seed: int) -> None:
        self._connection = superuser
        self._own = own
        self._seed = seed
        self._ids = {name: self._ids_of(metadata.tables[name]) for name in TYPES}

    def _chance(self, table: str, what: str) -> random.Random:
        """A stream of its own for each column: another column or table changes no value of the others."""
        return random.Random(f"{self._seed} {table} {what}")

    def apply(self) -> None:
        self._run("UPDATE organizations SET timezone = %s WHERE organization_id = %s", ZONE, self._own)
        # Triggers refuse some of these, and others take long. Constraints still hold.
        self._run("SET session_replication_role = replica")
        self._refer()
        for name in TYPES:
            for column in metadata.tables[name].columns:
                self._vary(metadata.tables[name], column)
        self._connect()
        # Triggers delete what belongs to a deleted row.
        self._run("SET session_replication_role = origin")
        self._delete()

    def _refer(self) -> None:
        """Give each row random rows to refer to."""
        self._run("UPDATE idle_times SET action = 'reassigned' WHERE organization_id = %s", self._own)
        # A membership keeps this team if the constraint refuses the random values.
        query = "UPDATE project_members SET source = 'team', team_id = %s WHERE organization_id = %s"
        query += " AND source = 'direct' AND get_byte(uuid_send(id), 0) %% 4 > 0"
        self._run(query, named("team"), self._own)
        parents: dict[tuple[str, str], list[UUID]] = {}
        for reference in listed_references():
            ids = self._ids[reference.parent.name]
            parents.setdefault((reference.child.name, reference.column), []).extend(ids)
        for (name, column), ids in parents.items():
            table = metadata.tables[name]
            values = [*ids, *([None] * 2 if table.c[column].nullable else [])]
            chance = self._chance(name, column)
            for id_ in self._ids[name]:
                # Another row may stand there already: a person is once in a team.
                for value in chance.choices(values, k=3):
                    if self._changed(table, column, id_, value):
                        break
        # A task is deleted with its project, and with its parent.
        query = "UPDATE tasks SET project_id = %s, parent_task_id = NULL WHERE organization_id = %s AND id = ANY(%s)"
        self._run(query, SHARED_PROJECTS[0], self._own, SHARED_TASKS)

    def _vary(self, table: Table, column: Column[Any]) -> None:
        chance = self._chance(table.name, column.name)
        value = self._value(table, column, chance)
        if value is not None:
            numbers = list(range(len(self._ids[table.name])))
            chance.shuffle(numbers)
            self._change(table, column, self._ids[table.name], [value(number) for number in numbers])

    def _value(self, table: Table, column: Column[Any], chance: random.Random) -> Value | None:
        """What gives the row with a number its value of the column; None if it is not varied."""
        kind = column.type
        start, day = THEN - timedelta(days=2), THEN.date() - timedelta(days=2)
        if column.name in FIXED or column.name in NAMES or column.foreign_keys or column.primary_key:
            return None
        if "values" in column.info:
            members = [each.value for each in column.info["values"]]
            return None if (table.name, column.name) == ("members", "status") else lambda _: chance.choice(members)
        if isinstance(kind, Text):
            return lambda number: f"A-{table.name} {column.name} {number}"
        if isinstance(kind, ARRAY):
            return lambda number: [f"{column.name} {number}", "shared"]
        if isinstance(kind, Boolean):
            return lambda _: chance.random() < 0.5
        if isinstance(kind, Integer):
            return lambda number: 10 * number + chance.randrange(10)
        if isinstance(kind, Numeric):
            return lambda number: Decimal(1000 * number + chance.randrange(1000)) / 100
        if isinstance(kind, TIMESTAMP | DateTime):
            return lambda number: start + timedelta(hours=number * 7, minutes=chance.randrange(400))
        if isinstance(kind, Date):
            return lambda number: day + timedelta(days=number + chance.randrange(2))
        return None

    def _connect(self) -> None:
        """Values that depend on other rows or columns, without which a field would show nothing."""
        for id_, shots in zip(self._ids["suspicious_activity_logs"], self._screenshots(), strict=False):
            evidence = Jsonb({"app_names": [f"A-app {id_}"], "screenshot_ids": shots})
            self._changed(metadata.tables["suspicious_activity_logs"], "evidence", id_, evidence)
        self._run(
            "UPDATE screenshots s SET user_id = t.user_id, captured_at = t.started_at + interval '1 minute' * "
            "(1 + get_byte(uuid_send(s.id), 0) %% 9) FROM timesheets t WHERE s.organization_id = %s "
            "AND t.organization_id = s.organization_id AND t.id = s.timesheet_id",
            self._own,
        )
        self._run(
            "UPDATE break_times b SET user_id = c.user_id, "
            "started_at = c.clock_in_at + interval '1 minute' * get_byte(uuid_send(b.id), 1), "
            "ended_at = c.clock_in_at + interval '1 minute' * (50 + get_byte(uuid_send(b.id), 1)) "
            "FROM clock_records c WHERE b.organization_id = %s AND c.organization_id = b.organization_id "
            "AND c.id = b.clock_record_id",
            self._own,
        )
        self._run(
            "UPDATE idle_times i SET user_id = t.user_id FROM timesheets t WHERE i.organization_id = %s "
            "AND t.organization_id = i.organization_id AND t.id = i.timesheet_id",
            self._own,
        )
        for table, change in CONNECTED:
            self._run(f"UPDATE {table} SET {change} WHERE organization_id = %s", self._own)
        for number, id_ in enumerate(self._ids["invoices"]):
            if number % 2:
                self._run(
                    "UPDATE invoices SET discount_type = 'amount', discount_value = %s, discount_amount = %s, "
                    "total = subtotal - %s + tax_amount WHERE organization_id = %s AND id = %s",
                    *(number, number, number, self._own, id_),
                )
        for name, column, share in (
            ("break_times", "ended_at", 0.2),
            ("payment_settings", "effective_to", 0.3),
            ("clients", "archived_at", 0.5),
        ):
            chance = self._chance(name, f"{column} is null")
            for id_ in self._ids[name]:
                if chance.random() < share:
                    self._changed(metadata.tables[name], column, id_, None)
        for id_ in self._ids["project_members"][::4]:
            self._changed(metadata.tables["project_members"], "removed_at", id_, THEN)
        for id_ in self._ids["leave_periods"][::2]:
            self._changed(metadata.tables["leave_periods"], "start_date", id_, date(2025, 1, 1))
            self._changed(metadata.tables["leave_periods"], "end_date", id_, date(2027, 1, 1))

    def _screenshots(self) -> Sequence[list[str]]:
        ids, chance = self._ids["screenshots"], self._chance("screenshots", "evidence")
        return [[str(each) for each in chance.sample(ids, 3)] for _ in self._ids["suspicious_activity_logs"]]

    def _delete(self) -> None:
        """Some rows are deleted, one person is removed, and one is deleted."""
        _, removed, suspended, deleted, *_ = (named("user", number) for number in range(len(self._ids["members"])))
        table = metadata.tables["members"]
        change = "UPDATE members SET status = 'removed', removed_at = %s WHERE organization_id = %s AND user_id = %s"
        self._run(change, THEN, self._own, removed)
        self._changed(table, "status", suspended, "suspended")
        self._changed(table, "deleted_at", deleted, THEN)
        for name, ids in self._ids.items():
            if name != "members":
                gone = self._chance(name, "deleted_at").choice([each for each in ids if each not in REMAINING])
                self._changed(metadata.tables[name], "deleted_at", gone, THEN)

    def _change(self, table: Table, column: Column[Any], ids: Sequence[UUID], new: Sequence[Any]) -> None:
        """Change a column of all rows; one by one where a constraint refuses some."""
        query = (
            f"UPDATE {table.name} SET {column.name} = v.value FROM unnest(%s::uuid[], %s::{_array_of(column)}[]) "
            f"AS v (id, value) WHERE organization_id = %s AND {table.name}.{key_of(table)} = v.id"
        )
        # An array of arrays has no unnest() of its items.
        if isinstance(column.type, ARRAY):
            new = ["{" + ",".join(f'"{item}"' for item in each) + "}" for each in new]
            query = query.replace(f"{_array_of(column)}[]", "text[]").replace("v.value", "v.value::text[]")
        try:
            self._connection.execute(query.encode(), [list(ids), list(new), self._own])
        except (psycopg.IntegrityError, psycopg.DataError):
            for id_, value in zip(ids, new, strict=True):
                self._changed(table, column.name, id_, value)

    def _changed(self, table: Table, column: str, id_: UUID, value: Any) -> bool:
        query = f"UPDATE {table.name} SET {column} = %s WHERE organization_id = %s AND {key_of(table)} = %s"
        with suppress(psycopg.IntegrityError, psycopg.DataError):
            self._connection.execute(query.encode(), [value, self._own, id_])
            return True
        return False

    def _ids_of(self, table: Table) -> list[UUID]:
        """The ids of the rows that are not fixed."""
        key = key_of(table)
        query = f"SELECT {key} FROM {table.name} WHERE organization_id = %s AND {key} <> ALL(%s) ORDER BY 1"
        return [id_ for (id_,) in self._connection.execute(query.encode(), [self._own, TOGETHER])]

    def _run(self, query: str, *values: Any) -> None:
        self._connection.execute(query.encode(), values)


def _array_of(column: Column[Any]) -> str:
    compiled: str = column.type.compile(dialect=DIALECT)
    return compiled
