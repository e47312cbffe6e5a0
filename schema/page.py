"""`Page`, one page of a list; `field`, a field with its description; `renamed`, a field under an earlier name."""

from typing import Any, Generic, TypeVar

import strawberry

import schema.enums  # noqa: F401 - declares the enumerations before the fields that name them

T = TypeVar("T")


def field(description: str, resolver: Any = None, *, deprecated: str | None = None) -> Any:
    """A field with its description. Without a resolver, its value is the attribute of the same name.

    `deprecated` is the reason why documents should not ask for it.
    """
    if resolver is None:
        return strawberry.field(description=description, deprecation_reason=deprecated)
    return strawberry.field(resolver=resolver, description=description, deprecation_reason=deprecated)


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
