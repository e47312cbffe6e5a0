"""Cursor of a walk over pages: the range, zone and filters of its first request, and the position of the next page.

So a cursor may be sent alone. Arguments that are sent beside it must be the same as those of the first request.
"""

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any
from uuid import UUID

import orjson

from resolvers.errors import Invalid
from resolvers.lists.orders import parse_moment
from resolvers.period import Period, parse_timezone

INVALID_CURSOR = "Invalid cursor."
POSITION = "after"
"""The name of the position in a cursor. It is also the argument of `Listing` for it."""


CARRIED: Mapping[str, Callable[[str], Any]] = {
    "start_date": date.fromisoformat,
    "end_date": date.fromisoformat,
    "timezone": parse_timezone,
    "user_id": UUID,
    "team_id": UUID,
    "updated_since": parse_moment,
    "zone_changed_at": parse_moment,
}
"""The arguments that a cursor carries, and how each is read from its text."""


def cursor_text(arguments: Mapping[str, Any], period: Period, position: str) -> str:
    """The cursor of the page that starts at `position`. The period is that of the walk, also if none was sent."""
    walk = {**arguments, "start_date": period.start, "end_date": period.end, "timezone": period.zone}
    if (since := arguments.get("updated_since")) and period.zone_changed_at and period.zone_changed_at >= since:
        # A poll after the organization changed its zone: the rest of the walk has everybody, too.
        walk["zone_changed_at"] = period.zone_changed_at
    carried = {name: walk[name] for name in CARRIED if walk.get(name) is not None}
    return orjson.dumps({**carried, POSITION: position}).decode()


def arguments_of_walk(arguments: Mapping[str, Any], cursor: str | None) -> dict[str, Any]:
    """The arguments of a page, with those that its cursor carries. Raises Invalid unless they agree."""
    if cursor is None:
        return {**arguments, POSITION: None}
    try:
        texts = orjson.loads(cursor)
        position = texts.pop(POSITION)
        carried = {name: CARRIED[name](text) for name, text in texts.items()}
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        position, carried = None, {}
    agrees = all(arguments.get(name) in (None, carried.get(name)) for name in CARRIED)
    if not agrees or not position or not isinstance(position, str):
        raise Invalid(INVALID_CURSOR, {"cursor": [INVALID_CURSOR]})
    return {**arguments, **carried, POSITION: position}
