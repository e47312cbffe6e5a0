"""Usage reports of applications and of sites: one row a member, with its days and the usages of each day.

The database sums the slots by day and by application or site, in one statement for all members of a page. A slot
belongs to the local day in which it begins (see `db.tables.activity`), so the statement needs the bounds of days only.
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
from db.tables.timesheets import MAX_INTERVAL, timesheets
from resolvers.context import Context
from resolvers.lists.filters import one_of, related
from resolvers.lists.list_checks import check_filter
from resolvers.lists.list_sql import HIGH, LOW, Filter
from resolvers.lists.listing import PageOfRows, bind_value
from resolvers.period import Period
from resolvers.relations.arguments import Argument, declare
from resolvers.relations.batching import Resolver
from resolvers.relations.relation import KEYS
from resolvers.reports import report_members as report
from resolvers.reports.changes_sql import has_change

_MOMENT = DateTime(timezone=True)
LOWS, HIGHS = bind("lows", ARRAY(_MOMENT)), bind("highs", ARRAY(_MOMENT))

# The users and the days of a statement.
USERS = func.unnest(KEYS).table_valued(column("user_id", Uuid())).render_derived("people")
DAYS = (
    func.unnest(LOWS, HIGHS)
    .table_valued(column("low", _MOMENT), column("high", _MOMENT), with_ordinality="day")
    .render_derived("days")
)

BOUND_NAMES = frozenset({ORGANIZATION.key, KEYS.key, LOWS.key, HIGHS.key})
"""The names that have a value in every statement of a report; a filter adds its own."""

FilterNames = frozenset[str]


class UsageDay(NamedTuple):
    """One day with usage, and the usages of its applications or sites, the longest first."""

    date: date
    total_seconds: int
    usages: Sequence[Row]


class UsageReportRow(NamedTuple):
    """The usage of one member in a period."""

    user: Row
    start_date: date
    end_date: date
    timezone: str
    total_seconds: int
    productive_seconds: int
    neutral_seconds: int
    unproductive_seconds: int
    unrated_seconds: int
    updated_at: datetime | None
    days: Sequence[UsageDay]


def usages_of_day(root: Parent[Any]) -> Any:
    """The usages of a day."""
    return root.usages


class UsageReport:
    """A report over the slots of `table`, by a catalog of applications or sites.

    The column `catalog_id` of `table` is the id of a row in `catalog`. `field_names` are the fields of a usage: the
    name of the application or site, the count of uses (also a column of `table`), the first and the last use.
    `name_filter` filters by name. `content` are further arguments of the report.
    """

    empty_columns: Sequence[ColumnElement[Any]] = ()
    """Columns of a usage that a subclass fills in."""

    def __init__(
        self,
        table: Table,
        catalog: Table,
        catalog_id: str,
        *,
        field_names: tuple[str, str, str, str],
        name_filter: Filter,
        content: Sequence[Argument] = (),
    ) -> None:
        self.table, self.catalog, self.catalog_id, self.field_names = table, catalog, catalog_id, field_names
        # The slot's timesheet began on the day or within MAX_INTERVAL before it. These conditions let PostgreSQL use
        # the index by user and start; by project alone it would read all timesheets of the project.
        in_project = (
            exists()
            .where(
                in_organization(timesheets),
                timesheets.c.user_id == USERS.c.user_id,
                timesheets.c.started_at > DAYS.c.low - MAX_INTERVAL,
                timesheets.c.started_at < DAYS.c.high,
                timesheets.c.id == table.c.timesheet_id,
                timesheets.c.project_id == bind("project_id", Uuid()),
            )
            .correlate_except(timesheets)
        )
        slot_filters = [related("project_id", in_project, "Only usage during time on this project.")]
        catalog_filters = [
            name_filter,
            one_of("productivity", Productivity, catalog.c.productivity, "Only these productivity ratings."),
        ]
        self.slot_filters: Mapping[str, Filter] = {filter.name: filter for filter in slot_filters}
        self.catalog_filters: Mapping[str, Filter] = {filter.name: filter for filter in catalog_filters}
        for filter in (*slot_filters, *catalog_filters):
            check_filter(f"The report over {table.name}", filter, BOUND_NAMES)
        self.members = report.member_listing(
            table,
            _in_range(table),
            has_change(table, "slot_at", _in_range(table), _in_range),
            [*slot_filters, *catalog_filters, *content],
        )

    def of_organization(self) -> Resolver:
        """A resolver of the report over the whole organization."""

        async def resolve(info: Info[Context, None], **arguments: Any) -> PageOfRows:
            return await self.page(info.context, arguments)

        resolver: Resolver = declare(resolve, self.members.arguments)
        return resolver

    async def page(self, context: Context, arguments: Mapping[str, Any]) -> PageOfRows:
        """One page of members. Raises Refusal."""
        page, period = await report.page_within_cap(self.members, report.LOGS, context, arguments)
        names = frozenset(
            name for name in (*self.slot_filters, *self.catalog_filters) if arguments.get(name) is not None
        )
        values = {
            KEYS.key: [member.user_id for member in page.results],
            LOWS.key: period.bounds[:-1],
            HIGHS.key: period.bounds[1:],
            **{name: bind_value(arguments[name]) for name in names},
        }
        rows = await self.usages(context, names, values, arguments)
        return PageOfRows(page.count, _report_rows(page.results, period, rows), page.next)

    async def usages(
        self, context: Context, names: FilterNames, values: Mapping[str, Any], arguments: Mapping[str, Any]
    ) -> Sequence[Row]:
        """One row for each user, day (its number, from 1) and application or site, filtered by the filters `names`."""
        return await context.read(self.statement(names), values)

    @cache  # noqa: B019 - a report lives as long as the program
    def statement(self, names: FilterNames) -> Statement:
        """The statement of `usages`."""
        sums, catalog = self.sums(names, self.catalog_id), self.catalog.c
        return Statement(
            select(
                USERS.c.user_id,
                DAYS.c.day,
                catalog.name.label(self.field_names[0]),
                catalog.category,
                catalog.productivity,
                *(column for column in sums.c if column.name != self.catalog_id),
                *self.empty_columns,
            )
            .select_from(self.joined(names, sums))
            .order_by(DAYS.c.day, sums.c.duration_seconds.desc(), collate(catalog.name, "C"))
        )

    def sums(self, names: FilterNames, *by: str) -> FromClause:
        """The sums of the slots of one user and day, by the columns `by`, as a lateral subquery.

        It reads one user and day at a time. For all at once PostgreSQL would sort every slot, since it cannot estimate
        how few applications or sites a day has.
        """
        table, (_, times, first, last) = self.table.c, self.field_names
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
                table.user_id == USERS.c.user_id,
                table.slot_at >= DAYS.c.low,
                table.slot_at < DAYS.c.high,
                table.deleted_at.is_(None),
                *(filter.where for name, filter in self.slot_filters.items() if name in names),
            )
            .group_by(*(table[name] for name in by))
            .correlate(USERS, DAYS)
            .lateral("sums")
        )

    def joined(self, names: FilterNames, sums: FromClause) -> FromClause:
        """Users, days, their `sums`, and the rows of the catalog that pass the filters."""
        matches = and_(
            in_organization(self.catalog),
            self.catalog.c.id == sums.c[self.catalog_id],
            *(filter.where for name, filter in self.catalog_filters.items() if name in names),
        )
        return USERS.join(DAYS, true()).join(sums, true()).join(self.catalog, matches)


def _in_range(slots: FromClause) -> ColumnElement[bool]:
    return and_(slots.c.slot_at >= LOW, slots.c.slot_at < HIGH)


def _report_rows(members: Sequence[Row], period: Period, rows: Sequence[Row]) -> Sequence[UsageReportRow]:
    """One row for each member, also for those without usage."""
    usages: dict[Any, dict[int, list[Row]]] = {member.user_id: {} for member in members}
    for row in rows:
        usages[row.user_id].setdefault(row.day, []).append(row)
    return [_report_row(member, period, usages[member.user_id]) for member in members]


def _report_row(member: Row, period: Period, usages_by_day: Mapping[int, Sequence[Row]]) -> UsageReportRow:
    assert period.start is not None
    assert period.end is not None
    usages = [usage for day in usages_by_day.values() for usage in day]
    seconds = Counter[str]()
    for usage in usages:
        seconds[usage.productivity] += usage.duration_seconds
    return UsageReportRow(
        member,
        period.start,
        period.end,
        period.zone,
        seconds.total(),
        seconds[Productivity.productive.value],
        seconds[Productivity.neutral.value],
        seconds[Productivity.unproductive.value],
        seconds[Productivity.unrated.value],
        max((usage.updated_at for usage in usages), default=None),
        [
            UsageDay(period.start + timedelta(days=number - 1), sum(usage.duration_seconds for usage in day), day)
            for number, day in usages_by_day.items()
        ],
    )
