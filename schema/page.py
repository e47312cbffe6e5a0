"""`Page`, one page of a list, and `field`, which declares a field with its description."""

from typing import Any, Generic, TypeVar

import strawberry

T = TypeVar("T")


def field(description: str, resolver: Any = None) -> Any:
    """A field with its description. Without a resolver, its value is the attribute of the same name."""
    if resolver is None:
        return strawberry.field(description=description)
    return strawberry.field(resolver=resolver, description=description)


@strawberry.type(description="One page of a list.")
class Page(Generic[T]):
    count: int = field("Number of rows on all pages.")
    results: list[T] = field("Rows of this page.")
    next: str | None = field("Position after the last row, to pass as `after`; null on the last page.")
