"""One run of a compiled document: what all its fields share, and the errors that they meet."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from graphql import GraphQLError, located_error
from graphql.execution.values import VariableValues

from resolvers.context import Context

Path = list[str | int]

PathAt = Callable[[int], Path]
"""The path of the value at an index of a column. It is worked out only when there is an error to report."""

Column = list[Any]
"""The values of one field, for all objects of a selection in their order."""


class Failed:
    """Stands for a value that could not be had; its error is noted already."""

    def __repr__(self) -> str:
        return "FAILED"


FAILED = Failed()


@dataclass(slots=True)
class ExecutionState:
    """The context of the resolvers, the variables, the errors so far. It also serves resolvers as their `info`."""

    context: Context
    variables: VariableValues
    errors: list[GraphQLError] = field(default_factory=list)

    def fail(self, error: Exception, path: Path) -> Failed:
        """Note an error; what is returned stands for the value that it cost."""
        self.errors.append(located_error(error, None, path))
        return FAILED
