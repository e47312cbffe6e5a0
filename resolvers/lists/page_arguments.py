"""Arguments of lists: paging, changes since a time, deleted rows; their checks, and their values in statements."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from resolvers.lists.page_limits import GRAPHQL_LIMITS, NESTED_DEFAULT
from resolvers.relations.arguments import Argument

PAGING = [
    Argument(name="page", type=int, default=1, description="Number of the page, from 1."),
    Argument(
        name="limit",
        type=int,
        default=GRAPHQL_LIMITS.default,
        description=f"Maximum number of rows on the page, 1 to {GRAPHQL_LIMITS.maximum}.",
    ),
    Argument(
        name="after", type=str, description="Position from `next` of the previous page; takes precedence over `page`."
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


def below_parent(arguments: Sequence[Argument]) -> Sequence[Argument]:
    """The arguments of a list below each of many parents: its pages have fewer rows by default."""
    return [replace(each, default=NESTED_DEFAULT) if each.name == "limit" else each for each in arguments]
