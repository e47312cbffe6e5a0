"""One page of a list, and the word with which types describe their fields."""

from typing import Any, Generic, TypeVar

import strawberry

T = TypeVar("T")


def field(description: str, resolver: Any = None) -> Any:
    """A field with its description; without a resolver it is the attribute of the same name."""
    if resolver is None:
        return strawberry.field(description=description)
    return strawberry.field(resolver=resolver, description=description)


@strawberry.type(description="One page of a list.")
class Page(Generic[T]):
    count: int = field("How many there are on all pages together.")
    results: list[T] = field("The rows of this page.")
    next: str | None = field("The position behind the last row, for `after`; null on the last page.")
