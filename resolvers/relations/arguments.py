"""Arguments of a field, declared as values, each of which Strawberry evaluates once for all fields that have it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any

import strawberry
from strawberry.annotation import StrawberryAnnotation
from strawberry.types.arguments import StrawberryArgument

from db.tables.columns import DescribedEnum
from resolvers.errors import Invalid
from resolvers.relations.strawberry_internals import definition_of_class

MAX_VALUES = 100
"""Values of a filter at most (docs/limits.md)."""


@dataclass(frozen=True, kw_only=True)
class Argument:
    """One argument: its GraphQL type, description and default.

    `is_published`: an endpoint takes it from its requests. `excludes` is the argument that such a request may not have
    beside it. `check` raises Refusal for constants of a document, before anything is read; it gets all constants of the
    field by name. One without a value and a default is None.
    """

    name: str
    type: Any
    description: str
    default: Any = None
    is_required: bool = False
    is_published: bool = True
    excludes: str | None = None
    check: Callable[[Mapping[str, Any]], object] | None = None

    @cached_property
    def declared(self) -> StrawberryArgument:
        """The argument as Strawberry has it."""
        annotation = self.type if self.is_required or self.default is not None else self.type | None
        default = strawberry.UNSET if self.is_required else self.default
        return StrawberryArgument(
            self.name, None, StrawberryAnnotation(annotation), description=self.description, default=default
        )


def bind_value(value: Any, name: str = "A list") -> Any:
    """The value of a statement's parameter: enum members become theirs. Raises Invalid for more than MAX_VALUES."""
    if isinstance(value, list):
        if len(value) > MAX_VALUES:
            raise Invalid(f"{name} cannot hold more than {MAX_VALUES} values.")
        return [bind_value(item) for item in value]
    return value.value if isinstance(value, Enum) else value


def new_enum(name: str, description: str, values: Mapping[str, str]) -> Any:
    """A new enumeration of the schema, with the description of each value."""
    # mypy knows enumerations only by literal names.
    make: Any = DescribedEnum
    made = make(name, {value: (value, text) for value, text in values.items()})
    made.__doc__ = description
    declare_enum(made)
    return made


def declare_enum(enumeration: type[DescribedEnum]) -> None:
    """Declare an enumeration of the schema, with its description and those of its values; once."""
    if definition_of_class(enumeration) is not None:
        return
    strawberry.enum(enumeration, description=enumeration.__doc__)
    for value in definition_of_class(enumeration).values:
        value.description = enumeration[value.name].description
