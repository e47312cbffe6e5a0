"""How the groups of lists are declared: their field, and the type of a group."""

from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import Numeric

from resolvers import leaves, people, work
from resolvers.lists.calendar_sql import PERIODS
from resolvers.lists.groups import Groups, group_name
from resolvers.lists.list_sql import Link
from resolvers.reports.grouped.time_groups import time_totals_of
from resolvers.reports.grouped.variants import TimeGroup
from schema.fields import field, list_of, named, object_type
from schema.scalars import Amount, Quantity, Seconds

OBJECTS = {
    "user_id": ("people.Member", people.user_of),
    "team_id": ("people.Team", people.team_of),
    "project_id": ("work.Project", work.project_of),
    "client_id": ("work.Client", work.client_of),
    "task_id": ("work.Task", work.task_of),
    "leave_type_id": ("leaves.LeaveType", leaves.leave_type_of),
    "leave_policy_id": ("leaves.LeavePolicy", leaves.leave_policy_of),
    "leave_period_id": ("leaves.LeavePeriod", leaves.leave_period_of),
}
"""The type and the step of the object beside each id of groups. Beside a column of a person, it is a member."""

CURRENCY = "Currency, ISO 4217 code"

COUNT_TEXTS = {"count": "Number of rows.", "people_count": "Number of different people of the rows."}

SHARE_TEXTS = {
    "late_percent": "Late clock records in percent of those with a scheduled start",
    "unproductive_percent": "Time of use that is rated as unproductive in percent of all",
    "overdue_percent": "Overdue rows in percent of all",
}
"""What the percentages of groups are."""


def totals(rows: str, groups: Groups, parent: str | Link | None = None) -> Any:
    """The field of the groups of a list, or of the rows that refer to an object; `rows` is what is summed."""
    return field(f"Sums of {rows} over all pages, by group.", groups.of(parent), list_of(total_type(groups)) | None)


def time_totals_below(time: str, parent: TimeGroup) -> Any:
    """The field of the time of each parent by group; `time` is what is summed."""
    page = named("timesheets.TimeTotalsPage") | None
    return field(f"Sums of {time} by group, as the root field `time_totals`.", time_totals_of(parent), page)


@cache
def total_type(groups: Groups) -> type:
    """The type of a group."""
    fields: dict[str, Any] = {}
    for column in groups.columns:
        of_group, group, what = groups.kind_of(column), group_name(column), PERIODS.get(column, (None, ""))[1]
        is_always = column in groups.by
        note = "." if is_always else f"; null unless `group_by` has `{group}`, and without one."
        text = CURRENCY if column == "currency" else what or f"The {column} of the rows"
        fields[column] = field(f"{text}{note}", of=of_group if is_always else of_group | None)
        if of_group is UUID:
            is_person = "person" in getattr(groups.columns[column], "info", {})
            of, step = ("people.Member", people.members_by_id.of(column)) if is_person else OBJECTS[column]
            name = column.removesuffix("_id").removesuffix("_user") if column != "user_id" else "user"
            fields[name] = field(f"The object of {column}{note}", step, named(of) | None)
    for name, value in groups.sums.items():
        is_amount = isinstance(value.type, Numeric) and "currency" in groups.by
        kind: Any = Seconds if name.endswith("_seconds") or "_seconds_" in name else int
        if isinstance(value.type, Numeric):
            kind = Amount if is_amount else Quantity
        if name in groups.averages:
            text = f"Average of {groups.averages[name]} of the rows with a value, rounded down; null without one."
            fields[name] = field(text, of=kind | None)
            continue
        if name in groups.shares:
            fields[name] = field(f"{SHARE_TEXTS[name]}, rounded down; null without any.", of=int | None)
            continue
        unit = ", with the decimals of the currency" if is_amount and name == "amount" else ""
        fields[name] = field(COUNT_TEXTS.get(name) or f"Sum of {name} of the rows{unit}.", of=kind)
    made = type(f"{groups.row}Total", (), {**fields, "__module__": __name__})
    return object_type("Sums over all rows of a group; without `group_by`, over all rows.")(made)
