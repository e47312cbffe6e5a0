"""What fields of rows must show that are no columns of their table, from the stored rows by plain Python.

The functions get all rows, and the row. A field of a type of rows that is neither a column nor here fails a test.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

from tests.factories.base import THEN
from tests.schema.values.stored_rows import Stored, StoredRows, ids_of

Leaf = Callable[[StoredRows, Stored], Any]
Listed = Callable[[StoredRows, Stored], Sequence[Stored]]

DAY = timedelta(days=1)
ACTIVE_PROJECT, ACTIVE_TASK = ("active", "on_hold"), ("open", "in_progress")
OWED = ("sent", "viewed", "partially_paid")


def seconds(start: datetime | None, end: datetime | None) -> int | None:
    return None if start is None or end is None else round((end - start).total_seconds())


def value_of(table: str, column: str, name: str) -> Leaf:
    """The value `name` of the row that `column` refers to; null without one."""
    return lambda stored, row: None if row[column] is None else stored.get(table, row[column])[name]


def behind(table: str, column: str, then_table: str, then_column: str, name: str) -> Leaf:
    """The value `name` of the row that the row refers to that `column` refers to."""
    return lambda stored, row: value_of(then_table, then_column, name)(stored, stored.get(table, row[column]))


def between(start: str, end: str) -> Leaf:
    return lambda _, row: seconds(row[start], row[end])


def day_of(column: str) -> Leaf:
    return lambda stored, row: stored.day(row[column])


def team_people(stored: StoredRows, team: Stored) -> list[Stored]:
    """The memberships of a team, but those of people who were removed from the organization."""
    found = stored.live("team_members", team_id=team["id"])
    return [each for each in found if stored.get("members", each["user_id"])["removed_at"] is None]


def lead_ids(stored: StoredRows, team: Stored) -> list[UUID]:
    return ids_of((each for each in team_people(stored, team) if each["role"] == "lead"), "user_id")


def project_people(stored: StoredRows, **where: Any) -> list[Stored]:
    """The memberships in projects that have not ended."""
    return stored.live("project_members", removed_at=None, **where)


def manager_ids(stored: StoredRows, project: Stored) -> list[UUID]:
    return ids_of(project_people(stored, project_id=project["id"], role="manager"), "user_id")


def assignments(stored: StoredRows, **where: Any) -> list[Stored]:
    return stored.live("task_members", role="assignee", **where)


def people(stored: StoredRows, *statuses: str) -> int:
    return len(stored.live("members", lambda each: each["status"] in statuses))


def delta_seconds(_: StoredRows, row: Stored) -> int:
    length = seconds(row["started_at"], row["ended_at"]) or 0
    if row["action"] == "deleted":
        return -length
    return length - (seconds(row["original_started_at"], row["original_ended_at"]) or 0)


def seconds_in_breaks(stored: StoredRows, record: Stored, *kinds: bool) -> int:
    """The seconds of a clock record in at least one of its breaks that have ended, of these kinds of `is_paid`."""
    breaks = stored.live("break_times", lambda each: each["is_paid"] in kinds, clock_record_id=record["id"])
    spans = [(each["started_at"], each["ended_at"]) for each in breaks if each["ended_at"] is not None]
    end = record["clock_out_at"]
    moments: set[int] = set()
    for first, last in spans:
        begin, until = max(first, record["clock_in_at"]), last if end is None else min(last, end)
        moments |= set(range(int(begin.timestamp()), int(until.timestamp())))
    return len(moments)


def worked_seconds(stored: StoredRows, record: Stored) -> int | None:
    elapsed = seconds(record["clock_in_at"], record["clock_out_at"])
    return None if elapsed is None else elapsed - seconds_in_breaks(stored, record, False)


def not_negative(value: int | None) -> int | None:
    return None if value is None else max(0, value)


def lines(stored: StoredRows, invoice: Stored) -> list[Stored]:
    return stored.live("invoice_lines", invoice_id=invoice["id"])


def is_overdue(stored: StoredRows, invoice: Stored) -> bool:
    is_late = invoice["due_date"] is not None and invoice["due_date"] < stored.today
    return bool(is_late and invoice["status"] in OWED and invoice["total"] > invoice["amount_paid"])


def days_overdue(stored: StoredRows, due: date | None, is_due: bool) -> int | None:
    return (stored.today - due).days if is_due and due is not None and due < stored.today else None


def days_to_pay(_: StoredRows, invoice: Stored) -> int | None:
    paid = invoice["paid_at"]
    return None if paid is None else (paid.astimezone(UTC).date() - invoice["issue_date"]).days


def budget_used_percent(_: StoredRows, project: Stored) -> int | None:
    has_time = (project["budget_type"], project["budget_recurrence"]) == ("time", "none") and project["budget_seconds"]
    tracked = project["tracked_seconds_total"]
    return 100 * tracked // project["budget_seconds"] if has_time and tracked is not None else None


def includes_today(first: str, last: str) -> Leaf:
    return lambda stored, row: bool(row[first] <= stored.today <= (row[last] or date.max))


def available(_: StoredRows, balance: Stored) -> Any:
    added = ("accrued", "carried_over", "adjusted")
    taken = ("used", "pending", "expired")
    return sum(balance[name] for name in added) - sum(balance[name] for name in taken)


LEAVES: Mapping[str, Leaf] = {
    "Organization.id": lambda _, row: row["organization_id"],
    "Organization.members_count": lambda stored, _: people(stored, "active", "invited", "suspended"),
    "Organization.active_members_count": lambda stored, _: people(stored, "active"),
    "Member.is_active": lambda _, row: row["status"] == "active",
    "Member.team_ids": lambda stored, row: ids_of(stored.live("team_members", user_id=row["user_id"]), "team_id"),
    "Team.lead_user_ids": lead_ids,
    "Team.members_count": lambda stored, row: len(team_people(stored, row)),
    "Team.project_ids": lambda stored, row: ids_of(project_people(stored, team_id=row["id"]), "project_id"),
    "TeamMember.member_status": value_of("members", "user_id", "status"),
    "Client.is_active": lambda _, row: row["archived_at"] is None,
    "Client.projects_count": lambda stored, row: len(stored.live("projects", client_id=row["id"])),
    "Client.active_projects_count": lambda stored, row: len(
        stored.live("projects", lambda each: each["status"] in ACTIVE_PROJECT, client_id=row["id"])
    ),
    "Project.is_active": lambda _, row: row["status"] in ACTIVE_PROJECT,
    "Project.budget_used_percent": budget_used_percent,
    "Project.client_name": value_of("clients", "client_id", "name"),
    "Project.manager_user_ids": manager_ids,
    "Project.team_ids": lambda stored, row: ids_of(project_people(stored, project_id=row["id"]), "team_id"),
    "Project.members_count": lambda stored, row: len(project_people(stored, project_id=row["id"])),
    "Project.tasks_count": lambda stored, row: len(stored.live("tasks", project_id=row["id"])),
    "ProjectMember.project_name": value_of("projects", "project_id", "name"),
    "ProjectMember.is_active": lambda _, row: row["removed_at"] is None,
    "Task.project_name": value_of("projects", "project_id", "name"),
    "Task.is_active": lambda _, row: row["status"] in ACTIVE_TASK,
    "Task.days_overdue": lambda stored, row: days_overdue(stored, row["due_date"], row["status"] in ACTIVE_TASK),
    "Task.assignee_user_ids": lambda stored, row: ids_of(assignments(stored, task_id=row["id"]), "user_id"),
    "TaskMember.project_id": value_of("tasks", "task_id", "project_id"),
    "Project.last_changed_at": lambda _, row: row["updated_at"],
    "Member.id": lambda _, row: row["user_id"],
    "Timesheet.is_running": lambda _, row: row["ended_at"] is None,
    "Timesheet.duration_seconds": lambda _, row: seconds(row["started_at"], row["ended_at"] or row["tracked_until"]),
    "IdleTime.duration_seconds": between("started_at", "ended_at"),
    "ManualTime.date": day_of("started_at"),
    "ManualTime.review_seconds": between("requested_at", "reviewed_at"),
    "ManualTime.project_name": value_of("projects", "project_id", "name"),
    "ManualTime.client_id": value_of("projects", "project_id", "client_id"),
    "ManualTime.task_name": value_of("tasks", "task_id", "name"),
    "ManualTime.duration_seconds": between("started_at", "ended_at"),
    "ManualTime.delta_seconds": delta_seconds,
    "ClockRecord.date": day_of("clock_in_at"),
    "ClockRecord.elapsed_seconds": between("clock_in_at", "clock_out_at"),
    "ClockRecord.break_seconds": lambda stored, row: seconds_in_breaks(stored, row, False, True),
    "ClockRecord.worked_seconds": worked_seconds,
    "ClockRecord.late_seconds": lambda _, row: not_negative(seconds(row["scheduled_start_at"], row["clock_in_at"])),
    "ClockRecord.early_leave_seconds": lambda _, row: not_negative(
        seconds(row["clock_out_at"], row["scheduled_end_at"])
    ),
    "BreakTime.duration_seconds": between("started_at", "ended_at"),
    "Screenshot.date": day_of("captured_at"),
    # The context of the test signs no URLs.
    "Screenshot.image_url": lambda *_: None,
    "Screenshot.thumbnail_url": lambda *_: None,
    "Screenshot.urls_expire_at": lambda *_: None,
    "SuspiciousActivityLog.date": day_of("started_at"),
    "SuspiciousActivityLog.duration_seconds": between("started_at", "ended_at"),
    "Invoice.client_name": value_of("clients", "client_id", "name"),
    "Invoice.project_ids": lambda stored, row: ids_of(lines(stored, row), "project_id"),
    "Invoice.is_overdue": is_overdue,
    "Invoice.days_overdue": lambda stored, row: days_overdue(stored, row["due_date"], is_overdue(stored, row)),
    "Invoice.days_to_pay": days_to_pay,
    "Invoice.amount_due": lambda _, row: row["total"] - row["amount_paid"],
    "Invoice.line_items_count": lambda stored, row: len(lines(stored, row)),
    "PaymentSetting.currency_digits": lambda _, row: {"JPY": 0, "KWD": 3}.get(row["currency"], 2),
    "PaymentSetting.is_current": includes_today("effective_from", "effective_to"),
    "HourlyPaymentLog.lines_truncated": lambda *_: False,
    "Payable.amount_due": lambda _, row: row["amount"] - row["amount_paid"],
    "LeavePeriod.is_current": includes_today("start_date", "end_date"),
    "LeaveApplication.review_seconds": between("applied_at", "reviewed_at"),
    "LeavePolicy.leave_type_name": value_of("leave_types", "leave_type_id", "name"),
    "LeavePolicy.is_unlimited": lambda _, row: row["entitlement"] is None,
    "LeavePolicy.unit": value_of("leave_types", "leave_type_id", "unit"),
    "LeaveApplication.leave_type_name": value_of("leave_types", "leave_type_id", "name"),
    "LeaveApplication.unit": value_of("leave_types", "leave_type_id", "unit"),
    "LeaveAssignment.leave_policy_name": value_of("leave_policies", "leave_policy_id", "name"),
    "LeaveAssignment.leave_type_id": value_of("leave_policies", "leave_policy_id", "leave_type_id"),
    "LeaveBalance.leave_type_id": value_of("leave_policies", "leave_policy_id", "leave_type_id"),
    "LeaveBalance.leave_type_name": behind("leave_policies", "leave_policy_id", "leave_types", "leave_type_id", "name"),
    "LeaveBalance.is_unlimited": lambda stored, row: (
        stored.get("leave_policies", row["leave_policy_id"])["entitlement"] is None
    ),
    "LeaveBalance.unit": behind("leave_policies", "leave_policy_id", "leave_types", "leave_type_id", "unit"),
    "LeaveBalance.period_start": value_of("leave_periods", "leave_period_id", "start_date"),
    "LeaveBalance.period_end": value_of("leave_periods", "leave_period_id", "end_date"),
    "LeaveBalance.available": available,
}
"""Values that are no columns."""

UNDERIVED = {
    "Payable.is_final": "tests of finality compute it; here it is the same wherever the row is shown",
    "Payable.updated_at": "the records of its period move it; here it is the same wherever the row is shown",
}
"""Values that are only compared with each other, and why."""

OWN_VALUES = {
    ("Member", "projects", "last_changed_at"): "it is the later one of the project and the membership",
    ("Member", "projects", "membership"): "only a project below a member has it",
}
"""Values that a row has in one list alone, and why. These fields are deprecated."""

VALUE_OBJECTS: Mapping[str, Leaf] = {
    "Project.budget": lambda _, row: budget(row),
    "Client.budget": lambda _, row: budget(row),
    "Client.address": lambda _, row: row["address"],
    "Organization.features": lambda _, row: row["features"],
    "Organization.data_retention_days": lambda _, row: row["data_retention_days"],
    "ClockRecord.clock_in_location": lambda _, row: row["clock_in_location"],
    "ClockRecord.clock_out_location": lambda _, row: row["clock_out_location"],
    "SuspiciousActivityLog.evidence": lambda _, row: evidence(row),
    "Project.membership": lambda *_: None,
}
"""Objects that are no rows: their values by name; absent ones are null, or empty lists."""


def evidence(row: Stored) -> Stored:
    found: dict[str, Any] = row["evidence"]
    return found | {"screenshot_ids": [UUID(each) for each in found.get("screenshot_ids", ())]}


def budget(row: Stored) -> Stored:
    values = {name: row[f"budget_{name}"] for name in ("type", "amount", "seconds", "recurrence")}
    return values | {"currency": row["currency"]}


OBJECTS: Mapping[str, Leaf] = {
    "TaskMember.project": value_of("tasks", "task_id", "project_id"),
    "ManualTime.client": value_of("projects", "project_id", "client_id"),
    "LeaveAssignment.leave_type": value_of("leave_policies", "leave_policy_id", "leave_type_id"),
    "LeaveBalance.leave_type": value_of("leave_policies", "leave_policy_id", "leave_type_id"),
    "Payable.leave_application": lambda stored, row: one_of(stored, "leave_applications", row["source_id"]),
    "Payable.one_time_payment_log": lambda stored, row: one_of(stored, "one_time_payment_logs", row["source_id"]),
    # A list binds what the values of a payable depend on, and lists leave deleted rows out.
    "HourlyPaymentLog.payable": lambda stored, row: live_id(stored, "payables", row["payable_id"]),
}
"""The ids of objects that no column of the row refers to. All others are the row that the column refers to, deleted or
not: a row keeps its project, whose name it shows."""


def one_of(stored: StoredRows, table: str, id_: UUID | None) -> UUID | None:
    return None if stored.find(table, id_) is None else id_


def live_id(stored: StoredRows, table: str, id_: UUID | None) -> UUID | None:
    row = stored.find(table, id_)
    return id_ if row is not None and stored.is_live(table, row) else None


def current_balances(stored: StoredRows, **where: Any) -> list[Stored]:
    is_current = includes_today("start_date", "end_date")
    current = {each["id"] for each in stored.live("leave_periods") if is_current(stored, each)}
    return stored.live("leave_balances", lambda each: each["leave_period_id"] in current, **where)


def of_latest_days(column: str, key: str = "id") -> Listed:
    """The timesheets of a parent that began in the last 31 days up to today, which a request without dates shows."""

    def listed(stored: StoredRows, parent: Stored) -> list[Stored]:
        first = stored.today - 30 * DAY
        return stored.live(
            "timesheets", lambda each: first <= stored.day(each["started_at"]) <= stored.today, **{column: parent[key]}
        )

    return listed


def screenshots_of_day(stored: StoredRows, member: Stored) -> list[Stored]:
    """Those of the day that the document asks for."""
    return stored.live(
        "screenshots", lambda each: stored.day(each["captured_at"]) == THEN.date(), user_id=member["user_id"]
    )


def in_timesheet(stored: StoredRows, sheet: Stored) -> list[Stored]:
    def is_in(shot: Stored) -> bool:
        since = shot["captured_at"] - sheet["started_at"]
        return bool(shot["user_id"] == sheet["user_id"] and timedelta() <= since <= DAY)

    return stored.live("screenshots", is_in, timesheet_id=sheet["id"])


def invoices_with(column: str, key: str) -> Listed:
    """The invoices with a line for the parent."""

    def listed(stored: StoredRows, parent: Stored) -> list[Stored]:
        ids = {line["invoice_id"] for line in stored.live("invoice_lines", **{column: parent[key]})}
        return stored.live("invoices", lambda each: each["id"] in ids)

    return listed


def connected(table: str, link: Callable[[StoredRows, Stored], Sequence[UUID]]) -> Listed:
    """The rows with these ids, in the order of their lists."""

    def listed(stored: StoredRows, parent: Stored) -> list[Stored]:
        ids = set(link(stored, parent))
        return stored.live(table, lambda each: each["id"] in ids)

    return listed


def of_ids(table: str, name: str) -> Listed:
    """The rows of the ids beside the list, in the order of these ids."""
    return lambda stored, row: [stored.get(table, id_) for id_ in LEAVES[name](stored, row)]


LISTS: Mapping[str, Listed] = {
    "Member.teams": of_ids("teams", "Member.team_ids"),
    "Team.leads": of_ids("members", "Team.lead_user_ids"),
    "Team.projects": of_ids("projects", "Team.project_ids"),
    "Project.managers": of_ids("members", "Project.manager_user_ids"),
    "Project.teams": of_ids("teams", "Project.team_ids"),
    "Task.assignees": of_ids("members", "Task.assignee_user_ids"),
    "Invoice.projects": of_ids("projects", "Invoice.project_ids"),
    "Team.members": team_people,
    "Member.team_memberships": lambda stored, row: (
        stored.live("team_members", user_id=row["user_id"]) if row["removed_at"] is None else []
    ),
    "Member.projects": connected(
        "projects",
        lambda stored, row: [each["project_id"] for each in stored.live("project_members", user_id=row["user_id"])],
    ),
    "Member.tasks": connected(
        "tasks", lambda stored, row: [each["task_id"] for each in assignments(stored, user_id=row["user_id"])]
    ),
    "Member.running_timesheets": lambda stored, row: stored.live("timesheets", user_id=row["user_id"], ended_at=None),
    "Member.leave_balances": lambda stored, row: current_balances(stored, user_id=row["user_id"]),
    "LeavePolicy.leave_balances": lambda stored, row: current_balances(stored, leave_policy_id=row["id"]),
    "Member.timesheets": of_latest_days("user_id", "user_id"),
    "Project.timesheets": of_latest_days("project_id"),
    "Task.timesheets": of_latest_days("task_id"),
    "Member.screenshots": screenshots_of_day,
    "Timesheet.screenshots": in_timesheet,
    "Project.invoices": invoices_with("project_id", "id"),
    "Task.invoices": invoices_with("task_id", "id"),
    "Member.invoices": invoices_with("user_id", "user_id"),
    "Member.direct_reports": lambda stored, row: stored.live(
        "members", lambda each: each["removed_at"] is None, manager_user_id=row["user_id"]
    ),
}
"""Lists that are more than the live rows with a reference to the parent."""
