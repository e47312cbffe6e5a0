"""Parameters of /overview.json: which page of the organizations."""

from typing import NamedTuple
from urllib.parse import urlencode
from uuid import UUID

from rest_facade.errors.envelope import Refused
from rest_facade.errors.refusals import invalid
from rest_facade.rest.parameters import QueryValues
from schema.scalars import parse_uuid

PAGE_SIZE = 20
"""Organizations on a page, at most and by default."""

MAX_SEARCH = 200
"""Characters of `search`."""


class OverviewParameters(NamedTuple):
    """`search`: part of a name, or an id. `after`: the last organization of the page before."""

    search: str | None
    after: UUID | None
    limit: int

    def next_page(self, last: UUID) -> str:
        """The address of the page that follows, relative to that of the listener."""
        search = {"search": self.search} if self.search is not None else {}
        limit = {"limit": self.limit} if self.limit != PAGE_SIZE else {}
        return f"overview.json?{urlencode({**search, **limit, 'after': last})}"


def overview_parameters(query: QueryValues) -> OverviewParameters:
    """The parameters of a query. Raises Refused (400) for a wrong value, or one that is given twice."""
    search = _single("search", query)
    if search is not None and (len(search) > MAX_SEARCH or not search.isprintable()):
        raise Refused(invalid(f"Must be at most {MAX_SEARCH} printable characters.", "search"))
    after = _single("after", query)
    try:
        after_id = parse_uuid(after) if after is not None else None
    except ValueError as error:
        raise Refused(invalid("Must be the id of an organization.", "after")) from error
    limit = _single("limit", query) or str(PAGE_SIZE)
    if not (limit.isascii() and limit.isdigit() and len(limit) < 3 and 1 <= int(limit) <= PAGE_SIZE):
        raise Refused(invalid(f"Must be a number from 1 to {PAGE_SIZE}.", "limit"))
    return OverviewParameters(search, after_id, int(limit))


def _single(name: str, query: QueryValues) -> str | None:
    values = query.get(name, ())
    if len(values) > 1:
        raise Refused(invalid("Give one value.", name))
    return values[0].strip() or None if values else None
