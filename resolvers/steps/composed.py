"""Composed: an object that is made of columns of the object around it, such as a budget."""

from collections import namedtuple
from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from resolvers.steps.expression import Access
from resolvers.steps.step import FieldStep


class Composed(FieldStep):
    """An object with the attributes `members`, each from a column, which it needs."""

    def __init__(self, **members: str) -> None:
        self.needs = frozenset(members.values())
        self._members = members
        self._make: Any = namedtuple("Object", [*members])  # type: ignore[misc]  # noqa: PYI024 - data
        self._columns = attrgetter(*members.values())

    def inside(self, access: Access) -> Access:
        return Access(lambda name: access.attribute(self._members[name]))

    def values(self, objects: Sequence[Any]) -> list[Any]:
        return [self._make(*self._columns(each)) for each in objects]
