"""What a document needs of the rows of a source: columns, and related rows, which the statement joins to them.

    projects { results { name client { name } } }

selects the column `name` of projects, and of the client, which is joined by `client_id`, the columns `key` and `name`.
The row of the statement has the columns of a joined row under its prefix: `name`, `j7_key`, `j7_name`.
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, FromClause

from db.values.json_array import Keys, union_of_keys

MAX_LEVELS = 6
"""Rows joined to each other at most: a name in PostgreSQL has 63 characters, for so many prefixes and a column."""


class RowSource:
    """A source of rows, of which a statement reads what a document shows. `name` is what explanations call it."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return self.name


class TableRows(RowSource):
    """Rows with columns of tables, to which a statement can join related rows."""

    columns_by_name: Mapping[str, ColumnElement[Any]]
    has_rows = True
    """Not groups of rows."""


class JoinedRelation(TableRows):
    """A relation, whose rows a statement over other rows can join."""

    def joined_to(
        self, source: FromClause, key: ColumnElement[Any], names: AbstractSet[str] | None
    ) -> tuple[FromClause, FromClause]:
        """The rows with the columns of these names (None: all), and `source` outer joined with the row of each key."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Join:
    """The row of a relation whose key is the column `key` of another row. `prefix` begins the names of its columns."""

    relation: JoinedRelation
    key: str
    prefix: str


class Selected(NamedTuple):
    """The columns of rows by name (None: all), and the rows that are joined to them, with what is selected of each.

    `is_counted`: more than the rows of a page is selected, its total or the position behind it.

    `keys` are those of rows that no table has, in their order, with the keys of the objects in a column.
    """

    columns: frozenset[str] | None = frozenset()
    joined: frozenset[tuple[Join, "Selected"]] = frozenset()
    is_counted: bool = False
    keys: Keys = ()

    def __or__(self, other: "Selected") -> "Selected":
        """What either of the two selects."""
        columns = None if self.columns is None or other.columns is None else self.columns | other.columns
        joined = dict(self.joined)
        for join, selected in other.joined:
            joined[join] = joined[join] | selected if join in joined else selected
        is_counted, keys = self.is_counted or other.is_counted, union_of_keys(self.keys, other.keys)
        return Selected(columns, frozenset(joined.items()), is_counted, keys)

    @property
    def needed(self) -> frozenset[str] | None:
        """The columns of a row with the keys of what is joined to it."""
        return None if self.columns is None else self.columns.union(join.key for join, _ in self.joined)

    def join(
        self, columns: Mapping[str, ColumnElement[Any]], source: FromClause, prefix: str = ""
    ) -> tuple[list[ColumnElement[Any]], FromClause]:
        """The columns of the joined rows, and `source`, which has rows with `columns`, outer joined with them."""
        shown: list[ColumnElement[Any]] = []
        for join, selected in sorted(self.joined, key=lambda each: each[0].prefix):
            rows, source = join.relation.joined_to(source, columns[join.key], selected.needed)
            names = rows.c.keys() if selected.columns is None else sorted(selected.columns & set(rows.c.keys()))
            shown += [rows.c[name].label(f"{prefix}{join.prefix}{name}") for name in names]
            more, source = selected.join(dict(rows.c), source, prefix + join.prefix)
            shown += more
        return shown, source


ALL = Selected(None, is_counted=True)
"""All columns, no joined rows."""


@lru_cache(4096)
def with_columns(selected: Selected, *names: str) -> Selected:
    """What is selected, and these columns."""
    return selected | Selected(frozenset(names))
