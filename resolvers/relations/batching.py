"""Batch resolvers, and the column dependencies that resolvers declare for the compiler of documents.

A batch resolver resolves a field of all rows of a list in one call. Column dependencies let a statement select only
the columns that a document needs.
"""

from collections import namedtuple
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any, TypeVar

from strawberry import Parent

from db.reading.statement import Statement
from resolvers.context import Context, SelectedBySource
from resolvers.relations.arguments import Argument, declare
from resolvers.relations.selected import Join

Resolver = Callable[..., Any]
ResolverFunction = TypeVar("ResolverFunction", bound=Callable[..., Any])

BatchResolver = Callable[[Context, Sequence[Any], Mapping[str, Any]], Awaitable[Sequence[Any]]]
"""Returns one value for each parent, in their order, for the same arguments."""


Read = Callable[[Context, Mapping[str, Any]], Awaitable[Any]]
"""Returns a value for arguments."""

Prepare = Callable[[SelectedBySource, Mapping[str, Any]], Statement]
"""Builds the statement that a resolver runs first, for what a document selects and for arguments."""


@dataclass(frozen=True)
class ColumnDependencies:
    """The `attributes` of its parent that a resolver reads, and the source of the rows that it returns.

    It returns rows of `source` (a listing, a relation), or one `column` of them, or an object whose field `within`
    holds the rows. The resolver passes `Context.selected` of its source to the statement. It returns
    `default` in place of null. With `join`, the statement that reads the parents can read the rows of `source`, too.

    `members` are the attributes of an object that is made of columns of the parent, each with its column.

    `key` is an attribute of the row that a resolver by key returns. It has the value of the argument of the same name,
    or else of `id`. So fields that depend on nothing else can be read in the same round trip as the row.

    `counting` takes the place of the resolver of a page where nothing but `count` is selected. It reads no rows.

    `prepare` builds the statement that the resolver runs first with these arguments, before it runs, in any thread.

    `is_heavy`: it reads as much as a report (see `Database.read`). `max_days` is its longest range of days.

    `batch` resolves the field of many parents. A resolver that is nothing but one `attribute` of its parent names it.

    Without a declaration, a resolver may read every attribute: then `attributes` is None.
    """

    attributes: frozenset[str] | None = None
    source: Hashable | None = None
    column: str | None = None
    within: str | None = None
    default: Any = None
    join: Join | None = None
    members: Mapping[str, str] | None = None
    key: str | None = None
    counting: BatchResolver | None = None
    prepare: Prepare | None = None
    is_heavy: bool = False
    max_days: int | None = None
    batch: BatchResolver | None = None
    attribute: str | None = None


UNDECLARED = ColumnDependencies()


def batch_resolver(
    batch: BatchResolver, arguments: Sequence[Argument] = (), reads: ColumnDependencies = UNDECLARED
) -> Resolver:
    """A resolver of one object, for Strawberry. The compiler calls the batch resolver for many objects."""

    async def resolve(root: Any, info: Any, **arguments: Any) -> Any:
        return (await batch(info.context, [root], arguments))[0]

    resolver: Resolver = declare(resolve, arguments)
    resolver.reads = replace(reads, batch=batch)  # type: ignore[attr-defined]
    return resolver


def batched(*attributes: str, source: Hashable | None = None) -> Callable[[BatchResolver], Resolver]:
    """A decorator: the batch resolver of a field without arguments, which reads these attributes of its parents."""
    return lambda batch: batch_resolver(batch, reads=ColumnDependencies(frozenset(attributes), source))


def query_field(*arguments: Argument, **reads: Any) -> Callable[[Read], Resolver]:
    """A decorator: the resolver of a field that does not depend on its parent. `reads`: see `ColumnDependencies`."""
    return lambda read: batch_resolver(for_all_parents(read), arguments, ColumnDependencies(frozenset(), **reads))


def for_all_parents(read: Read) -> BatchResolver:
    """A batch resolver of a value that does not depend on the parent: it is read once."""

    async def batch(context: Context, roots: Sequence[Any], arguments: Mapping[str, Any]) -> Sequence[Any]:
        return [await read(context, arguments)] * len(roots)

    return batch


def depends_on_attributes(*attributes: str, **reads: Any) -> Callable[[ResolverFunction], ResolverFunction]:
    """A decorator: the resolver reads only these attributes of its parent. `reads`: see `ColumnDependencies`."""

    def mark(resolver: ResolverFunction) -> ResolverFunction:
        resolver.reads = ColumnDependencies(frozenset(attributes), **reads)  # type: ignore[attr-defined]
        return resolver

    return mark


def object_of(**members: str) -> Resolver:
    """A resolver of an object that is made of columns of its parent: its attributes, each with the column."""
    make: Any = namedtuple("Object", [*members])  # type: ignore[misc]  # noqa: PYI024 - its attributes are data
    columns = attrgetter(*members.values())

    def resolve(root: Parent[Any]) -> Any:
        return make(*columns(root))

    return depends_on_attributes(*members.values(), members=members)(resolve)


def attribute(name: str) -> Resolver:
    """A resolver of an attribute of its parent: a field that is called otherwise than its column."""

    def resolve(root: Parent[Any]) -> Any:
        return getattr(root, name)

    return depends_on_attributes(name, attribute=name)(resolve)


def dependencies_of(resolver: Callable[..., Any] | None) -> ColumnDependencies:
    """The column dependencies that a resolver declares; those of a field without a resolver are not known either."""
    return getattr(resolver, "reads", UNDECLARED)
