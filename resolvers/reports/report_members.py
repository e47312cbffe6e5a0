"""The members of a report with one row a member, and the cap on the records of each.

A report has a row for every member whose membership overlaps the period, with zeros if nothing was tracked, and for
everybody else who has time in it: else that time would be in no report of its days, and adjacent periods would not add
up. So the total is one count of members, and members' time does not change it.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Table, and_, exists, func, or_, select
from sqlalchemy.sql.selectable import FromClause

from db.reading.connection import Row
from db.tables.columns import in_organization
from db.tables.people import members
from resolvers.context import Context
from resolvers.errors import Invalid
from resolvers.lists.filters import identifier, team
from resolvers.lists.list_sql import HIGH, LOW, DateRange, Filter
from resolvers.lists.listing import Listing, PageOfRows
from resolvers.people import known_team
from resolvers.period import Period
from resolvers.relations.arguments import Argument


class RecordCap(NamedTuple):
    """The most records of one member in a period, and the keys of the error details that show it."""

    noun: str
    limit: int
    counted_as: str
    limited_as: str

    def check(self, rows: Sequence[Row]) -> None:
        """Raise Invalid if the `record_count` of a row is over the limit. The details never name a member."""
        for row in rows:
            if row.record_count > self.limit:
                raise Invalid(
                    f"User has {row.record_count} {self.noun} in range; maximum is {self.limit}. "
                    "Narrow start_date/end_date.",
                    {self.counted_as: row.record_count, self.limited_as: self.limit},
                )


TIMESHEETS = RecordCap("timesheets", 1000, "timesheets_in_range", "timesheets_cap")
LOGS = RecordCap("logs", 50_000, "log_count", "log_cap")


_IS_MEMBER = and_(members.c.first_joined_at < HIGH, or_(members.c.removed_at.is_(None), members.c.removed_at > LOW))
"""Whether the membership overlaps the period."""


def _has_record(records: Table, in_range: ColumnElement[bool]) -> ColumnElement[bool]:
    """Whether a person has a live record in the period.

    OFFSET keeps PostgreSQL from reading the records of all people at once, for the few who need it.
    """
    own = and_(in_organization(records), records.c.user_id == members.c.user_id, records.c.deleted_at.is_(None))
    found = select(records.c.user_id).where(own, in_range).correlate(members).offset(0).subquery()
    return exists().select_from(found)


def member_listing(
    records: Table,
    in_range: ColumnElement[bool],
    changed: ColumnElement[bool],
    content: Sequence[Argument] = (),
    default_days: int | None = None,
    other_records: Sequence[tuple[Table, ColumnElement[bool]]] = (),
) -> Listing:
    """The list of a report's members, each with the `record_count` that `RecordCap` checks.

    The count is of the rows of `records` that are `in_range`, which is between LOW and HIGH. `changed` is whether a
    member has a record in that time, deleted or not, that changed at or after SINCE. `content` are arguments that do
    not filter members. A range is required unless there are `default_days`. `other_records` are tables with the
    condition of those rows that also are time in the period.
    """

    def record_count(page: FromClause) -> ColumnElement[int]:
        own = and_(in_organization(records), records.c.user_id == page.c.user_id, records.c.deleted_at.is_(None))
        return select(func.count()).where(own, in_range).correlate(page).scalar_subquery()

    return Listing(
        members,
        [members.c.user_id, members.c.email, members.c.full_name, members.c.created_at],
        page_columns={"record_count": record_count},
        order=("created_at", "user_id"),
        date_range=DateRange(
            # In this order: PostgreSQL looks for the records of those only whose membership does not overlap.
            where=or_(_IS_MEMBER, *(_has_record(*each) for each in ((records, in_range), *other_records))),
            is_required=default_days is None,
            default_days=default_days,
        ),
        filters=[
            identifier("user_id", members.c.user_id, "Only this person."),
            team(members.c.user_id),
            _changed(changed),
        ],
        has_updated_since=False,
        has_include_deleted=False,
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


async def page_within_cap(
    listing: Listing, cap: RecordCap, context: Context, arguments: Mapping[str, Any]
) -> tuple[PageOfRows, Period]:
    """One page of a report's members, and the period. Raises Invalid if a member is over the cap."""
    page, period = await listing.page(context, arguments)
    cap.check(page.results)
    return page, period
