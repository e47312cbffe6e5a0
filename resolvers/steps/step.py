"""FieldStep: how the values of a field are made. Resolvers declare steps, and the compiler puts them into plans.

A module of this folder has one kind of steps: what it needs of its objects, what it reads, and how its value is built.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from resolvers.relations.arguments import Argument
from resolvers.selected import Join, RowSource
from resolvers.steps.expression import Access, Expression

STEP = "step"
"""The key of its step in the metadata of a field that Strawberry declares."""


class FieldStep:
    """How the values of a field are made.

    `needs` are the attributes that it reads of an object; None if it may read all. `arguments` are those of the field.
    `names` are the globals of its code.

    Its values are rows of `rows`, or those that `join` joins to the objects; or one `column` of them, or objects whose
    field `within` holds them. `is_related`: a missing row is null.
    """

    needs: frozenset[str] | None = None
    arguments: Sequence[Argument] = ()
    names: Mapping[str, Any] = {}
    rows: RowSource | None = None
    join: Join | None = None
    column: str | None = None
    within: str | None = None
    is_related: bool = False

    def in_joined_row(self) -> "FieldStep":
        """The step that takes its place where the statement that reads the objects can join rows to them."""
        return self

    def of_count(self) -> "FieldStep":
        """The step that takes its place where nothing but the field `count` of its object is selected."""
        return self

    def expression(self, access: Access) -> Expression | None:
        """The code of the value; None if the step must be run for all objects before."""
        return None

    def inside(self, access: Access) -> Access | None:
        """How the value is read, if it is an object in columns of the same row."""
        return None

    def values(self, objects: Sequence[Any]) -> list[Any]:
        """The value of each object."""
        raise NotImplementedError
