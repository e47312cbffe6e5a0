"""Related rows: the row of a relation whose key an object has, read by its key or joined to the row of the object.

The SQL of a join is in `Selected.join`: an outer join with the relation's rows, whose columns have a prefix.
"""

from collections import namedtuple
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from resolvers.selected import Join
from resolvers.steps.attribute import Attribute
from resolvers.steps.batch import Batch
from resolvers.steps.expression import Access
from resolvers.steps.step import FieldStep


@dataclass(frozen=True, eq=False)
class RowByKey(Batch):
    """A row whose attribute `key` has the value of the argument of the same name, or else of `id`.

    So fields of the row that need nothing but the key can be read in the same round trip as the row.
    """

    key: str = "id"


@dataclass(frozen=True, eq=False)
class JoinedRow(FieldStep):
    """A row of a relation, in columns of the object. Its column `key` is null where there is none."""

    join: Join
    needs = frozenset()
    is_related = True

    def inside(self, access: Access) -> Access:
        prefix = self.join.prefix
        return Access(lambda name: access.attribute(prefix + name), presence=access.attribute(f"{prefix}key"))

    def values(self, objects: Sequence[Any]) -> list[Any]:
        rows = split_off(objects[0]._fields, self.join.prefix)
        return [row if (row := rows(each)).key is not None else None for each in objects]


@dataclass(frozen=True, eq=False)
class JoinedAttribute(Attribute):
    """The value of one `column` of such a row."""

    join: Join
    column: str
    is_related = True

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "needs", frozenset())


@dataclass(frozen=True, eq=False)
class RelatedRow(Batch):
    """The row, read for the keys of all objects together; or its `column`.

    `joined` takes its place where the statement that reads the objects can join the row to them.
    """

    column: str | None = None
    joined: JoinedRow | JoinedAttribute | None = None
    is_related = True

    def in_joined_row(self) -> FieldStep:
        return self.joined or self


@lru_cache(4096)
def split_off(fields: Sequence[str], prefix: str) -> Callable[[Any], Any]:
    """A function of a row with these fields that returns the row that is joined to it with this prefix."""
    places = [place for place, name in enumerate(fields) if name.startswith(prefix)]
    names = [fields[place].removeprefix(prefix) for place in places]
    make: Any = namedtuple("Row", names)  # type: ignore[misc]  # noqa: PYI024 - its columns are data
    return lambda row: make._make([row[place] for place in places])
