"""Conditions of time by group: `where` on time before it is summed, `having` on sums of groups, and orders by these.

`where` compares parts of time: pieces of timesheets, and breaks outside of them, which have no project and no task and
are not billable. It decides which parts are summed, and never whose time it is where timesheets overlap.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, FromClause, Integer, Numeric, Text, column, func, select

from db.tables.columns import bind, in_organization
from db.tables.people import organizations
from db.tables.timesheets import timesheets
from resolvers.lists.groups import orders_by
from resolvers.lists.orders import ASCENDING, DESCENDING
from resolvers.lists.where import ALL_TRUE, Where, WhereShape, columns_inside
from resolvers.relations.arguments import new_enum
from resolvers.reports.grouped.variants import SumKind
from resolvers.reports.time_totals_sql import TOTALS
from resolvers.reports.tracked.timesheet_slices_sql import client_id_of

_OF_PERSON = {"user_id", "user"}

_of_time = timesheets.c
TIME_WHERE = Where(
    "TimeTotalsWhere",
    {
        **{name: _of_time[name] for name in ("user_id", "project_id", "task_id", "is_billable")},
        "client_id": client_id_of(timesheets),
    },
    rows="time",
)
"""Conditions on time. They may be on the rows to which a timesheet refers, too."""

MONEY = ("billable_amount", "cost", "margin", "margin_percent")
"""Sums of a group in one currency, MONEY_CURRENCY."""

MONEY_CURRENCY = bind("currency", Text())

_SUMS: Mapping[str, Any] = {
    name: Numeric() if name in MONEY[:3] else Integer() if name.endswith(("_percent", "_count")) else BigInteger()
    for name in (*TOTALS, "billable_percent", "idle_percent", *SumKind.estimates.value, *SumKind.expected.value, *MONEY)
}

TIME_HAVING = Where(
    "TimeTotalsHaving", {name: column(name, kind) for name, kind in _SUMS.items()}, argument="having", rows="groups"
)
TIME_HAVING.declare()

USUAL_ORDER = "group"
TIME_ORDERS = new_enum(
    "TimeGroupOrder",
    "Order of groups of time: by what they are grouped by, or by a sum, null last; the same sums by the former.",
    {USUAL_ORDER: "By what time is grouped by, ascending, null last.", **orders_by(_SUMS)},
)


def split_where(shape: WhereShape | None) -> tuple[WhereShape | None, WhereShape | None]:
    """The conditions of `where` on the person, and the others; None for none.

    What is true of the person is true of all of the person's time: the statement reads that of these people only.
    """
    found = [part for part in (shape or ())[1:] if part[0] in _OF_PERSON]
    others = [part for part in (shape or ())[1:] if part[0] not in _OF_PERSON]
    return (ALL_TRUE, *found) if found else None, (ALL_TRUE, *others) if others else None


def conditions_on(shape: WhereShape | None, time: FromClause) -> Iterable[ColumnElement[bool]]:
    """The conditions of a shape on the columns of `time`."""
    return [] if shape is None else [TIME_WHERE.condition(shape, columns_inside(timesheets, time))]


def order_of(value: str) -> tuple[str, str] | None:
    """The sum and the direction that a value of TIME_ORDERS names."""
    name = str(TIME_ORDERS(value))
    if name == USUAL_ORDER:
        return None
    direction = ASCENDING if name.endswith(ASCENDING) else DESCENDING
    return name.removesuffix(direction), direction


def compared_currency() -> ColumnElement[Any]:
    """The currency of MONEY: the one that is asked for, else that of the organization."""
    of_organization = select(organizations.c.currency).where(in_organization(organizations)).scalar_subquery()
    return func.coalesce(func.upper(MONEY_CURRENCY), of_organization)
