"""Parameters of /overview.json: which page of the organizations."""

from collections.abc import Sequence
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
    return OverviewParameters(
        _search(query.get("search", ())), _after(query.get("after", ())), _limit(query.get("limit", ()))
    )


def _single(name: str, values: Sequence[str]) -> str | None:
    if len(values) > 1:
        raise Refused(invalid("Give one value.", name))
    return values[0].strip() or None if values else None


def _search(values: Sequence[str]) -> str | None:
    text = _single("search", values)
    if text is not None and (len(text) > MAX_SEARCH or not text.isprintable()):
        raise Refused(invalid(f"Must be at most {MAX_SEARCH} printable characters.", "search"))
    return text


def _after(values: Sequence[str]) -> UUID | None:
    text = _single("after", values)
    try:
        return parse_uuid(text) if text is not None else None
    except ValueError as error:
        raise Refused(invalid("Must be the id of an organization.", "after")) from error


def _limit(values: Sequence[str]) -> int:
    text = _single("limit", values)
    if text is None:
        return PAGE_SIZE
    if not (text.isascii() and text.isdigit() and len(text) < 3 and 1 <= int(text) <= PAGE_SIZE):
        raise Refused(invalid(f"Must be a number from 1 to {PAGE_SIZE}.", "limit"))
    return int(text)
