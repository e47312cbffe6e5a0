"""Arguments of a field, declared as values; Strawberry reads them from the signature that a resolver gets here."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from inspect import Parameter, Signature
from typing import Annotated, Any

import strawberry
from strawberry import Info
from strawberry.parent import StrawberryParent

from db.tables.columns import DescribedEnum
from resolvers.context import Context

# `Parent[Any]` as a value: its short form is an annotation only.
ANY_PARENT = Annotated[Any, StrawberryParent()]


@dataclass(frozen=True, kw_only=True)
class Argument:
    """One argument: its GraphQL type, description and default."""

    name: str
    type: Any
    description: str
    default: Any = None
    is_required: bool = False

    def parameter(self) -> Parameter:
        """The argument as a keyword-only parameter of a Python function."""
        annotation = self.type if self.is_required or self.default is not None else self.type | None
        return Parameter(
            self.name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if self.is_required else self.default,
            annotation=Annotated[annotation, strawberry.argument(description=self.description)],
        )


def bind_value(value: Any) -> Any:
    """An argument as the value of a statement's parameter: enum members become their values."""
    if isinstance(value, list):
        return [bind_value(item) for item in value]
    return value.value if isinstance(value, Enum) else value


def declare_enum(enumeration: type[DescribedEnum]) -> None:
    """Declare an enumeration of the schema, with its description and those of its values; once."""
    if "__strawberry_definition__" in vars(enumeration):
        return
    declared: Any = strawberry.enum(enumeration, description=enumeration.__doc__)
    for value in declared.__strawberry_definition__.values:
        value.description = enumeration[value.name].description


def declare(resolve: Any, arguments: Sequence[Argument], *, parent: bool = False) -> Any:
    """Give a resolver the signature of these arguments; with `parent`, it starts with `root`, the parent object."""
    positional = [("root", ANY_PARENT)] if parent else []
    positional.append(("info", Info[Context, None]))
    names = [argument.name for argument in arguments]
    if len(set(names)) != len(names):
        raise ValueError(f"Arguments share a name: {sorted(names)}")
    resolve.__signature__ = Signature(
        [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, annotation=annotation) for name, annotation in positional]
        + [argument.parameter() for argument in arguments]
    )
    return resolve
