"""Triggers: those of a row itself, and those that change other rows. Made from the declarations.

A distributed table can have triggers of the first kind only. There `orgdata migrate --no-cascades` leaves out the
second kind, and what they do is the duty of those who write; `orgdata doctor` finds what was forgotten.

The first kind: `set_join_times` of members, `set_updated_at` of every table that is polled, and those of remembered
columns (`db.tables.remembered`): `remember_place` of a record that moves to another start or person,
`remember_membership` of a member whose days change, `remember_report_change` of a row whose name reports show.
`refuse_move` keeps the key of every table, and the immovable columns.

The second kind: `cascade_deletion` deletes and restores what belongs to a row (`db.tables.belonging`), `touch` moves
`updated_at` of rows that show a changed row (`db.tables.belonging`), and idle times have the person of their timesheet.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from sqlalchemy import Connection, Table, inspect, text

from db.tables.areas import AREAS
from db.tables.belonging import BELONGINGS, RECORDS, SHOWN_ROWS, Belonging, Shown, deletion_time
from db.tables.columns import metadata
from db.tables.people import members
from db.tables.remembered import FROM, REPORT_CHANGED_AT
from db.tables.timesheets import idle_times, timesheets

assert AREAS, "all tables are declared"

CASCADE = "cascade_deletion"
"""The name of each trigger that deletes what belongs to a row."""

TOUCHES = {"touch_inserted": "INSERT", "touch_updated": "UPDATE", "touch_deleted": "DELETE"}
"""The names of the triggers that touch, one for each event: each sees other rows of the statement."""

CARRY, FOLLOW = "carry_idle_times", "follow_timesheet"
"""The names of the triggers by which idle times have the person of their timesheet."""

SECOND_KIND = {CASCADE, *TOUCHES, CARRY, FOLLOW}

# PostgreSQL stores a definition in other words, so the comment of a trigger keeps ours.
TRIGGERS = """
SELECT relname, tgname, obj_description(t.oid, 'pg_trigger') AS definition
FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid
WHERE NOT tgisinternal AND relnamespace = 'public'::regnamespace
"""


class Trigger(NamedTuple):
    """A trigger, and the command that creates it."""

    table: str
    name: str
    definition: str


def _trigger(table: Table, name: str, event: str, function: str) -> Trigger:
    created = f"CREATE OR REPLACE TRIGGER {name} {event.format(table=f'ON public.{table.name} FOR EACH ROW')}"
    return Trigger(table.name, name, f"{created} EXECUTE FUNCTION public.{function}")


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
    for parent, _ in belongings_by_parent():
        times = ["removed_at", "deleted_at"] if parent is members else ["deleted_at"]
        yield _trigger(parent, CASCADE, _update_of(times, "AFTER"), f"{CASCADE}_of_{parent.name}()")
    for table, shown in shown_by_table():
        for name, event in TOUCHES.items():
            if event == "UPDATE" or not all(each.is_referred for each in shown):
                rows = {"INSERT": [], "UPDATE": ["OLD"], "DELETE": ["OLD"]}[event] + (
                    ["NEW"] if event != "DELETE" else []
                )
                seen = " ".join(f"{row} TABLE AS {row.lower()}_rows" for row in rows)
                on = f"AFTER {event} ON public.{table.name} REFERENCING {seen} FOR EACH STATEMENT"
                created = f"CREATE OR REPLACE TRIGGER {name} {on} EXECUTE FUNCTION public.touch_of_{table.name}()"
                yield Trigger(table.name, name, created)
    yield _trigger(timesheets, CARRY, _update_of(["user_id"], "AFTER"), f"{CARRY}()")
    yield _trigger(idle_times, FOLLOW, "BEFORE INSERT OR UPDATE OF timesheet_id, user_id {table}", f"{FOLLOW}()")


def shown_by_table() -> Iterator[tuple[Table, list[Shown]]]:
    """The declared shown rows, by their table."""
    for _, group in groupby(
        sorted(SHOWN_ROWS, key=lambda each: str(each.shown.name)), key=lambda each: each.shown.name
    ):
        shown = list(group)
        yield shown[0].shown, shown


def belongings_by_parent() -> Iterator[tuple[Table, list[Belonging]]]:
    """The declared belongings, by the table of the parent."""
    for _, group in groupby(sorted(BELONGINGS, key=_parent_name), key=_parent_name):
        belongings = list(group)
        yield belongings[0].parent, belongings


def _parent_name(belonging: Belonging) -> str:
    return str(belonging.parent.name)


def cascade_function(parent: Table, belongings: Iterable[Belonging]) -> str:
    """The function that gives the rows that belong to a row its new deletion time; to restore them, null.

    A row that is restored, and those that belong to it and were live, are new to pollers; so are the records of a
    person. What also belongs to another deleted row stays deleted, with that row's time.
    """
    old, new = deletion_time(parent, "OLD"), deletion_time(parent, "NEW")
    # Who is invited again has a new membership, and does not get the old teams and projects back.
    again = f"\n  IF {new} IS NULL AND NEW.membership_id <> OLD.membership_id THEN RETURN NULL; END IF;"
    records = "".join(
        f"\n    UPDATE public.{each.child.name} SET updated_at = statement_timestamp()"
        " WHERE organization_id = NEW.organization_id AND user_id = NEW.user_id;"
        for each in RECORDS
    )
    shown_again = f"\n  IF OLD.deleted_at IS NOT NULL AND NEW.deleted_at IS NULL THEN{records}\n  END IF;"

    def updates(value: str, condition: str) -> str:
        return "\n".join(
            f"    UPDATE public.{each.child.name} child SET {value.format(deletion=_deletion(each, new))}"
            f" WHERE {each.condition('child', 'NEW')} AND child.deleted_at {condition};"
            for each in belongings
        )

    return f"""
