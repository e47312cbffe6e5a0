"""Usage of applications and sites: one report row a member, with the days, and on each day what was used how long.

The database adds up the slots of a thing and day, in one statement for all members of a page. A slot belongs to the
local day in which it begins (see `db.tables.activity`), so the edges of the days are all it has to know of a time zone.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    DateTime,
    Table,
    Uuid,
    and_,
    collate,
    column,
    exists,
    func,
    select,
    true,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.sql.selectable import FromClause
from strawberry import Info, Parent

from db.reading.connection import Row
from db.reading.statement import Statement
from db.tables.activity import Productivity
from db.tables.columns import ORGANIZATION, bind, in_organization
from db.tables.people import members
from db.tables.timesheets import MAX_INTERVAL, timesheets
from resolvers.context import Context
from resolvers.lists.filters import one_of, related
from resolvers.lists.list_checks import check_filter
from resolvers.lists.list_sql import HIGH, LOW, Filter
from resolvers.lists.listing import PageOfRows, plain
from resolvers.period import Period
from resolvers.relations.arguments import Argument, declare
from resolvers.relations.batching import Resolver
from resolvers.relations.relation import KEYS
from resolvers.reports import report_members as report

_MOMENT = DateTime(timezone=True)
LOWS, HIGHS = bind("lows", ARRAY(_MOMENT)), bind("highs", ARRAY(_MOMENT))

# Whom and which days a statement is about.
PEOPLE = func.unnest(KEYS).table_valued(column("user_id", Uuid())).render_derived("people")
DAYS = (
    func.unnest(LOWS, HIGHS)
    .table_valued(column("low", _MOMENT), column("high", _MOMENT), with_ordinality="day")
    .render_derived("days")
)

BOUND = frozenset({ORGANIZATION.key, KEYS.key, LOWS.key, HIGHS.key})
"""The names that have a value in every statement of a report; a filter adds its own."""

Names = frozenset[str]


class UsageDay(NamedTuple):
    """One day on which something was used, and what: the longest used first."""

    date: date
    total_seconds: int
    things: Sequence[Row]


class UsageReport(NamedTuple):
    """What one member used in a period."""

    user: Row
    start_date: date
    end_date: date
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
        # Its timesheet began in the day or within MAX_INTERVAL before it: the index by person and start finds those
        # few, where by project alone all of them would be read.
        in_project = (
            exists()
            .where(
                in_organization(timesheets),
                timesheets.c.user_id == PEOPLE.c.user_id,
                timesheets.c.started_at > DAYS.c.low - MAX_INTERVAL,
                timesheets.c.started_at < DAYS.c.high,
                timesheets.c.id == table.c.timesheet_id,
                timesheets.c.project_id == bind("project_id", Uuid()),
            )
            .correlate_except(timesheets)
        )
        of_slots = [related("project_id", in_project, "Only usage during time on this project.")]
        of_things = [
            named,
            one_of("productivity", Productivity, things.c.productivity, "Only these productivity ratings."),
        ]
        self.of_slots: Mapping[str, Filter] = {filter.name: filter for filter in of_slots}
        self.of_things: Mapping[str, Filter] = {filter.name: filter for filter in of_things}
        for filter in (*of_slots, *of_things):
            check_filter(f"The report over {table.name}", filter, BOUND)
        own = and_(
            in_organization(table), table.c.user_id == members.c.user_id, table.c.slot_at >= LOW, table.c.slot_at < HIGH
        )
        self.scope = report.scope(
            select(func.count()).where(own, table.c.deleted_at.is_(None)).correlate(members).scalar_subquery(),
            exists().where(own, table.c.updated_at >= report.SINCE),
            [*of_slots, *of_things, *content],
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
        names = frozenset(name for name in (*self.of_slots, *self.of_things) if arguments.get(name) is not None)
        values = {
            KEYS.key: [member.user_id for member in page.results],
            LOWS.key: period.edges[:-1],
            HIGHS.key: period.edges[1:],
            **{name: plain(arguments[name]) for name in names},
        }
        rows = await self.used(context, names, values, arguments)
        return PageOfRows(page.count, _reports(page.results, period, rows), page.next)

    async def used(
        self, context: Context, names: Names, values: Mapping[str, Any], arguments: Mapping[str, Any]
    ) -> Sequence[Row]:
        """What was used, by the filters of those names: a row a person, day (from 1 on) and thing, in their order."""
        return await context.read(self.statement(names), values)

    @cache  # noqa: B019 - a report lives as long as the program
    def statement(self, names: Names) -> Statement:
        """The statement of `used`."""
        used, things = self.sums(names, self.thing), self.things.c
        return Statement(
            select(
                PEOPLE.c.user_id,
                DAYS.c.day,
                things.name.label(self.called[0]),
                things.category,
                things.productivity,
                *(column for column in used.c if column.name != self.thing),
                *self.blanks,
            )
            .select_from(self.of_people(names, used))
            .order_by(DAYS.c.day, used.c.duration_seconds.desc(), collate(things.name, "C"))
        )

    def sums(self, names: Names, *by: str) -> FromClause:
        """What the slots of one person and day add up to, by the columns `by`.

        One person and day at a time, since the database can't foresee how few things there are in a day, and would
        sort the slots of all people and days to find out.
        """
        table, (_, times, first, last) = self.table.c, self.called
        return (
            select(
                *(table[name] for name in by),
                func.sum(table.duration_seconds).label("duration_seconds"),
                func.sum(table.active_seconds).label("active_seconds"),
                func.sum(table[times]).label(times),
                func.min(table.first_at).label(first),
                func.max(table.last_at).label(last),
                func.max(table.updated_at).label("updated_at"),
            )
            .where(
                in_organization(self.table),
                table.user_id == PEOPLE.c.user_id,
                table.slot_at >= DAYS.c.low,
                table.slot_at < DAYS.c.high,
                table.deleted_at.is_(None),
                *(filter.where for name, filter in self.of_slots.items() if name in names),
            )
            .group_by(*(table[name] for name in by))
            .correlate(PEOPLE, DAYS)
            .lateral("used")
        )

    def of_people(self, names: Names, used: FromClause) -> FromClause:
        """All people and days, each with what was `used`, and with the things that the filters let through."""
        things = and_(
            in_organization(self.things),
            self.things.c.id == used.c[self.thing],
            *(filter.where for name, filter in self.of_things.items() if name in names),
        )
        return PEOPLE.join(DAYS, true()).join(used, true()).join(self.things, things)


def _reports(members: Sequence[Row], period: Period, rows: Sequence[Row]) -> Sequence[UsageReport]:
    """A report for each of the members, whether there are rows about it or not."""
    used: dict[Any, dict[int, list[Row]]] = {member.user_id: {} for member in members}
    for row in rows:
        used[row.user_id].setdefault(row.day, []).append(row)
    return [_report(member, period, used[member.user_id]) for member in members]


def _report(member: Row, period: Period, used: Mapping[int, Sequence[Row]]) -> UsageReport:
    assert period.start is not None
    assert period.end is not None
    things = [thing for day in used.values() for thing in day]
    rated = Counter[str]()
    for thing in things:
        rated[thing.productivity] += thing.duration_seconds
    return UsageReport(
        member,
        period.start,
        period.end,
        period.zone,
        rated.total(),
        rated[Productivity.productive.value],
        rated[Productivity.neutral.value],
        rated[Productivity.unproductive.value],
        max((thing.updated_at for thing in things), default=None),
        [
            UsageDay(period.start + timedelta(days=number - 1), sum(thing.duration_seconds for thing in day), day)
            for number, day in used.items()
        ],
    )
