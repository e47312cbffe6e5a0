"""The shapes of an answer (spec, Paging envelopes) with the limits of each tier (spec, Limits)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from resolvers.lists import page_limits
from rest_facade.rest.errors import Refused, invalid
from rest_facade.rest.parameters import MAX_PAGE, QueryValues, parse_number


class Links(Protocol):
    """What leads from one answer to the next."""

    def page(self, number: int, position: str | None) -> str:
        """The URL of a page of the same list, with a hint where it starts, if that is known."""

    def cursor(self, position: str) -> str:
        """A position, signed."""


@dataclass(frozen=True)
class Unpaged:
    """The object itself, or an array without a wrapper. Paging parameters mean nothing to it and are ignored."""

    own: tuple[str, ...] = ()
    selects: frozenset[str] = frozenset()
    tier: str = "single"

    def refuse(self, given: QueryValues) -> None:
        """Nothing is refused."""

    def read(self, given: QueryValues) -> dict[str, Any]:
        return {}

    def shape(self, found: Any, variables: Mapping[str, Any], links: Links) -> Any:
        return found


@dataclass(frozen=True)
class Offset:
    """`count`, `next`, `previous`, `results`; `default` and `maximum` are rows of a page."""

    default: int
    maximum: int
    own: tuple[str, ...] = ("limit", "page", "after")
    selects: frozenset[str] = frozenset({"count", "next", "results"})
    tier: str = "standard"

    def refuse(self, given: QueryValues) -> None:
        """Nothing is refused before the other parameters."""

    def read(self, given: QueryValues) -> dict[str, Any]:
        """Limit before page: the first failure wins, in the order of the specification."""
        limit = parse_number("limit", given["limit"][0], self.maximum) if "limit" in given else self.default
        page = parse_number("page", given["page"][0], MAX_PAGE) if "page" in given else 1
        return {"limit": limit, "page": page}

    def shape(self, found: Any, variables: Mapping[str, Any], links: Links) -> Any:
        page, count = variables["page"], found["count"]
        # Past the end, the page before is the last real one.
        last = max(1, -(-count // variables["limit"]))
        return {
            "count": count,
            "next": links.page(page + 1, found["next"]) if found["next"] is not None else None,
            "previous": links.page(min(page - 1, last), None) if page > 1 else None,
            "results": found["results"],
        }


@dataclass(frozen=True)
class Cursor:
    """`results` and `pagination`; `default` and `maximum` are users of a page."""

    default: int
    maximum: int
    own: tuple[str, ...] = ("limit", "cursor")
    selects: frozenset[str] = frozenset({"results", "pagination"})
    tier: str = "cursor"

    def refuse(self, given: QueryValues) -> None:
        """Refuse a page before anything else (spec, Cursor list)."""
        if "page" in given:
            raise Refused(invalid("page is not supported on this endpoint; use cursor.", "page"))

    def read(self, given: QueryValues) -> dict[str, Any]:
        limit = parse_number("limit", given["limit"][0], self.maximum) if "limit" in given else self.default
        return {"limit": limit}

    def shape(self, found: Any, variables: Mapping[str, Any], links: Links) -> Any:
        pagination = dict(found["pagination"])
        if pagination["next_cursor"] is not None:
            pagination["next_cursor"] = links.cursor(pagination["next_cursor"])
        return {"results": found["results"], "pagination": pagination}


Envelope = Unpaged | Offset | Cursor

SINGLE = Unpaged()
ARRAY = Unpaged(tier="array")
STANDARD = Offset(*page_limits.STANDARD)
REPORT = Offset(*page_limits.REPORT, tier="report")
CURSOR = Cursor(*page_limits.CURSOR)
