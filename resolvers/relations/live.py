"""Live rows: those that are not deleted, and belong to no deleted row.

Triggers delete rows with the row that they belong to. Distributed tables have no such triggers, and an import may take
a while, so readers use this condition, which does not depend on them. It looks for deleted parents, of which there are
few, and which have an index of their own: where nothing is deleted, it costs next to nothing. Parents without such an
index (a timesheet, an invoice) are not looked for: what belongs to them is read below them.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

from sqlalchemy import Alias, ColumnElement, FromClause, Select, and_, case, select

from db.tables.belonging import BELONGINGS, RECORDS, Belonging
from db.tables.columns import constant, in_organization


def is_live(table: FromClause) -> ColumnElement[bool]:
    """Whether a row is not deleted, nor a row that it belongs to, nor a row that this one belongs to.

    Subtasks are checked for the task above them, not for those above that one.
    """
    # Each condition on related rows makes an alias of its own.
    return _is_live(table) if isinstance(table, Alias) else _is_live_in_table(table)


def _is_live(table: FromClause) -> ColumnElement[bool]:
    outside = [_outside(table.c[each.column], deleted) for each in _belongings(table) for deleted in _deleted(each)]
    return and_(table.c.deleted_at.is_(None), *outside)


_is_live_in_table = cache(_is_live)


def _deleted(belonging: Belonging) -> Iterator[Select[Any]]:
    """The keys of the parents that are deleted, and of those that belong to deleted rows."""
    parent = belonging.parent.alias(f"deleted_{belonging.parent.name}")
    keys = select(parent.c[belonging.parent_key]).where(in_organization(parent))
    yield keys.where(parent.c.deleted_at.is_not(None))
    for upper in _belongings(belonging.parent):
        if upper.parent is not belonging.parent:
            above = upper.parent.alias(f"deleted_{upper.parent.name}")
            deleted = select(above.c[upper.parent_key]).where(in_organization(above), above.c.deleted_at.is_not(None))
            yield keys.where(parent.c[upper.column].in_(deleted))


def _outside(column: ColumnElement[Any], keys: Select[Any]) -> ColumnElement[bool]:
    """Whether a column is null or none of `keys`, which PostgreSQL reads once into a hash table.

    It expects NOT IN to drop half of the rows, and an anti-join to drop all of them, and so sorts rows that an index
    has in order. Of a comparison with a number it expects that it drops few.
    """
    return case((column.in_(keys), constant(1)), else_=constant(0)) != constant(1)


def _belongings(table: FromClause) -> list[Belonging]:
    declared = table.element if isinstance(table, Alias) else table
    return [
        each for each in (*BELONGINGS, *RECORDS) if each.child is declared and each.parent.info["has_deleted_index"]
    ]
