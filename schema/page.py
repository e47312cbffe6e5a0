"""`Page`, one page of a list; `field`, a field with its description; `one`, `by_ids`, `renamed`: fields of a kind."""

from typing import Any, Generic, TypeVar

import strawberry

import schema.enums  # noqa: F401 - declares the enumerations before the fields that name them
from resolvers.relations.nodes import Nodes

T = TypeVar("T")


def field(description: str, resolver: Any = None, *, deprecated: str | None = None) -> Any:
    """A field with its description. Without a resolver, its value is the attribute of the same name.

    `deprecated` is the reason why documents should not ask for it.
    """
    if resolver is None:
        return strawberry.field(description=description, deprecation_reason=deprecated)
    return strawberry.field(resolver=resolver, description=description, deprecation_reason=deprecated)


def one(nodes: Nodes) -> Any:
    """The field of one row by its id."""
    return field(f"One {nodes.noun.lower()}.", nodes.one)


def by_ids(nodes: Nodes) -> Any:
    """The field of several rows by their ids."""
    plural = f"{nodes.noun[:-1]}ies" if nodes.noun.endswith("y") else f"{nodes.noun}s"
    return field(f"{plural} by their ids.", nodes.several)


def renamed(new: Any, name: str) -> Any:
    """The earlier name of the field `new`, which is called `name` now: the same field, deprecated."""
    return strawberry.field(
        resolver=new.base_resolver,
        description=new.description,
        deprecation_reason=f"Renamed: use `{name}`. The next version will not have this name.",
    )


@strawberry.type(description="One page of a list.")
class Page(Generic[T]):
    count: int = field("Number of rows on all pages.")
    results: list[T] = field("Rows of this page.")
    next: str | None = field("Position after the last row, to pass as `after`; null on the last page.")
