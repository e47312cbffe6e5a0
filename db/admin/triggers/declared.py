"""Triggers: those of a row itself, and those that change other rows. Made from the declarations.

A distributed table can have triggers of the first kind only. There `orgdata migrate --no-cascades` leaves out the
second kind, and what they do is the duty of those who write; `orgdata doctor` finds what was forgotten.

The first kind: `set_join_times` of members, `set_updated_at` of every table that is polled, and those of remembered
columns (`db.tables.remembered`): `remember_place` of a record that moves to another start or person,
`remember_membership` of a member whose days change, `remember_report_change` of a row whose name reports show.
`refuse_move` keeps the key of every table, and the immovable columns.

The second kind, of `db.tables.belonging`: `cascade_deletion` deletes and restores what belongs to a row,
`follow_deletion` deletes what comes below a deleted row, `touch` moves `updated_at` of rows that show a changed row.
Idle times have the person of their timesheet.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, Table, inspect, text

from db.admin.triggers.cascades import CASCADE, FOLLOW_DELETION, by_table, cascade_function, follow_function
from db.admin.triggers.touches import touch_function
from db.tables.areas import metadata
from db.tables.belonging import BELONGINGS, SHOWN_ROWS
from db.tables.people import members
from db.tables.remembered import FROM, REPORT_CHANGED_AT
from db.tables.timesheets import idle_times, timesheets

TOUCHES = {"touch_inserted": "INSERT", "touch_updated": "UPDATE", "touch_deleted": "DELETE"}
"""The names of the triggers that touch, one for each event: each sees other rows of the statement."""

CARRY, FOLLOW = "carry_idle_times", "follow_timesheet"
"""The names of the triggers by which idle times have the person of their timesheet."""

SECOND_KIND = {CASCADE, FOLLOW_DELETION, *TOUCHES, CARRY, FOLLOW}

# PostgreSQL stores a definition in other words, so the comment of a trigger keeps ours.
TRIGGERS = """
SELECT relname, tgname, obj_description(t.oid, 'pg_trigger') AS definition
FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid
WHERE NOT tgisinternal AND relnamespace = 'public'::regnamespace
"""


class Trigger(NamedTuple):
    """A trigger, and the commands that create it and the function of its table, if it has one."""

    table: str
    name: str
    definition: str
    function: str = ""


def _trigger(table: Table, name: str, event: str, called: str, function: str = "") -> Trigger:
    created = f"CREATE OR REPLACE TRIGGER {name} {event.format(table=f'ON public.{table.name} FOR EACH ROW')}"
    return Trigger(table.name, name, f"{created} EXECUTE FUNCTION public.{called}", function)


def row_triggers() -> Iterator[Trigger]:
    """The triggers that change the row itself, or refuse that it moves.

    PostgreSQL fires those of a table in the order of their names.
    """
    yield _trigger(members, "set_join_times", "BEFORE INSERT OR UPDATE {table}", "set_join_times()")
    membership = ["first_joined_at", "removed_at", "deleted_at"]
    yield _trigger(members, "remember_membership", _update_of(membership), "remember_membership()")
    for table in metadata.sorted_tables:
        if "deleted_at" in table.columns:
            # Row-level security keeps the organization.
            own = [each for each in table.columns if each.name != "organization_id"]
            immovable = [each.name for each in own if each.primary_key or each.info.get("immovable")]
            names = ", ".join(f"'{name}'" for name in immovable)
            if immovable:
                yield _trigger(table, "refuse_move", _update_of(immovable), f"refuse_move({names})")
        if "updated_at" in table.columns:
            counted = [column.name for column in table.columns if "derived" not in column.info]
            is_all = len(counted) == len(table.columns)
            event = "BEFORE UPDATE {table} WHEN (OLD.* IS DISTINCT FROM NEW.*)" if is_all else _update_of(counted)
            yield _trigger(table, "set_updated_at", event, "set_updated_at()")
        if FROM in table.columns:
            starts = table.columns[FROM].info["starts"]
            names = ", ".join(f"'{name}'" for name in starts)
            yield _trigger(table, "remember_place", _update_of([*starts, "user_id"]), f"remember_place({names})")
        if REPORT_CHANGED_AT in table.columns:
            shown = table.columns[REPORT_CHANGED_AT].info["of"]
            yield _trigger(table, "remember_report_change", _update_of(shown), "remember_report_change()")


def _update_of(columns: Sequence[str], when: str = "BEFORE") -> str:
    """The event of an update that changes the value of one of the columns."""
    old, new = (", ".join(f"{row}.{column}" for column in columns) for row in ("OLD", "NEW"))
    return f"{when} UPDATE {{table}} WHEN (ROW({old}) IS DISTINCT FROM ROW({new}))"


def cascade_triggers() -> Iterator[Trigger]:
    """The triggers that change other rows."""
    for parent, belongings in by_table(BELONGINGS, lambda each: each.parent):
        times = ["removed_at", "deleted_at"] if parent is members else ["deleted_at"]
        function = cascade_function(parent, belongings)
        yield _trigger(parent, CASCADE, _update_of(times, "AFTER"), f"{CASCADE}_of_{parent.name}()", function)
    # Readers hide the rows of these deleted parents. The others are read below their parents, by lists and polls alike.
    hidden = [each for each in BELONGINGS if each.parent.info["has_deleted_index"]]
    for child, belongings in by_table(hidden, lambda each: each.child):
        columns = ", ".join(["deleted_at", *(each.column for each in belongings)])
        # Restored rows are as they were.
        when = "NEW.deleted_at IS NULL AND current_setting('app.restores', true) IS DISTINCT FROM 'on'"
        event = f"BEFORE INSERT OR UPDATE OF {columns} {{table}} WHEN ({when})"
        function = follow_function(child, belongings)
        yield _trigger(child, FOLLOW_DELETION, event, f"{FOLLOW_DELETION}_of_{child.name}()", function)
    for table, shown in by_table(SHOWN_ROWS, lambda each: each.shown):
        for name, event in TOUCHES.items():
            if event == "UPDATE" or not all(each.is_referred for each in shown):
                rows = {"INSERT": ["NEW"], "UPDATE": ["OLD", "NEW"], "DELETE": ["OLD"]}[event]
                seen = " ".join(f"{row} TABLE AS {row.lower()}_rows" for row in rows)
                on = f"AFTER {event} ON public.{table.name} REFERENCING {seen} FOR EACH STATEMENT"
                created = f"CREATE OR REPLACE TRIGGER {name} {on} EXECUTE FUNCTION public.touch_of_{table.name}()"
                yield Trigger(table.name, name, created, touch_function(table, shown))
    yield _trigger(timesheets, CARRY, _update_of(["user_id"], "AFTER"), f"{CARRY}()")
    yield _trigger(idle_times, FOLLOW, "BEFORE INSERT OR UPDATE OF timesheet_id, user_id {table}", f"{FOLLOW}()")


def has_cascades(connection: Connection) -> bool:
    """Whether the database has triggers of the second kind."""
    return any(trigger.tgname == CASCADE for trigger in connection.execute(text(TRIGGERS)))


def ensure_triggers(connection: Connection, *, cascades: bool) -> None:
    """Make the database have the declared triggers. A table whose triggers are right is not locked.

    Tables of which no migration makes a declared column yet are left out, so that `make migration` can write it.
    """
    declared = [*row_triggers(), *(cascade_triggers() if cascades else ())]
    for function in dict.fromkeys(trigger.function for trigger in declared if trigger.function):
        connection.exec_driver_sql(function)
    stored = {(row.relname, row.tgname): row.definition for row in connection.execute(text(TRIGGERS))}
    found = inspect(connection).get_multi_columns().items()
    stored_columns = {table: {column["name"] for column in columns} for (_, table), columns in found}
    left = stored.keys() - {(trigger.table, trigger.name) for trigger in declared}
    for table_name, name in sorted(left):
        if name in SECOND_KIND:
            connection.exec_driver_sql(f"DROP TRIGGER {name} ON public.{table_name}")
        if name in {CASCADE, FOLLOW_DELETION}:
            connection.exec_driver_sql(f"DROP FUNCTION IF EXISTS public.{name}_of_{table_name}()")
    for table_name, name, definition, _ in declared:
        is_migrated = stored_columns.get(table_name, set()).issuperset(metadata.tables[table_name].columns.keys())
        if is_migrated and stored.get((table_name, name)) != definition:
            connection.exec_driver_sql(definition)
            comment = definition.replace("'", "''")
            connection.exec_driver_sql(f"COMMENT ON TRIGGER {name} ON public.{table_name} IS '{comment}'")
