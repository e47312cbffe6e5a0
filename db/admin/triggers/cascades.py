"""SQL functions of triggers that delete and restore what belongs to a row, when it is deleted and when they arrive."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from sqlalchemy import Table

from db.tables.belonging import RECORDS, Belonging, deletion_time
from db.tables.people import members

CASCADE = "cascade_deletion"
"""The name of each trigger that deletes what belongs to a row."""

FOLLOW_DELETION = "follow_deletion"
"""The name of each trigger that deletes a row that arrives below a deleted one."""

Declared = TypeVar("Declared")


def by_table(
    declared: Iterable[Declared], table: Callable[[Declared], Table]
) -> Sequence[tuple[Table, list[Declared]]]:
    """What is declared of each table, in the order of their names."""
    found: defaultdict[Table, list[Declared]] = defaultdict(list)
    for each in declared:
        found[table(each)].append(each)
    return sorted(found.items(), key=lambda pair: str(pair[0].name))


def cascade_function(parent: Table, belongings: Iterable[Belonging]) -> str:
    """The function that gives the rows that belong to a row its new deletion time; to restore them, null.

    A row that is restored, and those that belong to it and were live, are new to pollers; so are the records of a
    person. What also belongs to another deleted row stays deleted, with that row's time: see `follow_function`.
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
            f"    UPDATE public.{each.child.name} child SET {value}"
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
{updates(f"deleted_at = {new}", f"= {old}")}
  END IF;
  RETURN NULL;
END $$
"""


def follow_function(child: Table, belongings: Iterable[Belonging]) -> str:
    """The function that gives a live row the deletion time of a row that it belongs to, if one is deleted.

    It runs when a row is inserted, moved or restored. Its plans are kept from the first row on, when a parent's table
    may be small: a scan of the whole table would then be repeated for each of many rows.
    """
    # One expression for all parents would be planned anew for each row: a null makes part of it superfluous.
    steps = "".join(
        f"""
  IF NEW.deleted_at IS NULL AND NEW.{each.column} IS NOT NULL THEN
    NEW.deleted_at := (
      SELECT {deletion_time(each.parent, "parent")} FROM public.{each.parent.name} parent
      WHERE {each.condition("NEW", "parent")});
  END IF;"""
        for each in belongings
    )
    return f"""
CREATE OR REPLACE FUNCTION public.{FOLLOW_DELETION}_of_{child.name}() RETURNS trigger
LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN{steps}
  RETURN NEW;
END $$
"""
