"""Computed: a plain function of one object."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from resolvers.relations.arguments import Argument
from resolvers.steps.expression import Access, Expression
from resolvers.steps.step import FieldStep


@dataclass(frozen=True, eq=False)
class Computed(FieldStep):
    """What `function` returns for an object, which is called for each.

    It gets the object, and the `arguments` of the field by name. `name` is that of the function in code; empty with
    arguments.
    """

    function: Callable[..., Any]
    needs: frozenset[str] | None = None
    arguments: Sequence[Argument] = ()
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", {self.name: self.function} if self.name else {})

    def expression(self, access: Access) -> Expression | None:
        return Expression(f"{self.name}({access.variable})") if self.name and access.variable else None


def computed(*needs: str) -> Callable[[Callable[[Any], Any]], Computed]:
    """A decorator: the step of a function that reads only these attributes of its object."""
    return lambda function: Computed(function, frozenset(needs))
