"""The tables that an import reads or writes, by those that its files are of."""

from collections.abc import Iterable, Sequence

from sqlalchemy import Table

from db.tables.belonging import BELONGINGS, Belonging
from db.tables.people import members
from db.tables.timesheets import timesheets


def following(tables: Iterable[Table]) -> Sequence[Belonging]:
    """What may have to be deleted or restored if rows of the tables are."""
    reached = set(tables)
    found: list[Belonging] = []
    while more := [each for each in BELONGINGS if each.parent in reached and each not in found]:
        found += more
        reached |= {each.child for each in more}
    return [each for each in BELONGINGS if each in found]


def concerned(tables: Iterable[Table]) -> Sequence[Table]:
    """The tables themselves, those that they reference, those that belong to them, and what notes tracked time."""
    own = set(tables)
    belongings = following(own)
    found = own | {each.child for each in belongings}
    found |= {each.parent for each in BELONGINGS if each.child in found}
    found |= {key.referred_table for table in own for key in table.foreign_key_constraints}
    if timesheets in own:
        found.add(members)
    return sorted(found, key=lambda table: str(table.name))
