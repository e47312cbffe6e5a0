"""Usage reports of applications and of sites: one row a member, with its days and the usages of each day.

One statement has the totals of a page of users: by application or site, by day and by user. A slot belongs to the local
day in which it begins (see `db.tables.activity`), so it needs the bounds of days only. Each level sums the one below.
Rows that filters leave out and deleted rows are not shown, but they decide when the totals last changed. The report of
sites optionally has the pages of each site.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Date,
    DateTime,
    Integer,
    Select,
    Table,
    Uuid,
    and_,
    cast,
    collate,
    column,
    func,
    select,
    true,
)
from sqlalchemy.sql.selectable import FromClause

from db.reading.statement import Statement
from db.tables.activity import Productivity, url_pages
from db.tables.columns import bind, in_organization
from db.tables.timesheets import timesheets
from db.values.json_array import JsonArray, Keys
from resolvers.context import Context
from resolvers.errors import Invalid
from resolvers.lists.filters import one_of
from resolvers.lists.list_sql import DATES, DAY_HIGHS, DAY_LOWS, SINCE, Filter
from resolvers.lists.listing import Listing
from resolvers.lists.page_reader import PageOfRows
from resolvers.records.changes_sql import has_change, members_with, renamed_users
from resolvers.records.interval_sql import rows_of, slots_in_range, starts_near_range
from resolvers.relations.arguments import Argument, bind_value
from resolvers.relations.relation import KEYS, id_rows
from resolvers.reports.grouped.summed_time_sql import HASHED
from resolvers.reports.record_changes_sql import members_with_changes
from resolvers.reports.report_members import LOGS, member_listing
from resolvers.reports.report_page import Totals, report_page, report_step
from resolvers.values.json_sql import JsonField, JsonKind, json_array, json_members
from resolvers.values.planner import FENCE

_MOMENT = DateTime(timezone=True)

USERS = id_rows(KEYS, "user_id", "people")
DAYS = (
    func.unnest(DATES, DAY_LOWS, DAY_HIGHS)
    .table_valued(column("date", Date()), column("low", _MOMENT), column("high", _MOMENT))
    .render_derived("days")
)
"""The users and the days of a statement."""

USAGE_SUMS = ("total_seconds", *(f"{productivity.value}_seconds" for productivity in Productivity))
"""The sums of a user, and of a day."""

PROJECT_ID = "project_id"
"""The name of the filter by project, which applies to slots; the others apply to the catalog."""

MAX_PAGES = 200
"""The most pages of one site and day in a report."""

WITH_PAGES = Argument(
    name="with_pages",
    type=bool,
    default=False,
    description="Also return the pages of each website; requires `user_id`.",
)

PROJECT_ARGUMENT = Argument(name=PROJECT_ID, type=UUID, description="Only usage during time on this project.")

NO_USAGE: dict[str, Any] = dict.fromkeys((*USAGE_SUMS, "record_count"), 0) | {"updated_at": None}
"""The totals of a member without usage."""


class UsageNames(NamedTuple):
    """The names of a report: its list of usages in a day; of a usage the name, the count of uses, first and last."""

    usages: str
    name: str
    times: str
    first: str
    last: str


class UsageReport:
    """A report over the slots of `table`, by a catalog of applications or sites.

    The column `catalog_id` of `table` is the id of a row in `catalog`. `name_filter` filters by name. `has_pages`: the
    report has the pages of each site, which are null unless `with_pages` is true.
    """

    def __init__(
        self,
        table: Table,
        catalog: Table,
        catalog_id: str,
        *,
        names: UsageNames,
        name_filter: Filter,
        has_pages: bool = False,
    ) -> None:
        filters = [name_filter, one_of(catalog.c.productivity, "Only these productivity ratings.")]
        self.table, self.catalog, self.catalog_id, self.names = table, catalog, catalog_id, names
        self.filters: Mapping[str, Filter] = {filter.name: filter for filter in filters}
        self.content = [PROJECT_ARGUMENT, *filters]
        self.arguments = [*self.content, *([WITH_PAGES] if has_pages else [])]
        self._catalog_fields = [
            JsonField(names.name, JsonKind.escaped),
            JsonField("category", JsonKind.escaped, is_required=False),
            JsonField("productivity", JsonKind.quoted),
        ]
        """The fields of an application or site, which usages begin with."""
        self._page_fields = [
            JsonField("url", JsonKind.escaped),
            JsonField("title", JsonKind.escaped, is_required=False),
            *(JsonField(name, JsonKind.bare) for name in ("duration_seconds", names.times)),
        ]
        self.members = self._listing()
        self.of_organization = report_step(self._page, self._members_of, self.members.arguments)
        """The step of the report over the whole organization."""
        self._members_with_pages: Listing | None = None
        if has_pages:
            # A request about one person reads that person's usage, and needs no index of pages.
            page = url_pages.c
            changed = select(page.id).where(in_organization(url_pages), page.report_changed_at >= SINCE)
            renamed = members_with([table.c.page_id], slots_in_range(table), table.c.slot_at, changed)
            self._members_with_pages = self._listing(renamed)

    def _listing(self, *others: Select[Any]) -> Listing:
        """The list of the report's members. `others` select further people whose row changed."""
        renamed = renamed_users(self.table, self.catalog_id, self.catalog)
        own = has_change(self.table, "slot_at", slots_in_range(self.table), slots_in_range)
        changed = members_with_changes(own, others=[renamed, *others])
        return member_listing(self.table, slots_in_range(self.table), changed, self.arguments, has_count=False)

    async def _page(self, context: Context, arguments: Mapping[str, Any]) -> PageOfRows:
        """One page of members. Raises Invalid if one has more slots in the period than the cap, and other Refusals."""
        content = {each.name: arguments.get(each.name) for each in self.content}
        values = {name: bind_value(value, name) for name, value in content.items() if value is not None}
        with_pages = bool(arguments.get(WITH_PAGES.name))
        keys = self.day_keys(with_pages=with_pages)

        async def totals(days: Mapping[str, Any]) -> Totals:
            rows = await context.fetch(self.statement(frozenset(values), with_pages=with_pages), {**days, **values})
            return {row.user_id: row._asdict() | {"days": JsonArray(row.days or "[]", keys)} for row in rows}

        none = NO_USAGE | {"days": JsonArray("[]", keys)}
        page = await report_page(self._members_of(arguments), context, arguments, totals, none)
        # Counted with the sums: to count them before takes an eighth of a report.
        LOGS.check(row["record_count"] for row in page.results)
        return page

    def _members_of(self, arguments: Mapping[str, Any]) -> Listing:
        """The list of members that these arguments ask for. Raises Invalid for pages of more than one person."""
        if not arguments.get(WITH_PAGES.name) or self._members_with_pages is None:
            return self.members
        if arguments.get("user_id") is None:
            message = "detail=url is allowed only together with user_id."
            raise Invalid(message, {"detail": [message]})
        return self._members_with_pages

    def _usage_fields(self, *, with_pages: bool) -> Sequence[JsonField]:
        """The other fields of a usage."""
        return [
            *(JsonField(name, JsonKind.bare) for name in ("duration_seconds", "active_seconds", self.names.times)),
            *(JsonField(name, JsonKind.second) for name in (self.names.first, self.names.last)),
            *(JsonField(name, JsonKind.bare) for name in ("pages", "pages_truncated") if with_pages),
        ]

    def day_keys(self, *, with_pages: bool) -> Keys:
        """The keys of the days and of their usages, in the order of the response."""
        pages = ("pages", tuple(field.name for field in self._page_fields))
        keys = (field.name for field in (*self._catalog_fields, *self._usage_fields(with_pages=with_pages)))
        return ("date", "total_seconds", (self.names.usages, tuple(pages if key == "pages" else key for key in keys)))

    @cache  # noqa: B019 - a report lives as long as the program
    def statement(self, names: frozenset[str], *, with_pages: bool) -> Statement:
        """The totals of each user with usage in the days, also if none of it is shown, filtered by `names`.

        `days` is JSON, or null if nothing is shown. `record_count` counts slots, those that filters leave out, too.
        """
        usages = self._pages_by_usage(names) if with_pages else self._by_usage(names)
        fields = [JsonField("catalog_text", JsonKind.members), *self._usage_fields(with_pages=with_pages)]
        days = self._by_day(usages.subquery("usages"), fields)
        columns = {"date": days.c.date, "total_seconds": days.c.total_seconds, self.names.usages: days.c.usages}
        day_fields = [JsonField(name, JsonKind.day if name == "date" else JsonKind.bare) for name in columns]
        return Statement(
            select(
                days.c.user_id,
                *(cast(func.sum(days.c[name]), BigInteger).label(name) for name in USAGE_SUMS),
                cast(func.sum(days.c.record_count), Integer).label("record_count"),
                func.max(days.c.updated_at).label("updated_at"),
                json_array(columns, day_fields, [days.c.date], where=days.c.usages.is_not(None)).label("days"),
            ).group_by(days.c.user_id)
        )

    def _by_day(self, usages: FromClause, fields: Sequence[JsonField]) -> FromClause:
        """The totals of each day, with its usages as JSON, the longest first; null if none is shown."""
        seconds, is_shown = usages.c.duration_seconds, usages.c.is_shown
        order = [seconds.desc(), collate(usages.c[self.names.name], "C")]
        ratings = (
            func.sum(seconds).filter(is_shown, usages.c.productivity == productivity.value)
            for productivity in Productivity
        )
        return (
            select(
                usages.c.user_id,
                usages.c.date,
                *(
                    cast(func.coalesce(total, 0), BigInteger).label(name)
                    for name, total in zip(USAGE_SUMS, (func.sum(seconds).filter(is_shown), *ratings), strict=True)
                ),
                cast(func.sum(usages.c.record_count), Integer).label("record_count"),
                func.max(usages.c.updated_at).label("updated_at"),
                json_array(dict(usages.c), fields, order, where=is_shown).label("usages"),
            )
            .group_by(usages.c.user_id, usages.c.date)
            .subquery("day_totals")
        )

    def _by_usage(self, names: frozenset[str], *by: str) -> Select[Any]:
        """The totals of each application or site on each day, by further columns `by`, with its name and rating."""
        sums = self._sums(names, self.catalog_id, *by)
        catalog = self._catalog(names, sums.c[self.catalog_id])
        return select(
            USERS.c.user_id,
            DAYS.c.date,
            *(catalog.c[name] for name in (self.names.name, "productivity", "catalog_text")),
            *(each for each in sums.c if each.name not in {self.catalog_id, "is_shown", "updated_at"}),
            and_(sums.c.is_shown, catalog.c.is_listed).label("is_shown"),
            func.greatest(sums.c.updated_at, catalog.c.report_changed_at).label("updated_at"),
        ).select_from(USERS.join(DAYS, true()).join(sums, true()).outerjoin(catalog, true()))

    def _catalog(self, names: frozenset[str], id: ColumnElement[Any]) -> FromClause:
        """The application or site of an id with the JSON of its fields, and whether the filters list it.

        It exists. An outer join and the fence make PostgreSQL read it and write its text once, and keep both; otherwise
        it would do so for each usage, or read the whole catalog for each user and day.
        """
        catalog = self.catalog.c
        columns = {self.names.name: catalog.name, **dict(catalog)}
        filtered = (filter.where for name, filter in self.filters.items() if name in names)
        return (
            select(
                *(catalog.name.label(self.names.name), catalog.productivity, catalog.report_changed_at),
                json_members(columns, self._catalog_fields).label("catalog_text"),
                and_(true(), *filtered).label("is_listed"),
            )
            .where(in_organization(self.catalog), catalog.id == id)
            .offset(FENCE)
            .lateral("catalog")
        )

    def _pages_by_usage(self, names: frozenset[str]) -> Select[Any]:
        """The same with JSON of the pages of a site, the longest used first: MAX_PAGES, and whether there are more."""
        usages, page = self._by_usage(names, "page_id").subquery("page_usages"), url_pages.c
        keys = ("user_id", "date", self.names.name, "productivity", "catalog_text", "is_shown")
        by = [usages.c[name] for name in keys]
        order = (usages.c.duration_seconds.desc(), collate(page.url, "C"), page.id)
        rank = func.row_number().over(partition_by=by, order_by=order).label("rank")
        is_of_usage = and_(in_organization(url_pages), page.id == usages.c.page_id)
        ranked = (
            select(*usages.c, page.url, page.title, page.report_changed_at, rank)
            .select_from(usages.join(url_pages, is_of_usage))
            .subquery("ranked")
        )
        is_listed = ranked.c.rank <= MAX_PAGES
        by = [ranked.c[name] for name in keys]
        return select(
            *by,
            *self._totals(ranked, self.names.first, self.names.last),
            cast(func.sum(ranked.c.record_count), Integer).label("record_count"),
            func.max(func.greatest(ranked.c.updated_at, ranked.c.report_changed_at)).label("updated_at"),
            json_array(dict(ranked.c), self._page_fields, [ranked.c.rank], where=is_listed).label("pages"),
            (func.count() > MAX_PAGES).label("pages_truncated"),
        ).group_by(*by)

    def _sums(self, names: frozenset[str], *by: str) -> FromClause:
        """The sums of the slots of one user and day, by the columns `by` and `is_shown`, as a lateral subquery.

        It reads one user and day at a time: for all at once PostgreSQL would have to compare each slot with the days.
        """
        table = self.table.c
        source: FromClause = self.table
        is_shown: ColumnElement[bool] = table.deleted_at.is_(None)
        if PROJECT_ID in names:
            source = source.outerjoin(timesheets, _is_of_slot(self.table))
            is_shown = and_(is_shown, timesheets.c.id.is_not(None))
        return (
            select(
                *(table[name] for name in by),
                is_shown.label("is_shown"),
                *self._totals(self.table, "first_at", "last_at"),
                cast(func.count().filter(table.deleted_at.is_(None)), Integer).label("record_count"),
                func.max(table.updated_at).label("updated_at"),
            )
            .select_from(source)
            .where(rows_of(self.table, USERS.c.user_id), table.slot_at >= DAYS.c.low, table.slot_at < DAYS.c.high)
            .group_by(*(table[name] for name in by), is_shown, HASHED)
            .correlate(USERS, DAYS)
            .lateral("sums")
        )

    def _totals(self, rows: FromClause, first: str, last: str) -> Sequence[ColumnElement[Any]]:
        """The totals of usage in rows, whose columns `first` and `last` are the times of its first and last use."""
        return [
            cast(func.sum(rows.c.duration_seconds), Integer).label("duration_seconds"),
            cast(func.sum(rows.c.active_seconds), Integer).label("active_seconds"),
            func.sum(rows.c[self.names.times]).label(self.names.times),
            func.min(rows.c[first]).label(self.names.first),
            func.max(rows.c[last]).label(self.names.last),
        ]


def _is_of_slot(table: Table) -> ColumnElement[bool]:
    """Whether a timesheet is that of a slot, and about the requested project.

    It began on the day or within MAX_INTERVAL before it. These conditions let PostgreSQL use the index by user and
    start; by project alone it would read all timesheets of the project.
    """
    return and_(
        rows_of(timesheets, USERS.c.user_id),
        starts_near_range(timesheets, DAYS.c.low, DAYS.c.high),
        timesheets.c.id == table.c.timesheet_id,
        timesheets.c.project_id == bind(PROJECT_ID, Uuid()),
    )
