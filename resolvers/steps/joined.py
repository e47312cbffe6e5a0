"""Joined steps: what the statement of an object joined to its row. They need nothing of the object itself.

The SQL is in `Selected.join`: an outer join with the relation's rows, whose columns have a prefix.
"""

from collections import namedtuple
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from resolvers.selected import Join
from resolvers.steps.attribute import Attribute
from resolvers.steps.expression import Access
from resolvers.steps.step import FieldStep


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


@lru_cache(4096)
def split_off(fields: Sequence[str], prefix: str) -> Callable[[Any], Any]:
    """A function of a row with these fields that returns the row that is joined to it with this prefix."""
    places = [place for place, name in enumerate(fields) if name.startswith(prefix)]
    names = [fields[place].removeprefix(prefix) for place in places]
    make: Any = namedtuple("Row", names)  # type: ignore[misc]  # noqa: PYI024 - its columns are data
    return lambda row: make._make([row[place] for place in places])
