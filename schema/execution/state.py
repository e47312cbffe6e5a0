"""State of one execution of a compiled operation: context, variables and errors, shared by all its fields."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from graphql import GraphQLError, located_error
from graphql.execution.values import VariableValues

from resolvers.context import Context

Path = list[str | int]

PathAt = Callable[[int], Path]
"""Gives the response path of the value at an index of a column. Called only to report an error."""

Column = list[Any]
"""The values of one field for all parent objects, in their order."""


class Failed:
    """The type of FAILED, which replaces a value that failed. Its error is in the state already."""

    def __repr__(self) -> str:
        return "FAILED"


FAILED = Failed()


@dataclass(slots=True)
class ExecutionState:
    """Context, variables and the errors so far. Resolvers receive it as their `info`."""

    context: Context
    variables: VariableValues
    errors: list[GraphQLError] = field(default_factory=list)

    def add_error(self, error: Exception, path: Path) -> Failed:
        """Add an error of the value at `path`. Returns FAILED, to replace the value."""
        self.errors.append(located_error(error, None, path))
        return FAILED