CREATE OR REPLACE FUNCTION public.{CASCADE}_of_{parent.name}() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN{shown_again if parent is members else ""}{again if parent is members else ""}
  IF {old} IS NULL THEN
{updates(f"deleted_at = {new}", "IS NULL")}
  ELSE
    IF {new} IS NULL THEN
{updates("updated_at = statement_timestamp()", "IS NULL")}
    END IF;
{updates("deleted_at = {deletion}", f"= {old}")}
  END IF;
  RETURN NULL;
END $$
"""


def _deletion(belonging: Belonging, new: str) -> str:
    """SQL: the deletion time of a row that gets `new` from one parent, and may have one of another."""
    others = [
        f"(SELECT {deletion_time(each.parent, 'other')} FROM public.{each.parent.name} other"
        f" WHERE {each.condition('child', 'other')})"
        for each in BELONGINGS
        if each.child is belonging.child and each is not belonging
    ]
    return f"coalesce({', '.join([new, *others])})" if others else new


def touch_function(table: Table, shown: Iterable[Shown]) -> str:
    """The function that moves `updated_at` of the rows that show changed rows, unless it is as late already.

    It runs once a statement, so that many rows cost one UPDATE of the rows that show them.
    """
    shown = list(shown)
    key = [column.name for column in table.primary_key]
    same = " AND ".join(f"o.{name} = n.{name}" for name in key)

    def updates(rows: Callable[[Shown], str], *, is_update: bool) -> str:
        return (
            "".join(
                f"""
    UPDATE public.{each.by.name} shows SET updated_at = changed.at
    FROM (SELECT organization_id, key, max(at) AS at FROM ({rows(each)}) AS change GROUP BY 1, 2) AS changed
    WHERE shows.organization_id = changed.organization_id AND shows.{each.key} = changed.key
      AND shows.updated_at < changed.at;"""
                for each in shown
                if is_update or not each.is_referred
            )
            or "\n    NULL;"
        )

    def updated(each: Shown) -> str:
        old, new = (", ".join(f"{row}.{name}" for name in each.of) for row in "on")
        where = f" WHERE ROW({old}) IS DISTINCT FROM ROW({new})" if each.of else ""
        keys = f"unnest(ARRAY[o.{each.column}, n.{each.column}]) AS key"
        rows = f"FROM old_rows o JOIN new_rows n ON {same}{where}"
        return f"SELECT n.organization_id, {keys}, n.updated_at AS at {rows}"

    def inserted(each: Shown) -> str:
        return f"SELECT organization_id, {each.column} AS key, updated_at AS at FROM new_rows"

    def deleted(each: Shown) -> str:
        at = "statement_timestamp() AS at FROM old_rows WHERE deleted_at IS NULL"
        return f"SELECT organization_id, {each.column} AS key, {at}"

    return f"""
CREATE OR REPLACE FUNCTION public.touch_of_{table.name}() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  -- Restored rows are as they were, and those that show them.
  IF current_setting('app.restores', true) = 'on' THEN RETURN NULL; END IF;
  IF TG_OP = 'UPDATE' THEN
    -- Statements without rows run it, too: without an end, where two tables show each other.
    IF NOT EXISTS (SELECT FROM new_rows) THEN RETURN NULL; END IF;{updates(updated, is_update=True)}
  ELSIF TG_OP = 'INSERT' THEN{updates(inserted, is_update=False)}
  ELSE{updates(deleted, is_update=False)}
  END IF;
  RETURN NULL;
END $$
"""


def has_cascades(connection: Connection) -> bool:
    """Whether the database has triggers of the second kind."""
    return any(trigger.tgname == CASCADE for trigger in connection.execute(text(TRIGGERS)))


def ensure_triggers(connection: Connection, *, cascades: bool) -> None:
    """Make the database have the declared triggers. A table whose triggers are right is not locked.

    Declared tables that no migration makes yet are left out, so that `make migration` can write it.
    """
    declared = list(row_triggers())
    if cascades:
        for parent, belongings in belongings_by_parent():
            connection.exec_driver_sql(cascade_function(parent, belongings))
        for table, shown in shown_by_table():
            connection.exec_driver_sql(touch_function(table, shown))
        declared += cascade_triggers()
    stored = {(row.relname, row.tgname): row.definition for row in connection.execute(text(TRIGGERS))}
    migrated = set(inspect(connection).get_table_names())
    left = stored.keys() - {(trigger.table, trigger.name) for trigger in declared}
    for table_name, name in sorted(left):
        if name in SECOND_KIND:
            connection.exec_driver_sql(f"DROP TRIGGER {name} ON public.{table_name}")
        if name == CASCADE:
            connection.exec_driver_sql(f"DROP FUNCTION IF EXISTS public.{CASCADE}_of_{table_name}()")
    for table_name, name, definition in declared:
        if table_name in migrated and stored.get((table_name, name)) != definition:
            connection.exec_driver_sql(definition)
            comment = definition.replace("'", "''")
            connection.exec_driver_sql(f"COMMENT ON TRIGGER {name} ON public.{table_name} IS '{comment}'")
