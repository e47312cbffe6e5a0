"""Envelopes: the JSON around the data (spec, Paging envelopes), with the page sizes of each tier (spec, Limits)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from resolvers.lists import page_arguments
from rest_facade.errors.envelope import Refused
from rest_facade.errors.refusals import invalid
from rest_facade.rest.parameters import QueryValues

MAX_PAGE = 2**31 - 1
MAX_DIGITS = 20
"""Every number of this length exceeds every limit."""

INTEGER = re.compile(r"-?[0-9]+", re.ASCII)


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

    def paging_variables(self, query_values: QueryValues) -> dict[str, Any]:
        """`limit` is checked before `page`: the specification's order. Raises Refused (400)."""
        limit = number("limit", query_values, self.default, self.maximum)
        return {"limit": limit, "page": number("page", query_values, 1, MAX_PAGE)}

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
        return f"results {{ {rows} }} pagination"

    def paging_variables(self, query_values: QueryValues) -> dict[str, Any]:
        return {"limit": number("limit", query_values, self.default, self.maximum)}

    def render(self, data: Any, variables: Mapping[str, Any], links: Links) -> Any:
        pagination = dict(data["pagination"])
        if pagination["next_cursor"] is not None:
            pagination["next_cursor"] = links.cursor(pagination["next_cursor"])
        return {"results": data["results"], "pagination": pagination}


def number(name: str, query_values: QueryValues, default: int, maximum: int) -> int:
    """A parameter that is a whole number from 1 to `maximum`, in decimal digits. Raises Refused (400)."""
    if name not in query_values:
        return default
    text = query_values[name][0]
    if not INTEGER.fullmatch(text):
        raise Refused(invalid(f"{name} must be an integer.", name))
    digits = text.lstrip("-0") or "0"
    # int() raises for thousands of digits.
    value = 0 if text[0] == "-" else int(digits) if len(digits) < MAX_DIGITS else maximum + 1
    if value < 1:
        raise Refused(invalid(f"{name} must be >= 1.", name))
    if value > maximum:
        raise Refused(invalid(f"{name} cannot exceed {maximum}.", name))
    return value


Envelope = Unpaged | Offset | Cursor

SINGLE = Unpaged()
ARRAY = Unpaged(tier="array")
STANDARD = Offset(*page_arguments.STANDARD_LIMITS)
REPORT = Offset(*page_arguments.REPORT_LIMITS, tier="report")
CURSOR = Cursor(*page_arguments.CURSOR_LIMITS)
