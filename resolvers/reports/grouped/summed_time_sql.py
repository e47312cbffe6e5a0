"""SQL of the time of people, summed by day, person, project, task and whether it is billable, before it is grouped.

Plain timesheets and breaks are summed while they are read. The others are read once more, by their ids, and cut into
parts, as in time activity.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from sqlalchemy import Boolean, ColumnElement, Integer, and_, cast, func, or_, select, true, union_all
from sqlalchemy.sql.selectable import FromClause
from sqlalchemy.types import UserDefinedType

from db.tables.columns import bind, constant
from resolvers.records.interval_sql import EDGES
from resolvers.reports.grouped.hourly_rates_sql import with_rate_date
from resolvers.reports.tracked.time_parts_sql import parts_by_id
from resolvers.reports.tracked.timeline_sql import placed_parts
from resolvers.reports.tracked.timesheet_slices_sql import COUNTERS
from resolvers.values.planner import FENCE

IS_BILLABLE = bind("is_billable", Boolean())
"""The filter by whether time is billable; null selects everything."""

_IS_UNFILTERED = cast(IS_BILLABLE, Boolean()).is_(None)

_COUNT = "timesheets_count"

_PART_COLUMNS = ("is_slice", "is_first", "is_first_of_day", "is_billable")

TimeConditions = Callable[[FromClause], Iterable[ColumnElement[bool]]]
"""Makes conditions on parts of time."""


class _Xid(UserDefinedType[int]):
    """A type of PostgreSQL whose values can be hashed, and not sorted."""

    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        return "XID"


HASHED = cast(constant("1"), _Xid()).label("hashed")
"""A key of groups that PostgreSQL can only hash, so that it makes a hash table. It expects few rows, and would sort."""


def summed_time(
    users: ColumnElement[Any],
    keys: Sequence[str],
    sums: Sequence[str],
    is_counted: Callable[[FromClause], ColumnElement[bool]],
    conditions: TimeConditions,
) -> FromClause:
    """The `sums` of the time of the users in an array, in rows of these `keys`; a row may have the keys of another one.

    Keys are columns of parts of time, `date`, and `rate_date` (see `with_rate_date`). `is_counted` makes the condition
    on parts whether a part counts as a timesheet. `conditions` make those of the parts that are summed.
    """
    # Activity slots divide the counters of a timesheet of several days: their sum may differ from those counters.
    by_day = not {"date", "rate_date", *COUNTERS}.isdisjoint((*keys, *sums))
    columns = [*keys, *sums, *_PART_COLUMNS, "project_id", "task_id"]
    placed = placed_parts(users, {*columns, "user_id", "day"}, by_day=by_day).subquery("plain_parts")
    of_plain = _shown(placed, keys, sums, lambda parts: parts.c.is_slice, conditions, placed.c.own_id)
    rows = of_plain.add_columns(HASHED).offset(FENCE).subquery("rows")
    by = [rows.c[name] for name in (*keys, "own_id")]
    read = select(*by, *(func.sum(rows.c[name]).label(name) for name in sums)).group_by(*by, rows.c.hashed)
    summed = read.cte("summed_plain")
    plain = select(*(summed.c[name] for name in (*keys, *sums))).where(summed.c.own_id.is_(None))
    parts = union_all(*parts_by_id(summed.c.own_id, columns)).subquery("parts")
    return union_all(plain, _shown(parts, keys, sums, is_counted, conditions)).subquery("summed")


def _shown(
    parts: FromClause,
    keys: Sequence[str],
    sums: Sequence[str],
    is_counted: Callable[[FromClause], ColumnElement[bool]],
    conditions: TimeConditions,
    *own_id: ColumnElement[Any],
) -> Any:
    """The keys and the sums of each part of time under the conditions, and of each with an `own_id`."""
    source: FromClause = parts.join(EDGES, true())
    columns: dict[str, ColumnElement[Any]] = dict(parts.c)
    if "day" in parts.c:
        columns["date"] = EDGES.c.dates[parts.c.day]
    if "rate_date" in keys:
        source, columns["rate_date"] = with_rate_date(source, parts.c.user_id, columns["date"])
    columns[_COUNT] = cast(is_counted(parts), Integer)
    # As each filter by content, that by billing excludes breaks outside timesheets.
    is_shown = or_(_IS_UNFILTERED, and_(parts.c.is_slice, parts.c.is_billable == IS_BILLABLE))
    is_own = [each.is_not(None) for each in own_id]
    shown = (columns[name].label(name) for name in (*keys, *sums))
    return select(*own_id, *shown).select_from(source).where(or_(and_(is_shown, *conditions(parts)), *is_own))
