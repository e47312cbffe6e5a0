"""`Page`, one page of a list; `field`, a field with its description; fields of lists, of sums, of rows by ids."""

from typing import Any, Generic, TypeVar

import strawberry

import schema.enums  # noqa: F401 - declares the enumerations before the fields that name them
from resolvers.lists.list_sql import Link
from resolvers.lists.listing import Listing
from resolvers.relations.arguments import DeclaredResolver
from resolvers.relations.nodes import LiveRows, row_of_id, rows_of_ids

T = TypeVar("T")


def field(description: str, resolver: Any = None, *, deprecated: str | None = None) -> Any:
    """A field with its description. Without a resolver, its value is the attribute of the same name.

    `deprecated` is the reason why documents should not ask for it.
    """
    if hasattr(resolver, "declared_arguments"):
        resolver = DeclaredResolver(resolver)
    return strawberry.field(resolver=resolver, description=description, deprecation_reason=deprecated)


def listed(rows: str, listing: Listing, parent: str | Link | None = None) -> Any:
    """The field of a list: that of the organization, or of the rows that refer to an object by the column `parent`.

    `rows` is what it lists; the list completes the sentence.
    """
    return field(rows + listing.description, listing.of(parent))


def totals(sums: str, listing: Listing, parent: str | None = None) -> Any:
    """The field of the totals of a list, which finds rows by the same arguments."""
    assert listing.totals is not None
    by = str(listing.totals.by.key).removesuffix("_id").replace("_", " ")
    return field(f"{sums} of the same arguments, by {by}.", listing.totals_of(parent))


def one(source: LiveRows, row: str = "") -> Any:
    """The field of one row by its id; `row` is what it is, if not the noun of the source."""
    return field(f"One {row or source.noun.lower()}.", row_of_id(source))


def by_ids(source: LiveRows, rows: str = "") -> Any:
    """The field of several rows by their ids."""
    plural = f"{source.noun[:-1]}ies" if source.noun.endswith("y") else f"{source.noun}s"
    return field(f"{rows or plural} by their ids.", rows_of_ids(source))


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
