"""SQL functions of triggers that delete and restore what belongs to a row."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from sqlalchemy import Table

from db.tables.belonging import BELONGINGS, RECORDS, Belonging, deletion_time
from db.tables.people import members

CASCADE = "cascade_deletion"
"""The name of each trigger that deletes what belongs to a row."""


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
