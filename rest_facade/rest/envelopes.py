"""Envelopes: the JSON around the data (spec, Paging envelopes), with the page sizes of each tier (spec, Limits)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from resolvers.lists import page_arguments
from rest_facade.errors.envelope import Refused
from rest_facade.errors.refusals import invalid
from rest_facade.rest.parameters import MAX_PAGE, QueryValues, parse_number


class Links(Protocol):
    """Builds the paging links of a response."""

    def page_url(self, number: int, position: str | None) -> str:
        """The URL of a page of the same list, with the position where it starts, if that is known."""

    def cursor(self, position: str) -> str:
        """The signed cursor of a position."""


@dataclass(frozen=True)
class Unpaged:
    """A single object, or an array, without a wrapper. Paging parameters are ignored."""

    paging_parameters: tuple[str, ...] = ()
    tier: str = "single"

    def selection(self, rows: str) -> str:
        """The keys of the field of the data, where `rows` are those of a row."""
        return rows

    def refuse_unsupported(self, query_values: QueryValues) -> None:
        """Refuse nothing."""

    def paging_variables(self, query_values: QueryValues) -> dict[str, Any]:
        return {}

    def render(self, data: Any, variables: Mapping[str, Any], links: Links) -> Any:
        return data


@dataclass(frozen=True)
class Offset:
    """Numbered pages: `count`, `next`, `previous`, `results`. `default` and `maximum` are rows of a page."""

    default: int
    maximum: int
    paging_parameters: tuple[str, ...] = ("limit", "page", "after")
    tier: str = "standard"

    def selection(self, rows: str) -> str:
        return f"count next results {{ {rows} }}"

    def refuse_unsupported(self, query_values: QueryValues) -> None:
        """Refuse nothing."""

    def paging_variables(self, query_values: QueryValues) -> dict[str, Any]:
        """`limit` is checked before `page`: the specification's order. Raises Refused (400)."""
        limit = _limit(query_values, self.default, self.maximum)
        page = parse_number("page", query_values["page"][0], MAX_PAGE) if "page" in query_values else 1
        return {"limit": limit, "page": page}

    def render(self, data: Any, variables: Mapping[str, Any], links: Links) -> Any:
        page, count = variables["page"], data["count"]
        # Beyond the end, the previous page is the last page that has rows.
        last = max(1, -(-count // variables["limit"]))
        return {
            "count": count,
            "next": links.page_url(page + 1, data["next"]) if data["next"] is not None else None,
            "previous": links.page_url(min(page - 1, last), None) if page > 1 else None,
            "results": data["results"],
        }


@dataclass(frozen=True)
class Cursor:
    """Pages by cursor: `results` and `pagination`. `default` and `maximum` are users of a page."""

    default: int
    maximum: int
    paging_parameters: tuple[str, ...] = ("limit", "cursor")
    tier: str = "cursor"

    def selection(self, rows: str) -> str:
        keys = "limit timesheets_cap users_returned timesheets_returned total_users has_more next_cursor"
        return f"results {{ {rows} }} pagination {{ {keys} }}"

    def refuse_unsupported(self, query_values: QueryValues) -> None:
        """Raise Refused (400) for `page`, before any other check (spec, Cursor list)."""
        if "page" in query_values:
            raise Refused(invalid("page is not supported on this endpoint; use cursor.", "page"))

    def paging_variables(self, query_values: QueryValues) -> dict[str, Any]:
        return {"limit": _limit(query_values, self.default, self.maximum)}

    def render(self, data: Any, variables: Mapping[str, Any], links: Links) -> Any:
        pagination = dict(data["pagination"])
        if pagination["next_cursor"] is not None:
            pagination["next_cursor"] = links.cursor(pagination["next_cursor"])
        return {"results": data["results"], "pagination": pagination}


def _limit(query_values: QueryValues, default: int, maximum: int) -> int:
    return parse_number("limit", query_values["limit"][0], maximum) if "limit" in query_values else default


Envelope = Unpaged | Offset | Cursor

SINGLE = Unpaged()
ARRAY = Unpaged(tier="array")
STANDARD = Offset(*page_arguments.STANDARD_LIMITS)
REPORT = Offset(*page_arguments.REPORT_LIMITS, tier="report")
CURSOR = Cursor(*page_arguments.CURSOR_LIMITS)
