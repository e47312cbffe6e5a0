"""Variants of time by group: what it is grouped by, how groups are found and sorted, and which sums are made."""

from collections.abc import Hashable, Sequence
from collections.abc import Set as AbstractSet
from enum import Enum
from typing import NamedTuple

from db.tables.columns import DescribedEnum
from resolvers.lists.where import WhereShape
from resolvers.reports.grouped.hourly_rates_sql import RateKind
from resolvers.reports.time_totals_sql import TIME_SUMS
from resolvers.reports.tracked.timesheet_slices_sql import COUNTERS


class TimeGroup(DescribedEnum):
    """What time is grouped by."""

    day = "day", "Local day; `date` has it."
    week = "week", "Week; `week_start` has its first day."
    month = "month", "Calendar month; `month_start` has its first day."
    member = "member", "Person; `user_id` and `user` have it."
    team = "team", "Team that the person is in now; `team_id` and `team` have it."
    department = "department", "Department that the person is in now; `department` has it."
    project = "project", "Project; `project_id` and `project` have it."
    client = "client", "Client of the project; `client_id` and `client` have it."
    task = "task", "Task; `task_id` and `task` have it."
    billable = "billable", "Billable time, and other time; `is_billable` says which."

    @property
    def column(self) -> str:
        """The column of the group."""
        return _COLUMNS.get(self.value, f"{self.value}_id")


_COLUMNS = {"day": "date", "week": "week_start", "month": "month_start", "member": "user_id"}
_COLUMNS |= {"department": "department", "billable": "is_billable"}
"""The columns of groups that are not called like the id of a row."""


class SumKind(Enum):
    """Sums that are made together, or not at all: the value has their fields. Each alone would be too many variants."""

    tracked = ("tracked_seconds",)
    time = tuple(name for name in TIME_SUMS if name not in {"tracked_seconds", "idle_seconds", *COUNTERS})
    kept_idle = ("idle_seconds", "idle_percent")
    counters = (*COUNTERS, "activity_percent")
    amounts = ("billable_amounts", "billable_amount")
    margins = ("margins", "cost", "margin", "margin_percent")
    estimates = ("estimate_seconds", "over_estimate_seconds", "estimate_used_percent")
    shares = ("billable_percent",)
    expected = ("expected_seconds", "utilization_percent", "limit_seconds", "over_limit_seconds")


_OF_TIME = {*SumKind} - {SumKind.tracked, SumKind.time, SumKind.counters}
"""Kinds that are made from sums of time."""


def kinds_of(fields: AbstractSet[Hashable]) -> frozenset[SumKind]:
    """The kinds of sums that these fields of groups need. Every statement counts timesheets."""
    kinds = {kind for kind in SumKind if not fields.isdisjoint(kind.value)}
    return frozenset(kinds | ({SumKind.tracked, SumKind.time} if kinds & _OF_TIME else set()))


class SummedPeople(NamedTuple):
    """Whose time a statement sums: the filters by person that have a value, conditions, and what parents are."""

    filters: frozenset[str] = frozenset()
    where: WhereShape | None = None
    parent: TimeGroup | None = None


class TimeGroupsVariant(NamedTuple):
    """What the SQL of a statement depends on: the groups, the kinds of sums, people, conditions on time and groups, and
    the order: the name of a sum and a direction, or None. `compared` are the sums in `having` and `order`.

    Filters by project, client and task have no influence: they are those of the day slices.
    """

    groups: Sequence[TimeGroup]
    kinds: frozenset[SumKind]
    people: SummedPeople
    where: WhereShape | None = None
    having: WhereShape | None = None
    order: tuple[str, str] | None = None
    compared: frozenset[str] = frozenset()
    has_over_estimate: bool = False
    """Whether the filter by the time above estimates has a value."""
    has_untracked: bool = False
    """Whether there are groups without time: of people who were there."""

    @property
    def keys(self) -> Sequence[TimeGroup]:
        """What time is grouped by: first by the parents, if there are any."""
        parent = self.people.parent
        return [*dict.fromkeys([*([] if parent is None else [parent]), *self.groups])]

    @property
    def sums(self) -> Sequence[str]:
        """The columns of sums."""
        of_kinds = {name for kind in self.kinds for name in kind.value}
        return [*(name for name in TIME_SUMS if name in of_kinds), "timesheets_count"]

    @property
    def rates(self) -> Sequence[RateKind]:
        """The rates that amounts and margins need."""
        if SumKind.margins in self.kinds:
            return (RateKind.bill, RateKind.pay)
        return (RateKind.bill,) if SumKind.amounts in self.kinds else ()
