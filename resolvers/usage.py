"""Usage of applications and sites: one report row a member, with the days, and on each day what was used how long.

The database adds up, in one statement for all members of a page. A slot belongs to the local day in which it begins
(see `db.activity`), so the edges of the days are all that a statement has to know of a time zone.
"""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    DateTime,
    Integer,
    Table,
    Uuid,
    and_,
    collate,
    exists,
    func,
    select,
    tuple_,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.sql.selectable import FromClause
from strawberry import Info, Parent

from db.activity import Productivity
from db.database import Row
from db.people import members
from db.statements import Statement
from db.tables import given, mine
from db.timesheets import timesheets
from resolvers import report
from resolvers.argument import Argument, declare
from resolvers.context import Context
from resolvers.filters import among, related
from resolvers.listing import PageOfRows, plain
from resolvers.period import Period
from resolvers.relation import KEYS, Resolver, any_key
from resolvers.shape import HIGH, LOW, Filter

EDGES = given("edges", ARRAY(DateTime(timezone=True)))
"""Where each day of the period begins, and where the last one ends."""

Names = frozenset[str]


class UsageDay(NamedTuple):
    """One day on which something was used, and what: the longest used first."""

    date: date
    total_seconds: int
    things: Sequence[Row]


class UsageReport(NamedTuple):
    """What one member used in a period."""

    user: Row
    start_date: date | None
    end_date: date | None
    timezone: str
    total_seconds: int
    productive_seconds: int
    neutral_seconds: int
    unproductive_seconds: int
    updated_at: datetime | None
    days: Sequence[UsageDay]


def things_of(root: Parent[Any]) -> Any:
    """What was used on a day."""
    return root.things


class Usage:
    """A report over the slots of `table`, whose column `thing` is the id of one of `things`.

    `called` are the names that the report has for the name of a thing, the count of its uses (also the column of that),
    the first and the last use; `named` is the filter by name; `content` are further arguments of the report.
    """

    blanks: Sequence[ColumnElement[Any]] = ()
    """Columns of a row that something else fills in."""

    def __init__(
        self,
        table: Table,
        things: Table,
        thing: str,
        *,
        called: tuple[str, str, str, str],
        named: Filter,
        content: Sequence[Argument] = (),
    ) -> None:
        self.table, self.things, self.thing, self.called = table, things, thing, called
        of_project = exists().where(
            mine(timesheets),
            timesheets.c.id == table.c.timesheet_id,
            timesheets.c.project_id == given("project_id", Uuid()),
        )
        self.filters: Mapping[str, Filter] = {
            filter.name: filter
            for filter in [
                named,
                among("productivity", Productivity, things.c.productivity, "Only what is rated so."),
                related("project_id", of_project, "Only what was used in time tracked for this project."),
            ]
        }
        own = and_(mine(table), table.c.user_id == members.c.user_id, self.in_period())
        self.scope = report.scope(
            select(func.count()).where(own, table.c.deleted_at.is_(None)).correlate(members).scalar_subquery(),
            exists().where(own, table.c.updated_at >= report.SINCE),
            [*self.filters.values(), *content],
        )

    def everywhere(self) -> Resolver:
        """A resolver of the report over the whole organization."""

        async def resolve(info: Info[Context, None], **arguments: Any) -> PageOfRows:
            return await self.page(info.context, arguments)

        resolver: Resolver = declare(resolve, self.scope.arguments)
        return resolver

    async def page(self, context: Context, arguments: Mapping[str, Any]) -> PageOfRows:
        """One page of members. Raises Refusal."""
        page, period = await report.capped(self.scope, report.LOGS, context, arguments)
        names = frozenset(name for name in self.filters if arguments.get(name) is not None)
        values = {
            KEYS.key: [member.user_id for member in page.results],
            LOW.key: period.edges[0],
            HIGH.key: period.edges[-1],
            EDGES.key: period.edges,
            **{name: plain(arguments[name]) for name in names},
        }
        rows = await self.used(context, names, values, arguments)
        return PageOfRows(page.count, _reports(page.results, period, rows), page.next)

    async def used(
        self, context: Context, names: Names, values: Mapping[str, Any], arguments: Mapping[str, Any]
    ) -> Sequence[Row]:
        """What was used, by the filters of those names: a row a member, one a day (from 1 on), one a thing and day."""
        return await context.read(self.statement(names), values)

    @cache  # noqa: B019 - a report lives as long as the program
    def statement(self, names: Names) -> Statement:
        """The statement of `used`. What a row is not about is null in it."""
        slots, (name, times, first, last) = self.slots(names), self.called
        seconds = func.sum(slots.c.duration_seconds)
        rating = slots.c.productivity
        rated = (Productivity.productive, Productivity.neutral, Productivity.unproductive)
        user, day, thing = slots.c.user_id, slots.c.day, (slots.c.name, slots.c.category, rating)
        return Statement(
            select(
                user,
                day,
                slots.c.name.label(name),
                slots.c.category,
                rating,
                seconds.label("duration_seconds"),
                *(func.coalesce(seconds.filter(rating == way.value), 0).label(f"{way}_seconds") for way in rated),
                func.sum(slots.c.active_seconds).label("active_seconds"),
                func.sum(slots.c[times]).label(times),
                func.min(slots.c.first_at).label(first),
                func.max(slots.c.last_at).label(last),
                func.max(slots.c.updated_at).label("updated_at"),
                *self.blanks,
            )
            .group_by(func.grouping_sets(tuple_(user), tuple_(user, day), tuple_(user, day, *thing)))
            .order_by(day, seconds.desc(), collate(slots.c.name, "C"))
        )

    def slots(self, names: Names) -> FromClause:
        """The live slots of the period that the filters let through, each with its day."""
        table, things = self.table, self.things
        day = func.width_bucket(table.c.slot_at, EDGES, type_=Integer())
        return (
            select(things.c.name, things.c.category, things.c.productivity, day.label("day"), *table.c)
            .select_from(table.join(things, and_(mine(things), things.c.id == table.c[self.thing])))
            .where(
                mine(table),
                table.c.user_id == any_key(),
                self.in_period(),
                table.c.deleted_at.is_(None),
                *(self.filters[name].where for name in sorted(names)),
            )
            .subquery("slots")
        )

    def in_period(self) -> ColumnElement[bool]:
        """Where a slot begins in the period, and so belongs to it as a whole."""
        return and_(self.table.c.slot_at >= LOW, self.table.c.slot_at < HIGH)


def _reports(members: Sequence[Row], period: Period, rows: Sequence[Row]) -> Sequence[UsageReport]:
    """A report for each of the members, whether there are rows about it or not."""
    assert period.start is not None
    totals: dict[Any, Row] = {}
    days: dict[Any, list[UsageDay]] = {}
    things: dict[Any, list[Row]] = {}
    for row in rows:
        listed = things.setdefault((row.user_id, row.day), [])
        if row.productivity is not None:
            listed.append(row)
        elif row.day is not None:
            day = period.start + timedelta(days=row.day - 1)
            days.setdefault(row.user_id, []).append(UsageDay(day, row.duration_seconds, listed))
        else:
            totals[row.user_id] = row
    return [_report(member, period, totals.get(member.user_id), days.get(member.user_id, [])) for member in members]


def _report(member: Row, period: Period, total: Row | None, days: Sequence[UsageDay]) -> UsageReport:
    return UsageReport(
        member,
        period.start,
        period.end,
        period.zone,
        total.duration_seconds if total else 0,
        total.productive_seconds if total else 0,
        total.neutral_seconds if total else 0,
        total.unproductive_seconds if total else 0,
        total.updated_at if total else None,
        days,
    )
