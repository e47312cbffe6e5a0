"""FieldStep: how the values of a field are made. Resolvers declare steps, and the compiler puts them into plans.

A module of this folder has one class of steps: what it needs of its objects, what it reads, and how its value is built.

Uses internals of Strawberry: the property `arguments` of `StrawberryResolver`. When it changes, all tests of lists in
`tests/schema` fail, and pyproject.toml bounds the version.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from inspect import Parameter, Signature
from typing import Any

import strawberry
from strawberry.types.arguments import StrawberryArgument
from strawberry.types.fields.resolver import StrawberryResolver

from resolvers.relations.arguments import Argument
from resolvers.steps.expression import Access, Expression

_KIND = Parameter.POSITIONAL_OR_KEYWORD
_SIGNATURE = Signature([Parameter("root", _KIND), Parameter("info", _KIND, annotation=strawberry.Info)])


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


class StepResolver(StrawberryResolver[Any]):
    """A step as the resolver of a field."""

    def __init__(self, step: FieldStep) -> None:
        function: Any = step.for_one()
        function.__signature__ = _SIGNATURE
        super().__init__(function)
        self.step = step

    @cached_property
    def arguments(self) -> list[StrawberryArgument]:
        """Strawberry would evaluate annotations of each resolver anew."""
        return [argument.declared for argument in self.step.arguments]
