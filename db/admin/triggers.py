"""Triggers: those of a row itself, and those that soft-delete the rows that belong to it. Made from the declarations.

A distributed table can have triggers of the first kind only. There `orgdata migrate --no-cascades` leaves out the
second kind, and who deletes a row also deletes what belongs to it.

The first kind: `set_join_times` of members, `set_updated_at` of every table that is polled, and those of remembered
columns (`db.tables.remembered`): `remember_place` of a record that moves to another start or person,
`remember_membership` of a member whose days change, `remember_report_change` of a row whose name reports show.
`refuse_move` is that of tables whose key has the person and the time, such as `activity_slots` and `app_usages`.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from sqlalchemy import Connection, Table, inspect, text

from db.tables.areas import AREAS
from db.tables.belonging import BELONGINGS, Belonging, deletion_time
from db.tables.columns import metadata
from db.tables.people import members
from db.tables.remembered import FROM, REPORT_CHANGED_AT

assert AREAS, "all tables are declared"

CASCADE = "cascade_deletion"
"""The name of each trigger of the second kind."""

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
        if immovable := [column.name for column in table.columns if column.info.get("immovable")]:
            names = ", ".join(f"'{name}'" for name in immovable)
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


def _update_of(columns: Iterable[str]) -> str:
    """The event of an update that changes the value of one of the columns."""
    old, new = (", ".join(f"{row}.{column}" for column in columns) for row in ("OLD", "NEW"))
    return f"BEFORE UPDATE {{table}} WHEN (ROW({old}) IS DISTINCT FROM ROW({new}))"


def cascade_triggers() -> Iterator[Trigger]:
    """The triggers that delete and restore the rows that belong to a row."""
    for parent, _ in belongings_by_parent():
        old, new = deletion_time(parent, "OLD"), deletion_time(parent, "NEW")
        event = f"AFTER UPDATE {{table}} WHEN ({old} IS DISTINCT FROM {new})"
        yield _trigger(parent, CASCADE, event, f"{CASCADE}_of_{parent.name}()")


def belongings_by_parent() -> Iterator[tuple[Table, list[Belonging]]]:
    """The declared belongings, by the table of the parent."""
    for _, group in groupby(sorted(BELONGINGS, key=_parent_name), key=_parent_name):
        belongings = list(group)
        yield belongings[0].parent, belongings


def _parent_name(belonging: Belonging) -> str:
    return str(belonging.parent.name)


def cascade_function(parent: Table, belongings: Iterable[Belonging]) -> str:
    """The function that gives the rows that belong to a row its new deletion time; to restore them, null."""
    old, new = deletion_time(parent, "OLD"), deletion_time(parent, "NEW")
    # Who is invited again has a new membership, and does not get the old teams and projects back.
    again = f"\n  IF {new} IS NULL AND NEW.membership_id <> OLD.membership_id THEN RETURN NULL; END IF;"

    def updates(condition: str) -> str:
        return "\n".join(
            f"    UPDATE public.{each.child.name} child SET deleted_at = {new}"
            f" WHERE {each.condition('child', 'NEW')} AND child.deleted_at {condition};"
            for each in belongings
        )

    return f"""
CREATE OR REPLACE FUNCTION public.{CASCADE}_of_{parent.name}() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN{again if parent is members else ""}
  IF {old} IS NULL THEN
{updates("IS NULL")}
  ELSE
{updates(f"= {old}")}
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
        declared += cascade_triggers()
    stored = {(row.relname, row.tgname): row.definition for row in connection.execute(text(TRIGGERS))}
    migrated = set(inspect(connection).get_table_names())
    for table, name in stored.keys() - {(trigger.table, trigger.name) for trigger in declared}:
        if name == CASCADE:
            connection.exec_driver_sql(f"DROP TRIGGER {name} ON public.{table}")
            connection.exec_driver_sql(f"DROP FUNCTION IF EXISTS public.{CASCADE}_of_{table}()")
    for table, name, definition in declared:
        if table in migrated and stored.get((table, name)) != definition:
            connection.exec_driver_sql(definition)
            comment = definition.replace("'", "''")
            connection.exec_driver_sql(f"COMMENT ON TRIGGER {name} ON public.{table} IS '{comment}'")
