"""Batch: a field of all objects of a list, resolved in one call, which may read the database.

Each declares the attributes that it needs, and the source of the rows that it returns: only what is needed is read.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from db.reading.statement import Statement
from resolvers.context import Context, SelectedBySource
from resolvers.relations.arguments import Argument
from resolvers.selected import RowSource
from resolvers.steps.step import FieldStep

BatchResolver = Callable[[Context, Sequence[Any], Mapping[str, Any]], Awaitable[Sequence[Any]]]
"""Returns one value for each parent, in their order, for the same arguments."""

Read = Callable[[Context, Mapping[str, Any]], Awaitable[Any]]
"""Returns a value for arguments."""

FirstStatement = Callable[[SelectedBySource, Mapping[str, Any]], Statement]
"""Makes the statement that a step runs first, for what a document selects and for arguments, in any thread."""


@dataclass(frozen=True, eq=False)
class Batch(FieldStep):
    """What `resolve` returns for all objects.

    It passes `Context.selected` of `rows` to its statement. `is_heavy`: it reads as much as a report (see
    `Database.read_rows`).
    """

    resolve: BatchResolver
    needs: frozenset[str] | None = None
    arguments: Sequence[Argument] = ()
    rows: RowSource | None = None
    within: str | None = None
    is_heavy: bool = False
    first_statement: FirstStatement | None = None

    def __post_init__(self) -> None:
        names = [argument.name for argument in self.arguments]
        if len(set(names)) != len(names):
            raise ValueError(f"Arguments share a name: {sorted(names)}")


def batched(*needs: str, rows: RowSource | None = None) -> Callable[[BatchResolver], Batch]:
    """A decorator: the step of a field without arguments, which needs these attributes of its objects."""
    return lambda resolve: Batch(resolve, frozenset(needs), rows=rows)


def query_field(*arguments: Argument, of: type[Batch] = Batch, **options: Any) -> Callable[[Read], Batch]:
    """A decorator: the step of a field that does not depend on its object. `options` are those of the class `of`."""
    return lambda read: of(for_all_parents(read), frozenset(), arguments, **options)


def for_all_parents(read: Read) -> BatchResolver:
    """A batch resolver of a value that does not depend on the parent: it is read once."""

    async def resolve(context: Context, roots: Sequence[Any], arguments: Mapping[str, Any]) -> Sequence[Any]:
        return [await read(context, arguments)] * len(roots)

    return resolve
