"""Constant: the same value for each object, such as `__typename`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from resolvers.steps.expression import Access, Expression
from resolvers.steps.step import FieldStep


@dataclass(frozen=True, eq=False)
class Constant(FieldStep):
    """The value itself. It needs nothing."""

    value: str
    needs = frozenset()

    def expression(self, access: Access) -> Expression:
        return Expression(repr(self.value))

    def values(self, objects: Sequence[Any]) -> list[Any]:
        return [self.value] * len(objects)
