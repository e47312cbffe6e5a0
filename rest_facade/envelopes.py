"""The shapes of an answer (spec, Paging envelopes) with the limits of each tier (spec, Limits)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rest_facade.parameters import LARGEST_PAGE, Given, number

Address = Callable[[int, str | None], str]
"""The URL of a page of the same list, by its number and the position that it starts from."""


@dataclass(frozen=True)
class Single:
    """The object itself. Paging parameters mean nothing to it and are ignored."""

    own: tuple[str, ...] = ()

    def read(self, given: Given) -> dict[str, Any]:
        return {}

    def shape(self, found: Any, variables: Mapping[str, Any], address: Address) -> Any:
        return found


@dataclass(frozen=True)
class Offset:
    """`count`, `next`, `previous`, `results`; `default` and `maximum` are rows of a page."""

    default: int
    maximum: int
    own: tuple[str, ...] = ("limit", "page", "after")

    def read(self, given: Given) -> dict[str, Any]:
        """Limit before page: the first failure wins, in the order of the specification."""
        limit = number("limit", given["limit"][0], self.maximum) if "limit" in given else self.default
        page = number("page", given["page"][0], LARGEST_PAGE) if "page" in given else 1
        return {"limit": limit, "page": page}

    def shape(self, found: Any, variables: Mapping[str, Any], address: Address) -> Any:
        page, count = variables["page"], found["count"]
        # Past the end, the page before is the last real one.
        last = max(1, -(-count // variables["limit"]))
        return {
            "count": count,
            "next": address(page + 1, found["next"]) if found["next"] is not None else None,
            "previous": address(min(page - 1, last), None) if page > 1 else None,
            "results": found["results"],
        }


Envelope = Single | Offset

SINGLE = Single()
STANDARD = Offset(default=50, maximum=100)
REPORT = Offset(default=20, maximum=20)
