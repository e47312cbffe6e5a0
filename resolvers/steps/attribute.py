"""Attribute: a column of a row, or a key of a JSON object."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

from resolvers.steps.expression import Access, Expression
from resolvers.steps.step import FieldStep


@dataclass(frozen=True, eq=False)
class Attribute(FieldStep):
    """The attribute `name`, which it needs. `default` takes the place of null."""

    name: str
    default: Any = field(default=None, kw_only=True)
    _get: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "needs", frozenset([self.name]))
        object.__setattr__(self, "_get", attrgetter(self.name))

    def expression(self, access: Access) -> Expression:
        value = access.attribute(self.name)
        return value if self.default is None else Expression(f"({self.default!r} if (v := {value}) is None else v)")

    def values(self, objects: Sequence[Any]) -> list[Any]:
        if dict in {*map(type, objects)}:
            found = [each.get(self.name) if type(each) is dict else self._get(each) for each in objects]
        else:
            found = [*map(self._get, objects)]
        return found if self.default is None else [self.default if value is None else value for value in found]
