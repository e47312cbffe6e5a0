"""State of one execution of a compiled operation: context, variables and errors, shared by all its fields."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphql import GraphQLError, VariableValues, located_error

from db.values.time_slices import in_time_slices
from resolvers.context import Context
from resolvers.errors import NotFound

ResponsePath = list[str | int]

PathAt = Callable[[int], ResponsePath]
"""The response path of the value at an index of a column. Called only to report an error."""

Column = list[Any]
"""The values of one field for all parent objects, in their order."""


FAILED: Any = object()
"""What replaces a value that failed and whose error has been added to the state."""

ORPHAN: Any = object()
"""What replaces an object that refers to a row that does not exist. Lists leave it out; else it is null, an error."""

CALLS_PER_SLICE = 500
"""Calls of resolvers that are plain functions in one go."""

MAX_ERRORS = 100
"""The most errors of one execution; the next one stops it. Each row of a list of thousands may fail."""

WORDS_OF_TYPE = re.compile(r"(?<=[a-z])(?=[A-Z])")


class ExecutionStopped(GraphQLError):
    """The execution ends without data: too many errors, or over its budget."""


class ExecutionBudget:
    """Budget of one ad-hoc operation: the most objects and bytes of its data, counted while it executes.

    The cost limits of a document are estimates from its text; the budget limits the data that is really read.
    """

    def __init__(self, *, objects: int = 50_000, size: int = 16 * 2**20) -> None:
        self.max_objects = objects
        self.max_size = size
        self.objects = 0
        self.size = 0

    def add_objects(self, count: int, path_at: PathAt) -> None:
        """Count objects of the list or field at the path. Raises ExecutionStopped."""
        self.objects += count
        if self.objects > self.max_objects:
            raise _over_budget(f"{self.max_objects} objects", "max_objects", self.max_objects, path_at)

    def add_size(self, size: int, path_at: PathAt) -> None:
        """Count bytes of JSON. Raises ExecutionStopped."""
        self.size += size
        if self.size > self.max_size:
            raise _over_budget(f"{self.max_size} bytes", "max_bytes", self.max_size, path_at)


def _over_budget(limit: str, name: str, maximum: int, path_at: PathAt) -> ExecutionStopped:
    fields = ".".join(key for key in path_at(0) if isinstance(key, str))
    message = f"The result has more than {limit}, at {fields}. Use a smaller limit, filters, or fewer nested lists."
    return ExecutionStopped(message, extensions={"details": {name: maximum}})


@dataclass(slots=True)
class ExecutionState:
    """Context, variables, errors so far, and the budget if any.

    `orphans` are those of objects that refer to rows that do not exist: foreign keys were off when they were written.
    They are errors of the result only where no list leaves the object out.
    """

    context: Context
    variables: VariableValues
    errors: list[GraphQLError] = field(default_factory=list)
    orphans: list[GraphQLError] = field(default_factory=list)
    budget: ExecutionBudget | None = None

    def add_error(self, error: Exception, path: ResponsePath) -> Any:
        """Add an error of the value at `path`. Returns FAILED, to replace the value. Raises ExecutionStopped."""
        if len(self.errors) == MAX_ERRORS:
            raise ExecutionStopped(f"The execution was stopped after {MAX_ERRORS} errors.")
        self.errors.append(located_error(error, None, path))
        return FAILED

    def add_orphan(self, coordinate: str, path: ResponsePath) -> Any:
        """Note an object without the row that its field at `path` has. Returns ORPHAN, to replace the value."""
        if len(self.orphans) < MAX_ERRORS:
            noun = WORDS_OF_TYPE.sub(" ", coordinate.partition(".")[0]).capitalize()
            self.orphans.append(located_error(NotFound(noun), None, path))
        return ORPHAN

    def report_orphan(self, path: ResponsePath) -> Any:
        """Add the errors of the orphan at `path`, which no list can leave out. Returns None, to replace it."""
        noted: list[Exception] = [error for error in self.orphans if (error.path or [])[: len(path)] == path]
        for error in noted or [NotFound("Row")]:
            self.add_error(error, path)
        return None


async def gather_or_cancel(pending: Iterable[Awaitable[Any]]) -> list[Any]:
    """Like `asyncio.gather`, but if one fails, the others are cancelled."""
    tasks = [asyncio.ensure_future(each) for each in pending]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        raise


async def resolve_each(
    resolver: Callable[[Any], Any], objects: Sequence[Any], state: ExecutionState, path_at: PathAt
) -> Column:
    """The value of each object, in time slices: a call takes about a microsecond, and there may be thousands."""

    def resolve_part(part: Sequence[int]) -> Column:
        values: Column = []
        for index in part:
            try:
                values.append(resolver(objects[index]))
            except Exception as error:  # noqa: BLE001 - any exception is an error of this field
                values.append(state.add_error(error, path_at(index)))
        return values

    return await in_time_slices(resolve_part, range(len(objects)), CALLS_PER_SLICE)
