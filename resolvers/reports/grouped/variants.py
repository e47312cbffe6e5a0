"""Variants of time by group: what it is grouped by, how groups are sorted, and which sums are made."""

from collections.abc import Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from enum import StrEnum
from typing import NamedTuple

from resolvers.reports.day_slices_sql import COUNTERS
from resolvers.reports.time_totals_sql import TIME_SUMS


class TimeGroup(StrEnum):
    """What time is grouped by."""

    day = "day"
    week = "week"
    month = "month"
    member = "member"
    team = "team"
    project = "project"
    client = "client"
    task = "task"
    billable = "billable"

    @property
    def column(self) -> str:
        """The column of the group."""
        return _COLUMNS[self]


_COLUMNS = {
    TimeGroup.day: "date",
    TimeGroup.week: "week_start",
    TimeGroup.month: "month_start",
    TimeGroup.member: "user_id",
    TimeGroup.team: "team_id",
    TimeGroup.project: "project_id",
    TimeGroup.client: "client_id",
    TimeGroup.task: "task_id",
    TimeGroup.billable: "is_billable",
}


class TimeGroupOrder(StrEnum):
    """How groups are sorted: by themselves, or by a sum, the largest first. The value of a sum is its column."""

    group = "group"
    tracked_seconds = "tracked_seconds"
    manual_seconds = "manual_seconds"
    billable_seconds = "billable_seconds"
    idle_seconds = "idle_seconds"
    discarded_idle_seconds = "discarded_idle_seconds"
    break_seconds = "break_seconds"
    paid_break_seconds = "paid_break_seconds"
    input_seconds = "input_seconds"
    active_seconds = "active_seconds"
    timesheets_count = "timesheets_count"


class SumKind(StrEnum):
    """Sums that are made together, or not at all, because they need the same rows. A variant for each sum would make
    too many statements.
    """

    time = "time"
    kept_idle = "kept_idle"
    counters = "counters"
    amounts = "amounts"


_KINDS: Mapping[SumKind, Sequence[str]] = {
    SumKind.time: [name for name in TIME_SUMS if name not in {"idle_seconds", *COUNTERS}],
    SumKind.kept_idle: ["idle_seconds"],
    SumKind.counters: [*COUNTERS, "activity_percent"],
    SumKind.amounts: ["billable_amounts"],
}
"""The fields of each kind."""


def kinds_of(fields: AbstractSet[Hashable]) -> frozenset[SumKind]:
    """The kinds of sums that these fields of groups need. Every statement counts timesheets."""
    kinds = {kind for kind, names in _KINDS.items() if not fields.isdisjoint(names)}
    return frozenset(kinds | ({SumKind.time} if SumKind.amounts in kinds else set()))


class TimeGroupsVariant(NamedTuple):
    """What the SQL of a statement depends on: the groups, their order, the kinds of sums, and the names of the filters
    that have a value.

    Filters by project, client and task have no influence: they are those of the day slices.
    """

    groups: Sequence[TimeGroup]
    order: TimeGroupOrder
    kinds: frozenset[SumKind]
    filters: frozenset[str]

    @property
    def sums(self) -> Sequence[str]:
        """The columns of sums."""
        of_kinds = {name for kind in self.kinds for name in _KINDS[kind]}
        return [*(name for name in TIME_SUMS if name in of_kinds), "timesheets_count"]
