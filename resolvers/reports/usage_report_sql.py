"""SQL of usage reports: the totals of a page of users, and their days with the usages of each as JSON.

One statement has them: by application or site, by day and by user. A slot belongs to the local day in which it begins
(see `db.tables.activity`), so it needs the bounds of days only. Each level sums the one below. Rows that filters leave
out and deleted rows are not shown, but they decide when the totals last changed.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

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
from db.values.json_array import Keys
from resolvers.lists.list_sql import DATES, DAY_HIGHS, DAY_LOWS, Filter
from resolvers.records.interval_sql import rows_of, starts_near_range
from resolvers.relations.relation import KEYS, id_rows
from resolvers.reports.grouped.summed_time_sql import HASHED
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


class UsageNames(NamedTuple):
    """The names of a report: its list of usages in a day; of a usage the name, the count of uses, first and last."""

    usages: str
    name: str
    times: str
    first: str
    last: str


class UsageSql:
    """The statements of a report over the slots of `table`, by a catalog of applications or sites.

    The column `catalog_id` of `table` is the id of a row in `catalog`, whose rows `filters` select.
    """

    def __init__(
        self, table: Table, catalog: Table, catalog_id: str, names: UsageNames, filters: Sequence[Filter]
    ) -> None:
        self.table, self.catalog, self.catalog_id, self.names = table, catalog, catalog_id, names
        self.filters: Mapping[str, Filter] = {filter.name: filter for filter in filters}
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

    @cache  # noqa: B019 - it lives as long as the program
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
