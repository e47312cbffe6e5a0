"""Edits of one row: another value for each column, deletion and restoration, a new row."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

import orjson
from sqlalchemy import Boolean, Column, Connection, Date, DateTime, Integer, Numeric, Table, Uuid, text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.exc import DBAPIError

from db.tables.columns import metadata
from tests.factories.base import set_row_organization
from tests.world import World

_IN_TEAM = "source = 'team', team_id = :team"

TOGETHER: Mapping[str, Sequence[str]] = {
    "members.status": ["status = 'suspended'"],
    "members.removed_at": ["removed_at = clock_timestamp(), status = 'removed'"],
    "timesheets.started_at": ["started_at = started_at - interval '1 hour'"],
    "timesheets.ended_at": ["ended_at = NULL", "ended_at = ended_at + interval '1 hour', tracked_until = ended_at"],
    "clock_records.clock_out_at": ["clock_out_at = NULL, status = 'open'"],
    **{
        f"timesheets.{name}_seconds": [f"input_seconds = 900, {name}_seconds = 10"]
        for name in ("active", "keyboard", "mouse")
    },
    "clock_records.status": ["status = 'auto_closed'"],
    "clock_records.auto_clock_out_reason": ["status = 'auto_closed', auto_clock_out_reason = 'midnight'"],
    "project_members.source": [_IN_TEAM],
    "project_members.team_id": [_IN_TEAM],
    "idle_times.reassigned_project_id": ["action = 'reassigned', reassigned_project_id = :project"],
    "idle_times.reassigned_task_id": ["action = 'reassigned', reassigned_task_id = :task"],
    "invoices.discount_type": ["discount_type = 'percent', discount_value = 10, discount_amount = 0"],
    "invoices.discount_value": ["discount_type = 'percent', discount_value = 10, discount_amount = 0"],
    "invoices.total": ["total = total + 1, subtotal = subtotal + 1"],
    "invoices.subtotal": ["total = total + 1, subtotal = subtotal + 1"],
    "invoices.tax_amount": ["total = total + 1, tax_amount = tax_amount + 1"],
    "invoices.discount_amount": [
        "total = total - 1, discount_type = 'amount', discount_value = 1, discount_amount = 1"
    ],
    **{f"{table}.budget_type": ["budget_type = 'time', budget_seconds = 3600"] for table in ("clients", "projects")},
    **{f"{table}.budget_seconds": ["budget_type = 'time', budget_seconds = 3600"] for table in ("clients", "projects")},
    **{f"{table}.budget_amount": ["budget_type = 'amount', budget_amount = 9"] for table in ("clients", "projects")},
    "manual_requests.original_started_at": ["original_started_at = started_at, original_ended_at = ended_at"],
    "manual_requests.original_ended_at": ["original_started_at = started_at, original_ended_at = ended_at"],
    "manual_requests.action": ["action = 'deleted'"],
    "leave_applications.started_at": ["started_at = '2026-01-05T09:00Z', ended_at = '2026-01-05T10:00Z'"],
    "leave_applications.ended_at": ["started_at = '2026-01-05T09:00Z', ended_at = '2026-01-05T10:00Z'"],
    "organizations.features": ["features = features || '{\"leave\": false}'"],
    "organizations.data_retention_days": ["data_retention_days = data_retention_days || '{\"screenshots\": 9}'"],
    "suspicious_activity_logs.evidence": ['evidence = \'{"app_names": ["Other"]}\''],
    "members.custom_fields": ['custom_fields = \'{"size": "L"}\''],
    "clients.address": ['address = \'{"city": "Bonn"}\''],
    **{
        f"clock_records.{name}": [f'{name} = \'{{"latitude": "1.0", "longitude": "2.0"}}\'']
        for name in ("clock_in_location", "clock_out_location")
    },
}
"""What is set in place of one column alone, where a constraint or the form of a value asks for it."""

BY_TYPE: Mapping[type, Sequence[str]] = {
    Boolean: ["NOT {0}", "true", "false"],
    Integer: ["{0} + 1", "{0} - 1", "1", "0"],
    Numeric: ["{0} + 1", "1"],
    Date: ["{0} + 1", "{0} - 1", "'2026-01-06'"],
    DateTime: ["{0} + interval '1 hour'", "{0} - interval '1 hour'", "'2026-01-06T09:00Z'"],
    ARRAY: ["ARRAY['other']", "ARRAY[gen_random_uuid()]"],
}
TEXTS = ("'Europe/Berlin'", "'USD'", "'FR'", "{0} || 'x'", "'https://other.example/'", "'03-31'", "'other'")

WRITTEN = """
SELECT relname, n_tup_ins + n_tup_upd + n_tup_del AS written FROM pg_stat_xact_user_tables WHERE schemaname = 'public'
"""

PARENTS = ("user_id", "team_id", "project_id", "task_id", "leave_policy_id", "leave_period_id")
"""The columns of which a copy may need another value, because its table has a unique key."""


class Editor:
    """Edits rows of a world in an open transaction."""

    def __init__(self, connection: Connection, world: World) -> None:
        self.connection, self.own = connection, world.organization_id
        self.ids: dict[str, UUID] = {name.removesuffix("_id"): id_ for name, id_ in world.ids.items()}
        set_row_organization(connection, self.own)

    def rows(self, statement: str, **values: Any) -> Sequence[Any]:
        """The rows of a statement, or those that it returned; raises what PostgreSQL refuses."""
        found = self.connection.execute(text(statement), {"own": self.own} | self.ids | values)
        return found.all() if found.returns_rows else []

    def is_done(self, statement: str, **values: Any) -> bool:
        try:
            with self.connection.begin_nested():
                return bool(self.rows(statement + " RETURNING 1", **values))
        except DBAPIError:
            return False

    def now(self) -> datetime:
        now: datetime = self.rows("SELECT clock_timestamp() AS at")[0].at
        return now

    def written(self) -> Mapping[str, int]:
        """How many rows of each table this transaction wrote, whether by itself or by triggers."""
        return {row.relname: row.written for row in self.rows(WRITTEN)}

    def changed_tables(self, before: Mapping[str, int]) -> set[str]:
        """The tables of which it wrote rows since then. It asks PostgreSQL, so that no table is forgotten."""
        return {table for table, written in self.written().items() if written != before.get(table, 0)}

    def row_of(self, table: Table) -> Mapping[str, Any]:
        """The first row of a table, of those that refer to the parents in the paths of a world as far as it can."""
        order = [f"{name}_id = :{name} DESC" for name in self.ids if f"{name}_id" in table.columns]
        key = [column.name for column in table.primary_key]
        keyed = [
            f"{name} = :{own} DESC" for own in self.ids for name in ("id",) if table.name == f"{own}s" and "id" in key
        ]
        keyed += ["user_id = :user DESC"] if table.name == "members" else []
        found = self.rows(
            f"SELECT * FROM {table.name} WHERE organization_id = :own AND deleted_at IS NULL"
            f" ORDER BY {', '.join([*keyed, *order, *key])} LIMIT 1"
        )
        return dict(found[0]._mapping)

    def edits(self, column: Column[Any], row: Mapping[str, Any]) -> Iterator[str]:
        """What may be SET to change a column: the first that is not refused does."""
        name = column.name
        yield from TOGETHER.get(f"{column.table.name}.{name}", ())
        # A day is of one application once.
        more = ", date = '2026-01-21'" if column.table.name == "leave_application_days" else ""
        targets = [
            key.column
            for key in column.foreign_keys
            if key.column.name == key.column.table.primary_key.columns.keys()[-1]
        ]
        tenant = [target for target in targets if "deleted_at" in target.table.columns]
        if "values" in column.info:
            yield from (f"{name} = '{value.value}'" for value in column.info["values"] if value.value != row[name])
        elif tenant and tenant[0].table.name != "organizations":
            target = tenant[0]
            others = self.rows(
                f"SELECT {target.name} FROM {target.table.name} WHERE organization_id = :own AND {target.name}"
                f" IS DISTINCT FROM :value ORDER BY deleted_at IS NOT NULL, 1",
                value=row[name],
            )
            yield from (f"{name} = '{other[0]}'{more}" for other in others)
        elif isinstance(column.type, Uuid):
            yield f"{name} = gen_random_uuid()"
        else:
            templates = next((each for kind, each in BY_TYPE.items() if isinstance(column.type, kind)), TEXTS)
            yield from (f"{name} = {template.format(name)}" for template in templates)
        if column.nullable:
            yield f"{name} = NULL"

    def change(self, column: Column[Any], row: Mapping[str, Any]) -> bool:
        """Give a column of the row another value; false if every one is refused."""
        return any(self.update(column.table, row, assignment) for assignment in self.edits(column, row))

    def update(self, table: Table, row: Mapping[str, Any], assignment: str) -> bool:
        """Whether the row was changed: not if PostgreSQL refuses it, or if it has the value."""
        key = {column.name: row[column.name] for column in table.primary_key}
        same = " AND ".join(f"{name} = :key_{name}" for name in key)
        changed = assignment.split(" = ", maxsplit=1)[0]
        old = f" AND {changed} IS NOT DISTINCT FROM (SELECT {changed} FROM {table.name} WHERE {same})"
        values = {f"key_{name}": value for name, value in key.items()}
        before = self.rows(f"SELECT {changed} FROM {table.name} WHERE {same}{old}", **values)
        done = self.is_done(f"UPDATE {table.name} SET {assignment} WHERE {same}", **values)
        return done and self.rows(f"SELECT {changed} FROM {table.name} WHERE {same}", **values) != before

    def restore(self, table: Table, row: Mapping[str, Any]) -> bool:
        """Give a row all values that it had."""
        names = [column.name for column in columns_of(table)] + ["deleted_at"]
        key = [column.name for column in table.primary_key]
        record = orjson.dumps({**row, "updated_at": None}, default=_json).decode()
        self.rows(
            f"UPDATE {table.name} row SET ({', '.join(names)}) = ROW({', '.join(f'old.{name}' for name in names)})"
            f" FROM jsonb_populate_record(NULL::{table.name}, cast(:record AS jsonb)) old"
            f" WHERE {' AND '.join(f'row.{name} = old.{name}' for name in key)}",
            record=record,
        )
        return True

    def copy(self, table: Table, row: Mapping[str, Any]) -> bool:
        """Insert a copy of a row under another key; false if a constraint prevents all that are tried."""
        news: list[dict[str, Any]] = [{"id": str(uuid4())}] if "id" in table.columns else []
        if table.name == "members":
            news = [{"user_id": str(uuid4()), "membership_id": str(uuid4()), "email": None}]
        if not news:
            news = [{"slot_at": str(row["slot_at"].replace(minute=15, hour=hour))} for hour in (9, 10)]
        parents: list[dict[str, Any]] = [{}]
        for column in table.columns:
            if column.foreign_keys and column.name in PARENTS and not column.primary_key:
                target = next(key.column for key in column.foreign_keys if key.column.name != "organization_id")
                others = self.rows(
                    f"SELECT {target.name} FROM {target.table.name} WHERE organization_id = :own"
                    " ORDER BY deleted_at IS NOT NULL, 1"
                )
                parents += [{**parent, column.name: str(other[0])} for parent in parents for other in others]
        parents += [{name: f"copy {uuid4()}"} for name in ("number", "name") if name in table.columns]
        parents += [{"date": "2026-01-20"}] if "date" in table.columns else []
        for parent in parents:
            record = orjson.dumps({**row, **news[0], **parent, "deleted_at": None}, default=_json).decode()
            if self.is_done(
                f"INSERT INTO {table.name} SELECT new.* FROM jsonb_populate_record(NULL::{table.name},"
                " cast(:record AS jsonb) || jsonb_object(ARRAY['created_at', 'updated_at'],"
                " array_fill(statement_timestamp()::text, ARRAY[2]))) new",
                record=record,
            ):
                return True
        return False


def _json(value: object) -> object:
    return str(value)


def columns_of(table: Table) -> Sequence[Column[Any]]:
    """The columns of a table that a writer sets. Triggers set the time of a change, and what is remembered of a row."""
    key = table.primary_key.columns
    own = (each for each in table.columns if each.name not in {*key.keys(), "updated_at", "deleted_at"})
    return [each for each in own if "remembered" not in each.info]


TABLES = [table for table in metadata.sorted_tables if table.info.get("tenant") and "deleted_at" in table.columns]
