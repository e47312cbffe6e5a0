"""Belonging: which rows are soft-deleted together with a row that they belong to.

A row belongs to another if it means nothing without it: a task to its project, a slot to its timesheet. It only refers
to another if it is a record of its own: time, invoices, pay and leave keep their project, task and client, whose names
the service still shows. `db.admin.triggers` makes triggers from BELONGINGS, `resolvers.relations.live` makes the
condition of readers from BELONGINGS and RECORDS.

Rows get the deletion time of the row that they belong to, so that a restored row restores exactly these rows. Those
that come below a deleted row later, and that lists would hide, get it, too.

Other rows show rows: an invoice its lines, a task its assignees. Clients poll by `updated_at`, so a row must move it
when what it shows changes. Triggers and checks of `orgdata doctor` are made from SHOWN_ROWS, too. Names are not among
them: a client joins them by the id beside them.
"""

from dataclasses import dataclass

from sqlalchemy import Table

from db.tables.activity import app_usages, url_usages
from db.tables.areas import metadata
from db.tables.columns import PersonRows
from db.tables.leaves import (
    leave_application_days,
    leave_applications,
    leave_assignments,
    leave_balances,
    leave_periods,
    leave_policies,
)
from db.tables.money import invoice_lines, invoice_taxes, invoices
from db.tables.payroll import hourly_payment_lines, hourly_payment_logs
from db.tables.people import members, team_members, teams
from db.tables.timesheets import activity_slots, break_times, clock_records, idle_times, manual_requests
from db.tables.work import clients, project_members, projects, task_members, tasks


@dataclass(frozen=True)
class Belonging:
    """Rows of `child` belong to the row of `parent` that their `column` references.

    `within` narrows the search of the rows, where no index starts with `column`: it may name {child} and {parent}.
    """

    child: Table
    column: str
    within: str = ""

    @property
    def parent(self) -> Table:
        """The table that `column` references."""
        (key,) = self.child.c[self.column].foreign_keys
        return key.column.table

    @property
    def parent_key(self) -> str:
        """The column of the parent that `column` references."""
        return self.parent.primary_key.columns.keys()[-1]

    def condition(self, child: str, parent: str) -> str:
        """SQL: whether the row `child` belongs to the row `parent`."""
        own = f"{child}.organization_id = {parent}.organization_id"
        own += f" AND {child}.{self.column} = {parent}.{self.parent_key}"
        return f"{own} AND {self.within.format(child=child, parent=parent)}" if self.within else own


def deletion_time(parent: Table, row: str) -> str:
    """SQL: when `row` of `parent` was deleted, or null. The memberships of a removed person end with the removal."""
    return f"coalesce({row}.removed_at, {row}.deleted_at)" if parent is members else f"{row}.deleted_at"


# The primary key finds a person's slots by time. A timesheet lasts a day at most, so its slots are among these.
_SLOTS = (
    "{child}.user_id = {parent}.user_id AND {child}.slot_at > {parent}.started_at - interval '15 minutes'"
    " AND {child}.slot_at < {parent}.started_at + interval '24 hours'"
)

_IDLE = (
    "{child}.user_id = {parent}.user_id AND {child}.started_at >= {parent}.started_at"
    " AND {child}.started_at < {parent}.started_at + interval '24 hours'"
)


def of_people(rows: PersonRows) -> list[Belonging]:
    """The tables whose rows are `rows` of people."""
    # By name: the order of declaration is that of imports, and triggers are compared by their text.
    columns = [column for _, table in sorted(metadata.tables.items()) for column in table.columns]
    return [Belonging(column.table, column.name) for column in columns if column.info.get("person") == rows]


BELONGINGS = [
    *of_people("memberships"),
    Belonging(team_members, "team_id"),
    # The memberships of a project that come from the team.
    Belonging(project_members, "team_id"),
    Belonging(project_members, "project_id"),
    Belonging(tasks, "project_id"),
    Belonging(tasks, "parent_task_id"),
    Belonging(task_members, "task_id"),
    Belonging(idle_times, "timesheet_id", within=_IDLE),
    Belonging(activity_slots, "timesheet_id", within=_SLOTS),
    Belonging(app_usages, "timesheet_id", within=_SLOTS),
    Belonging(url_usages, "timesheet_id", within=_SLOTS),
    Belonging(break_times, "clock_record_id"),
    Belonging(invoice_lines, "invoice_id"),
    Belonging(invoice_taxes, "invoice_id"),
    Belonging(hourly_payment_lines, "log_id"),
    Belonging(leave_policies, "leave_type_id"),
    Belonging(leave_assignments, "leave_policy_id"),
    Belonging(leave_balances, "leave_policy_id"),
    Belonging(leave_balances, "leave_period_id"),
    Belonging(leave_application_days, "leave_application_id"),
]
"""Every pair. Screenshots and suspicious activities are not among them: they are evidence without the timesheet, too.
A deleted organization needs no triggers: its keys open nothing."""

RECORDS = of_people("records")
"""Records of people (`db.tables.columns.PersonRows`). The rows are not deleted with the row of the person, so that a
restored person has them again."""


@dataclass(frozen=True)
class Shown:
    """Rows of `shown` are shown in the rows of `by` whose column `key` equals their `column`.

    `of`: the columns that are shown, if not all; counts depend on a few. Raises ValueError for unknown columns.
    """

    shown: Table
    column: str
    by: Table
    key: str = "id"
    of: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        unknown = {self.column, *self.of} - set(self.shown.c.keys()) | {self.key} - set(self.by.c.keys())
        if unknown:
            raise ValueError(f"{self.shown.name} or {self.by.name} has no column {', '.join(sorted(unknown))}.")

    @property
    def is_referred(self) -> bool:
        """Whether the rows that show it refer to it; else it refers to them."""
        return self.column in self.shown.primary_key.columns


SHOWN_ROWS = [
    Shown(break_times, "clock_record_id", clock_records),
    Shown(invoice_lines, "invoice_id", invoices),
    Shown(invoice_taxes, "invoice_id", invoices),
    Shown(hourly_payment_lines, "log_id", hourly_payment_logs),
    Shown(leave_application_days, "leave_application_id", leave_applications),
    Shown(team_members, "team_id", teams),
    Shown(team_members, "user_id", members, key="user_id", of=("team_id", "deleted_at")),
    Shown(project_members, "project_id", projects),
    Shown(project_members, "team_id", teams, of=("team_id", "project_id", "removed_at", "deleted_at")),
    Shown(task_members, "task_id", tasks),
    # Counts.
    Shown(tasks, "project_id", projects, of=("project_id", "deleted_at")),
    Shown(projects, "client_id", clients, of=("client_id", "status", "deleted_at")),
    # What rows show of those that they refer to, other than names.
    Shown(members, "user_id", team_members, key="user_id", of=("status",)),
    Shown(tasks, "id", task_members, key="task_id", of=("project_id",)),
    Shown(projects, "id", manual_requests, key="project_id", of=("client_id",)),
    Shown(leave_periods, "id", leave_balances, key="leave_period_id", of=("start_date", "end_date")),
    Shown(leave_policies, "id", leave_balances, key="leave_policy_id", of=("entitlement",)),
]
"""Every pair. Reports have conditions of their own: see `resolvers.reports`."""
