"""Arguments of a field: declared as values, and given to a resolver as Strawberry reads them, from its signature."""

from collections.abc import Sequence
from dataclasses import dataclass
from inspect import Parameter, Signature
from typing import Annotated, Any

import strawberry
from strawberry import Info
from strawberry.parent import StrawberryParent

from resolvers.context import Context

# What `Parent[Any]` stands for; spelled out, since here it is a value and not an annotation.
ANY_PARENT = Annotated[Any, StrawberryParent()]


@dataclass(frozen=True, kw_only=True)
class Argument:
    """One argument: its GraphQL type, what it means, and what holds while it is absent."""

    name: str
    type: Any
    description: str
    default: Any = None
    is_required: bool = False

    def parameter(self) -> Parameter:
        """The same as a keyword of a Python function."""
        kind = self.type if self.is_required or self.default is not None else self.type | None
        return Parameter(
            self.name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if self.is_required else self.default,
            annotation=Annotated[kind, strawberry.argument(description=self.description)],
        )


def declare(resolve: Any, arguments: Sequence[Argument], *, parent: bool = False) -> Any:
    """Say which arguments a resolver takes; with `parent`, its first parameter `root` is the parent object."""
    given = [("root", ANY_PARENT)] if parent else []
    given.append(("info", Info[Context, None]))
    names = [argument.name for argument in arguments]
    if len(set(names)) != len(names):
        raise ValueError(f"Arguments share a name: {sorted(names)}")
    resolve.__signature__ = Signature(
        [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, annotation=annotation) for name, annotation in given]
        + [argument.parameter() for argument in arguments]
    )
    return resolve
