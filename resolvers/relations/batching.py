"""Resolvers of many objects at once, and what resolvers tell of themselves to whoever compiles documents.

A field of a list then costs one call, not one a row; and of the rows that it finds only the columns are read that the
document asks for.
"""

from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from resolvers.context import Context
from resolvers.relations.arguments import Argument, declare

Resolver = Callable[..., Awaitable[Any]]
Function = TypeVar("Function", bound=Callable[..., Any])

BatchResolver = Callable[[Context, Sequence[Any], Mapping[str, Any]], Awaitable[Sequence[Any]]]
"""Answers each of some parents, in their order, for the same arguments."""


@dataclass(frozen=True)
class ColumnDependencies:
    """Which `attributes` of its parent a resolver reads, and whose rows it answers with.

    Those are rows of `source`, or the one `column` of them, or rows that stand below the field `within` of the answer.
    Whoever reads the source then asks `Context.columns` which columns are needed.
    """

    attributes: frozenset[str]
    source: Hashable | None = None
    column: str | None = None
    within: str | None = None


def batch_resolver(
    many: BatchResolver, arguments: Sequence[Argument] = (), reads: ColumnDependencies | None = None
) -> Resolver:
    """A resolver of one object, as Strawberry takes it. Whoever has many objects calls what `many_of` gives."""

    async def resolve(root: Any, info: Any, **given: Any) -> Any:
        return (await many(info.context, [root], given))[0]

    resolver: Resolver = declare(resolve, arguments, parent=True)
    resolver.many = many  # type: ignore[attr-defined]
    return resolver if reads is None else depends_on(reads)(resolver)


def batch_of(resolver: Callable[..., Any]) -> BatchResolver | None:
    """How a resolver answers many objects at once, if it can."""
    return getattr(resolver, "many", None)


def depends_on_attributes(*attributes: str) -> Callable[[Function], Function]:
    """Says of a resolver that it reads nothing of its parent but these attributes."""
    return depends_on(ColumnDependencies(frozenset(attributes)))


def depends_on(reads: ColumnDependencies) -> Callable[[Function], Function]:
    """Says of a resolver what it reads. If that is not said, it may be anything."""

    def mark(resolver: Function) -> Function:
        resolver.reads = reads  # type: ignore[attr-defined]
        return resolver

    return mark


def dependencies_of(resolver: Callable[..., Any]) -> ColumnDependencies | None:
    """What a resolver reads, if it says so."""
    return getattr(resolver, "reads", None)
