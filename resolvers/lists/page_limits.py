"""Page limits of each tier (spec, Limits): the rows of a page by default, and at most; and those of an array."""

from typing import NamedTuple

from resolvers.errors import Invalid


class PageLimits(NamedTuple):
    """Rows of a page; people, where a page is one of a walk by cursor."""

    default: int
    maximum: int


STANDARD_LIMITS = PageLimits(default=50, maximum=100)
GRAPHQL_LIMITS = PageLimits(default=20, maximum=STANDARD_LIMITS.maximum)
"""For lists of GraphQL; below a parent with NESTED_DEFAULT, so that a list in a list is within the limit of rows."""
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
