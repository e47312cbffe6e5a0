"""FieldStep: how the values of a field are made. Resolvers declare steps, and the compiler puts them into plans.

A module of this folder has one kind of steps: what it needs of its objects, what it reads, and how its value is built.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from resolvers.relations.arguments import Argument
from resolvers.steps.expression import Access, Expression

STEP = "step"
"""The key of its step in the metadata of a field that Strawberry declares."""


class FieldStep:
    """How the values of a field are made.

    `needs` are the attributes that it reads of an object; None if it may read all. `arguments` are those of the field.
    `names` are the globals of its code.
    """

    needs: frozenset[str] | None = None
    arguments: Sequence[Argument] = ()
    names: Mapping[str, Any] = {}

    def expression(self, access: Access) -> Expression | None:
        """The code of the value; None if the step must be run for all objects before."""
        return None

    def inside(self, access: Access) -> Access | None:
        """How the value is read, if it is an object in columns of the same row."""
        return None

    def values(self, objects: Sequence[Any]) -> list[Any]:
        """The value of each object."""
        raise NotImplementedError
