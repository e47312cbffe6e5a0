"""Reports with one row a member: whom they are about, and when they are refused.

A row stands for every member whose membership overlaps the period, zero-filled when nothing was tracked. So the total
costs one count of members, stays the same while time keeps arriving, and a leaver's last days reach payroll.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, DateTime, and_, or_

from db.reading.connection import Row
from db.tables.columns import bind
from db.tables.people import members
from resolvers.context import Context
from resolvers.errors import Invalid
from resolvers.lists.filters import identifier, team
from resolvers.lists.list_sql import HIGH, LOW, Filter, Ranged
from resolvers.lists.listing import Listing, PageOfRows
from resolvers.people import known_team
from resolvers.period import Period
from resolvers.relations.arguments import Argument


class Cap(NamedTuple):
    """The most that one member may have in a period: the limit, and the names under which the details tell it."""

    noun: str
    limit: int
    counted_as: str
    limited_as: str

    def check(self, rows: Sequence[Row]) -> None:
        """Raise Invalid at the first row (its `counted`) over the limit. Never names the member: integers only."""
        for row in rows:
            if row.counted > self.limit:
                raise Invalid(
                    f"User has {row.counted} {self.noun} in range; maximum is {self.limit}. "
                    "Narrow start_date/end_date.",
                    {self.counted_as: row.counted, self.limited_as: self.limit},
                )


TIMESHEETS = Cap("timesheets", 1000, "timesheets_in_range", "timesheets_cap")
LOGS = Cap("logs", 50_000, "log_count", "log_cap")

SINCE = bind("updated_since", DateTime(timezone=True))


def scope(counted: ColumnElement[int], changed: ColumnElement[bool], content: Sequence[Argument] = ()) -> Listing:
    """The members that a report is about, in its order, each with what `Cap` looks at.

    `counted` is a scalar subquery about `members` between LOW and HIGH; `changed` says whether a member has a record in
    that time, be it deleted since, that changed at or after SINCE; `content` narrows what rows show, not which.
    """
    return Listing(
        members,
        [
            members.c.user_id,
            members.c.email,
            members.c.full_name,
            members.c.created_at,
            counted.label("counted"),
        ],
        order=("created_at", "user_id"),
        ranged=Ranged(
            where=and_(
                members.c.first_joined_at < HIGH,
                or_(members.c.removed_at.is_(None), members.c.removed_at > LOW),
            ),
            is_required=True,
        ),
        filters=[
            identifier("user_id", members.c.user_id, "Only this person."),
            team(members.c.user_id),
            _changed(changed),
        ],
        polled=False,
        restorable=False,
        content=content,
        checks=[known_team],
    )


def _changed(changed: ColumnElement[bool]) -> Filter:
    return Filter(
        name="updated_since",
        type=datetime,
        where=changed,
        description="Only people with a record in the date range that changed at or after this time.",
    )


async def capped(
    listing: Listing, cap: Cap, context: Context, arguments: Mapping[str, Any]
) -> tuple[PageOfRows, Period]:
    """One page of a report's members, with the period. Raises Invalid where one of them is over the cap."""
    page, period = await listing.page(context, arguments)
    cap.check(page.results)
    return page, period
