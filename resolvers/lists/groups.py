"""Groups of all rows of a list: what they may be grouped by, and what is summed.

    INVOICE_TOTALS = Groups(INVOICES, {"amount": ...}, day=invoices.c.issue_date, by=["currency"])

A group is by enumerations, Booleans and references that the table has, by the person's team and department, the client
of the project, and periods of a day. The arguments that find rows are those of the list.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    DateTime,
    FromClause,
    Integer,
    Numeric,
    Select,
    Table,
    Text,
    Uuid,
    and_,
    cast,
    collate,
    func,
    select,
)
from sqlalchemy import column as column_of

from db.tables.columns import bind, constant, in_organization
from db.tables.people import Weekday, members, team_members
from db.tables.work import projects
from resolvers.context import Context
from resolvers.errors import Invalid
from resolvers.lists.calendar_sql import PERIODS, weekday_number
from resolvers.lists.comparisons import compared_value, values_kind
from resolvers.lists.list_sql import DATES, DAY_LOWS, LIMIT, OFFSET, GroupsVariant, Link, ListVariant
from resolvers.lists.listing import Listing
from resolvers.lists.orders import ASCENDING, DESCENDING, check_page
from resolvers.lists.page_arguments import GROUP_LIMITS, GROUPING, PAGING, group_paging
from resolvers.lists.page_reader import PageReader
from resolvers.lists.where import Where, parsed
from resolvers.relations.arguments import Argument, new_enum
from resolvers.relations.live import is_live
from resolvers.selected import ALL, RowSource, Selected
from resolvers.steps.page import GroupTotals
from resolvers.values.percent import percent

REFERENCES = ("client_id", "leave_period_id", "leave_policy_id", "leave_type_id", "project_id", "task_id")
"""References by which rows are grouped, beside those to people."""

AVERAGE = "average_"

_NAMES = {"user_id": "member", "date": "day", "week_start": "week", "month_start": "month"}


def group_name(column: str) -> str:
    """What `group_by` calls a column of groups: `project` for `project_id`, `reviewed_by` for `reviewed_by_user_id`."""
    short = column.removesuffix("_id").removesuffix("_user").removeprefix("is_")
    return _NAMES.get(column, short)


def orders_by(sums: Iterable[str]) -> Mapping[str, str]:
    """The orders of groups by sums, with their descriptions."""
    directions = {DESCENDING: "the largest first", ASCENDING: "the smallest first"}
    return {f"{sum}{end}": f"By {sum}, {text}." for sum in sums for end, text in directions.items()}


class Groups:
    """The groups of a list.

    `sums` are of values of a row; those that are no decimals have an average, of the rows with a value. `day` is a day,
    or a moment, whose local day counts. Every request groups by the columns `by`, such as the currency of amounts, and
    by the `usual` ones unless it has `group_by`. `more` are further columns, also of a table to which the list refers.
    `source` joins rows of other tables. In a request with a range, `in_range` replaces sums, and `where_in_range` is a
    condition. `shares` are percentages: the sums of the part and of the whole. `row` names the types of the schema.
    """

    def __init__(
        self,
        listing: Listing,
        sums: Iterable[str] | Mapping[str, ColumnElement[Any]],
        *,
        day: ColumnElement[Any] | None = None,
        by: Sequence[str] = (),
        usual: Sequence[str] = (),
        more: Mapping[str, ColumnElement[Any]] | None = None,
        source: FromClause | None = None,
        in_range: Mapping[str, ColumnElement[Any]] | None = None,
        where_in_range: ColumnElement[bool] | None = None,
        shares: Mapping[str, tuple[ColumnElement[Any], ColumnElement[Any]]] | None = None,
        row: str = "",
    ) -> None:
        self.listing, self.by, self.usual = listing, tuple(by), tuple(usual)
        self.row = row or listing.row
        self._source, self._in_range, self._where_in_range = source, in_range or {}, where_in_range
        self._is_local = day is not None and isinstance(day.type, DateTime)
        self.columns = self._group_columns(day, more or {})
        values = {**listing.columns_by_name, **listing.computed}
        named = sums if isinstance(sums, Mapping) else {name: values[name] for name in sums}
        self._values = {name: compared_value(each) for name, each in named.items()}
        counts = ["count", *(["people_count"] if "user_id" in listing.table.c else [])]
        self.sums: dict[str, ColumnElement[Any]] = {name: column_of(name, Integer()) for name in counts}
        for name, value in self._values.items():
            self.sums[name] = column_of(name, Numeric() if isinstance(value.type, Numeric) else BigInteger())
        whole = [name for name, value in self._values.items() if not isinstance(value.type, Numeric)]
        self.averages = {f"{AVERAGE}{name}": name for name in whole}
        self.sums |= {name: column_of(name, BigInteger()) for name in self.averages}
        self.shares = shares or {}
        self.sums |= {name: column_of(name, Integer()) for name in self.shares}
        for name, (part, of) in self.shares.items():
            self._values |= {f"{name}_part": part, f"{name}_whole": of}
        self._rows = RowSource(f"groups of {listing}")
        self.having = Where(f"{self.row}Having", self.sums, argument="having", rows="groups")
        self.having.declare()
        groups = {group_name(each): f"By {each}." for each in self.columns}
        self.groups = new_enum(f"{self.row}Group", "What rows are grouped by.", groups)
        self.orders = new_enum(
            f"{self.row}TotalOrder", "Order of groups; the same sums by what they are of.", orders_by(self.sums)
        )

    def _group_columns(
        self, day: ColumnElement[Any] | None, more: Mapping[str, ColumnElement[Any]]
    ) -> Mapping[str, ColumnElement[Any]]:
        """The columns of groups by name."""
        table: Any = self.listing.table
        local = select(DATES).scalar_subquery()[func.width_bucket(day, DAY_LOWS)] if self._is_local else day
        found = {} if local is None else {name: period(local) for name, (period, _) in PERIODS.items()}
        if "user_id" in table.c:
            found |= {"user_id": table.c.user_id, "team_id": team_members.c.team_id}
            found |= {"department": members.c.department, "manager_user_id": members.c.manager_user_id}
        for column in self.listing.columns:
            name, info = str(column.key), column.info if isinstance(column, Column) else {}
            is_reference = name in REFERENCES or "person" in info
            if is_reference or "values" in info or name == "currency" or isinstance(column.type, Boolean):
                found.setdefault(name, compared_value(column))
        if "project_id" in table.c:
            found["client_id"] = projects.c.client_id
        return {**found, **more}

    def kind_of(self, column: str) -> Any:
        """The type of the values of a column of groups in the schema."""
        return Weekday if column == "weekday" else values_kind(column, self.columns[column])

    def of(self, parent: str | Link | None = None) -> GroupTotals:
        """The step of the groups of the organization's rows, or of those below each parent."""
        reader = PageReader(self.listing, parent)

        async def resolve(context: Context, roots: Sequence[Any], arguments: Mapping[str, Any]) -> Sequence[Any]:
            given = {name: each for name, each in arguments.items() if name != "order_by"}
            check_page(given, GROUP_LIMITS.maximum)
            shown = context.selected.get(self._rows, ALL).columns
            variant = self._variant(arguments)
            pages = await reader.groups(context, roots, given, variant, Selected(shown))
            return [[row._asdict() for row in page.results] for page in pages]

        is_small = getattr(self.listing.table, "info", {}).get("is_small")
        return GroupTotals(
            resolve, frozenset(reader.keys), self.arguments, rows=self._rows, is_heavy=not is_small, groups=self
        )

    def _variant(self, arguments: Mapping[str, Any]) -> GroupsVariant:
        """The variant that arguments select. Raises Invalid."""
        names = {group_name(column): column for column in self.columns}
        chosen = [names[self.groups(each).value] for each in arguments.get(GROUPING) or ()]
        columns = tuple(dict.fromkeys([*(chosen or self.usual), *self.by]))
        if self._is_local and not PERIODS.keys().isdisjoint(columns) and arguments.get("start_date") is None:
            raise Invalid("Groups by days need start_date and end_date.")
        having, order = arguments.get("having"), arguments.get("order_by")
        shape = None if having is None else parsed(having, "having")[0]
        compared = self.having.columns_in(shape or ())
        return GroupsVariant(self, columns, shape, compared, None if order is None else str(self.orders(order)))

    @property
    def arguments(self) -> Sequence[Argument]:
        """The arguments of the list that find rows, and those of groups."""
        unused = {"order_by", "updated_since", "include_open", *(argument.name for argument in PAGING)}
        always = [group_name(each) for each in self.by]
        note = f"Each group is also of one {always[0]}." if always else ""
        usual = f"; default: {', '.join(map(group_name, self.usual))}" if self.usual else ""
        return [
            *(argument for argument in self.listing.arguments if argument.name not in unused),
            Argument(
                name=GROUPING,
                type=list.__class_getitem__(self.groups),
                description=f"What rows are grouped by, and groups are sorted by{usual}. {note}".strip(),
                is_published=False,
            ),
            self.having.argument,
            Argument(
                name="order_by",
                type=self.orders,
                description="Order of the groups; default: what they are grouped by, ascending, null last.",
                is_published=False,
            ),
            *group_paging(),
        ]

    def page(
        self,
        source: FromClause,
        where: ColumnElement[bool],
        asked: GroupsVariant,
        variant: ListVariant,
        parents: FromClause | None,
    ) -> Select[Any]:
        """One page of the groups of rows under a condition, below a row of `parents` if there are any."""
        has_range = "start_date" in variant.given
        keys = {name: self.columns[name] for name in asked.columns}
        source = source if self._source is None else self._source
        for table in dict.fromkeys(each.table for each in keys.values() if isinstance(each, Column)):
            if table is not self.listing.table:
                source = source.outerjoin(table, self._link(table, is_of_team="team_id" in variant.given))
        if has_range and self._where_in_range is not None:
            where = and_(where, self._where_in_range)
        needed = self._needed(asked, variant.selected.columns)
        values = {**self._values, **(self._in_range if has_range else {})}
        read = {name: values[name] for each in needed for name in self._read_for(each) if name in values}
        read |= {"people_count": self.listing.table.c.user_id} if "people_count" in needed else {}
        columns = [
            *(each.label(name) for name, each in keys.items()),
            *(read[name].label(f"of_{name}") for name in read),
        ]
        around = [] if parents is None else [parents]
        rows = select(*columns).select_from(source).where(where).correlate(*around).subquery("grouped_rows")
        by = [rows.c[name] for name in keys]
        summed = [self._sum(name, rows).label(name) for name in needed]
        found = select(*by, *summed).select_from(rows).group_by(*by)
        # Without columns, all rows are one group, if there are any.
        groups = (found if by else found.having(func.count() > constant(0))).correlate(*around).subquery("every_group")
        # Exact decimals are shown as texts, as in lists.
        sums = [groups.c[name] for name in needed]
        shown = [groups.c[name] for name in keys]
        shown += [cast(each, Text).label(each.key) if isinstance(each.type, Numeric) else each for each in sums]
        page = select(*shown, func.row_number().over(order_by=self._order(groups, asked) or None).label("group_number"))
        if asked.having is not None:
            page = page.where(self.having.condition(asked.having, lambda column: groups.c[str(column.key)]))
        return page.select_from(groups).order_by("group_number").limit(LIMIT).offset(OFFSET)

    def _needed(self, asked: GroupsVariant, shown: frozenset[str] | None) -> Sequence[str]:
        """The sums that a document shows, compares, or sorts by."""
        if shown is None:
            return [*self.sums]
        ordering = "" if asked.order is None else asked.order.rpartition("_")[0]
        return [name for name in self.sums if name in shown or name == ordering or name in asked.compared]

    def _read_for(self, name: str) -> Sequence[str]:
        """The values of rows from which a sum is made."""
        return [f"{name}_part", f"{name}_whole"] if name in self.shares else [self.averages.get(name, name)]

    def _sum(self, name: str, rows: FromClause) -> ColumnElement[Any]:
        if name == "count":
            return cast(func.count(), Integer)
        if name in self.averages:
            return cast(func.floor(func.avg(rows.c[f"of_{self.averages[name]}"])), BigInteger)
        if name in self.shares:
            return percent(*(func.sum(rows.c[f"of_{each}"]) for each in self._read_for(name)))
        value = rows.c[f"of_{name}"]
        if name == "people_count":
            return cast(func.count(value.distinct()), Integer)
        return cast(func.coalesce(func.sum(value), constant(0)), self.sums[name].type)

    def _order(self, groups: FromClause, asked: GroupsVariant) -> list[ColumnElement[Any]]:
        keys: list[ColumnElement[Any]] = [_sorted_by(name, groups.c[name]).nulls_last() for name in asked.columns]
        if asked.order is None:
            return keys
        name, _, direction = asked.order.rpartition("_")
        first = groups.c[name].desc() if direction == "desc" else groups.c[name]
        return [first.nulls_last(), *keys]

    def _link(self, table: Table, *, is_of_team: bool) -> ColumnElement[bool]:
        """The condition that joins a table to which the list refers."""
        own: Any = self.listing.table
        if table is team_members:
            one = [table.c.team_id == bind("team_id", Uuid())] if is_of_team else []
            return and_(in_organization(table), table.c.user_id == own.c.user_id, is_live(table), *one)
        column = next(each for each in own.columns if each.info.get("references", "").startswith(f"{table.name}."))
        return and_(in_organization(table), table.c[column.info["references"].partition(".")[2]] == column)


def _sorted_by(name: str, column: ColumnElement[Any]) -> ColumnElement[Any]:
    """What sorts groups by a column of theirs: texts by their bytes, weekdays from Monday on."""
    if name == "weekday":
        return weekday_number(column)
    return collate(column, "C") if isinstance(column.type, Text) else column
