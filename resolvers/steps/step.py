"""FieldStep: how the values of a field are made. Resolvers declare steps, and the compiler puts them into plans.

A class of steps says what it needs of its objects, what it reads, and how its value is built: `plain` has those that
read nothing, `batch` the others.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, NewType

from resolvers.relations.arguments import Argument
from resolvers.relations.strawberry_internals import ResolverWithArguments

Expression = NewType("Expression", str)
"""Python source of an expression, from which the compiler makes one function for all objects of a list."""


class Access(NamedTuple):
    """How code reads an object: `attribute` makes the code of an attribute from its name.

    `variable` is the object itself; None if it is no object, but in columns of a row. Then `presence` is the code of
    what is null where there is none; None if there always is one.
    """

    attribute: Callable[[str], Expression]
    variable: Expression | None = None
    presence: Expression | None = None


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

    def for_one(self) -> Callable[..., Any]:
        """The resolver of one object, for Strawberry. Only graphql-core's executor calls it, which tests compare."""
        return lambda root, **_: self.values([root])[0]


class StepResolver(ResolverWithArguments):
    """A step as the resolver of a field."""

    def __init__(self, step: FieldStep) -> None:
        super().__init__(step.for_one(), lambda: [argument.declared for argument in step.arguments])
        self.step = step
