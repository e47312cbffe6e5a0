"""Arguments of lists: paging, changes since a time, deleted rows; and the rows of a page by default, and at most."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

from resolvers.errors import Invalid
from resolvers.lists.orders import check_page, check_position
from resolvers.relations.arguments import Argument


class PageLimits(NamedTuple):
    """Rows of a page; people, where a page is one of a walk by cursor."""

    default: int
    maximum: int


STANDARD_LIMITS = PageLimits(default=50, maximum=100)
GRAPHQL_LIMITS = PageLimits(default=20, maximum=STANDARD_LIMITS.maximum)
"""For lists of GraphQL; below a parent with NESTED_DEFAULT, so that a list in a list is within the limit of rows."""
GROUPING = "group_by"
"""The argument of fields that sum rows by groups."""
GROUP_LIMITS = PageLimits(default=100, maximum=1_000)
"""For groups of GraphQL, which have sums and no rows."""
NESTED_DEFAULT = 10
REPORT_LIMITS = PageLimits(default=20, maximum=20)
"""For REST. A list of reports has the arguments of every list, so GraphQL takes GRAPHQL_LIMITS for it, too."""
CURSOR_LIMITS = PageLimits(default=10, maximum=20)

MAX_ARRAY_ROWS = 10_000
"""An array has no pages: it is answered whole, or refused (spec, details shape)."""


def too_many(count: int, noun: str, remedy: str = "") -> Invalid:
    """The refusal of an array of `count` rows."""
    message = f"User has {count} {noun}; maximum is {MAX_ARRAY_ROWS}. {remedy}".rstrip()
    return Invalid(message, {"log_count": count, "log_cap": MAX_ARRAY_ROWS})


def _check_constant_page(constants: Mapping[str, Any]) -> None:
    if "limit" in constants:
        check_page(constants, GRAPHQL_LIMITS.maximum)


PAGING = [
    Argument(name="page", type=int, default=1, description="Number of the page, from 1.", check=_check_constant_page),
    Argument(
        name="limit",
        type=int,
        default=GRAPHQL_LIMITS.default,
        description=f"Maximum number of rows on the page, 1 to {GRAPHQL_LIMITS.maximum}.",
    ),
    Argument(
        name="after",
        type=str,
        description="Position from `next` of the previous page; takes precedence over `page`.",
        check=lambda constants: check_position(constants["after"]),
    ),
]
UPDATED_SINCE_ARGUMENT = Argument(
    name="updated_since", type=datetime, description="Only rows changed at or after this time, sorted by updated_at."
)
INCLUDE_DELETED = Argument(
    name="include_deleted",
    type=bool,
    default=False,
    description="Also return deleted rows, whose deleted_at is set, and rows that a default of another filter hides.",
)


def group_paging(default: int = GROUP_LIMITS.default) -> Sequence[Argument]:
    """The arguments of a page of groups."""
    page, limit, _ = PAGING
    text = f"Number of groups, 1 to {GROUP_LIMITS.maximum:,}."
    return [replace(page, check=None), replace(limit, default=default, description=text)]


def below_parent(arguments: Sequence[Argument]) -> Sequence[Argument]:
    """The arguments of a list below each of many parents: its pages have fewer rows by default."""
    return [replace(each, default=NESTED_DEFAULT) if each.name == "limit" else each for each in arguments]
