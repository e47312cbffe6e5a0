"""The members of a report with one row a member, and the cap on the records of each.

A report has a row for every member whose membership overlaps the period, with zeros if nothing was tracked, and for
everybody else who has time in it: else that time would be in no report of its days, and adjacent periods would not add
up. So the total is one count of members, and members' time does not change it.

With `updated_since` it has the rows that changed since, and those of members who left the report since: after a
deletion, other days of membership, another zone, or out of the team that is asked for. Such a row shows that nothing is
left. In a report of a team, coming and going is a change of a row.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import CTE, ColumnElement, Interval, Table, Uuid, and_, case, cast, exists, func, or_, select
from sqlalchemy.sql.selectable import FromClause

from db.tables.columns import bind, in_organization
from db.tables.people import members, team_members
from resolvers.context import Context
from resolvers.errors import Invalid
from resolvers.lists.filters import exactly, team
from resolvers.lists.list_sql import HIGH, LOW, SINCE, ZONE_CHANGED_AT, DateRange, Filter, was_near_in_another_zone
from resolvers.lists.listing import Listing
from resolvers.people import known_team, members_by_id
from resolvers.period import MAX_RANGE_DAYS
from resolvers.records.interval_sql import rows_of
from resolvers.relations.arguments import Argument
from resolvers.relations.live import is_live
from resolvers.selected import ALL, RowSource
from resolvers.steps.batch import batched
from resolvers.values.planner import FENCE


class RecordCap(NamedTuple):
    """The most records of one member in a period, and the keys of the error details that show it."""

    noun: str
    limit: int
    counted_as: str
    limited_as: str

    def check(self, counts: Iterable[int]) -> None:
        """Raise Invalid if a count is over the limit. The details never name a member."""
        for count in counts:
            if count > self.limit:
                raise self.refusal(count)

    def refusal(self, count: int) -> Invalid:
        """The error of a count that is over the limit."""
        return Invalid(
            f"User has {count} {self.noun} in range; maximum is {self.limit}. Narrow start_date/end_date.",
            {self.counted_as: count, self.limited_as: self.limit},
        )


TIMESHEETS_CAP = RecordCap("timesheets", 1000, "timesheets_in_range", "timesheets_cap")
LOGS = RecordCap("logs", 50_000, "log_count", "log_cap")


_IS_MEMBER = and_(members.c.first_joined_at < HIGH, or_(members.c.removed_at.is_(None), members.c.removed_at > LOW))
"""Whether the membership overlaps the period."""


def has_row(*records: tuple[Table, ColumnElement[bool]]) -> ColumnElement[bool]:
    """Whether a person has a row in a report of these tables, each with the condition of the rows in the period."""
    # In this order: PostgreSQL looks for the records of those only whose membership does not overlap.
    return or_(_IS_MEMBER, *(_has_record(*each) for each in records))


def _has_record(records: Table, in_range: ColumnElement[bool]) -> ColumnElement[bool]:
    """Whether a person has a live record in the period."""
    own = (rows_of(records, members.c.user_id), records.c.deleted_at.is_(None), in_range)
    found = select(records.c.user_id).where(*own).correlate(members).offset(FENCE).subquery()
    return exists().select_from(found)


_zone_changed = ZONE_CHANGED_AT >= SINCE
# No zone is further from another.
_shift = case((_zone_changed, cast(timedelta(days=2), Interval)), else_=cast(timedelta(), Interval))
WAS_IN_SCOPE = and_(
    or_(members.c.updated_at >= SINCE, _zone_changed),
    func.coalesce(members.c.earlier_joined_at, members.c.first_joined_at) < HIGH + _shift,
    or_(
        case((members.c.earlier_joined_at.is_not(None), members.c.earlier_removed_at), else_=members.c.removed_at).is_(
            None
        ),
        func.greatest(members.c.earlier_removed_at, members.c.removed_at) > LOW - _shift,
    ),
)
"""Whether the membership overlapped the range before it or the zone changed, which was at or after SINCE."""


SHOWN_COLUMNS = ("user_id", "email", "full_name", "created_at", "updated_at", "deleted_at")
"""The columns that a report reads of each member."""

MEMBERS_OF_ROWS = RowSource("members of rows")
"""The source of the members, of which a document selects columns."""


@batched("user", rows=MEMBERS_OF_ROWS)
async def member_of_row(context: Context, rows: Sequence[Any], _: Mapping[str, Any]) -> Sequence[Any]:
    """The member of each row. A document that shows other columns reads the member by its id."""
    shown = [row["user"] for row in rows]
    selected = context.selected.get(MEMBERS_OF_ROWS, ALL)
    if selected.columns is not None and selected.columns.issubset(SHOWN_COLUMNS):
        return shown
    found = await members_by_id.rows(context, (member.user_id for member in shown), selected)
    return [found[member.user_id] for member in shown]


def _team_membership(person: FromClause, *conditions: ColumnElement[bool]) -> ColumnElement[bool]:
    """A condition on memberships of a person, ended ones too, in the team of the request."""
    own = (in_organization(team_members), team_members.c.team_id == bind("team_id", Uuid()))
    return and_(*own, team_members.c.user_id == person.c.user_id, *conditions)


_team_changed = team_members.c.updated_at >= SINCE
OF_TEAM = replace(
    team(members.c.user_id),
    # A person who is deleted leaves the team, too, whether the membership shows it or not.
    where_with={
        "updated_since": exists().where(
            _team_membership(members, or_(team_members.c.deleted_at.is_(None), _team_changed))
        )
    },
    page_columns={
        "is_in_team": lambda page: exists().where(_team_membership(page, is_live(team_members))).correlate(page),
        "team_changed_at": lambda page: (
            select(func.max(team_members.c.updated_at)).where(_team_membership(page)).correlate(page).scalar_subquery()
        ),
    },
)
"""The filter by team."""


def member_listing(
    records: Table,
    in_range: ColumnElement[bool],
    changed: CTE,
    content: Sequence[Argument] = (),
    default_days: int | None = None,
    other_records: Sequence[tuple[Table, ColumnElement[bool]]] = (),
    *,
    has_count: bool = True,
) -> Listing:
    """The list of a report's members, each with the `record_count` that `RecordCap` checks, unless totals have it.

    The count is of the rows of `records` that are `in_range`, which is between LOW and HIGH. `changed` has the ids of
    the members of whom something that the row shows, other than the member, changed at or after SINCE. `content` are
    arguments that do not filter members. A range is required unless there are `default_days`.
    `other_records` are tables with the condition of those rows that also are time in the period.
    """

    def record_count(page: FromClause) -> ColumnElement[int]:
        own = (rows_of(records, page.c.user_id), records.c.deleted_at.is_(None), in_range)
        return select(func.count()).where(*own).correlate(page).scalar_subquery()

    content_changed = members.c.user_id.in_(select(changed.c.user_id))
    has_changed = or_(_zone_changed, members.c.updated_at >= SINCE, content_changed)
    updated_since = Filter(
        name="updated_since",
        type=datetime,
        where=has_changed,
        where_with={OF_TEAM.name: or_(has_changed, exists().where(_team_membership(members, _team_changed)))},
        description="Only rows that changed at or after this time. People who no longer belong to the report, "
        "or to the requested team, have a row of zeros.",
    )
    in_scope = has_row((records, in_range), *other_records)
    was_in_range = (
        _has_record(each, was_near_in_another_zone(each.c["slot_at" if "slot_at" in each.c else "started_at"]))
        for each, _ in [(records, in_range), *other_records]
    )
    return Listing(
        members,
        [members.c[name] for name in SHOWN_COLUMNS],
        page_columns={"record_count": record_count} if has_count else {},
        order=("created_at", "user_id"),
        date_range=DateRange(
            where=in_scope,
            # A record, or the period, may move: it was the only one there of a person who is no member then.
            where_with={
                "updated_since": or_(
                    and_(members.c.deleted_at.is_(None), or_(in_scope, content_changed, *was_in_range)), WAS_IN_SCOPE
                )
            },
            is_required=default_days is None,
            default_days=default_days,
            max_days=MAX_RANGE_DAYS,
        ),
        filters=[exactly(members.c.user_id, "Only this person."), OF_TEAM, updated_since],
        has_include_deleted=False,
        content=content,
        checks=[known_team],
    )
