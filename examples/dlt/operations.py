"""The operations of the API as a warehouse reads them: which table each fills, and how it is read again.

An operation with `is_polled` is asked for what changed since the last load; every other one is read whole and replaces
its table. What a row repeats of other rows, and what changes without `updated_at`, is left out: see DROPPED.
"""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Operation:
    """One operation. `parents` is the operation whose rows fill the id in the path."""

    name: str
    path: str
    table: str
    shape: Literal["list", "cursor", "array", "object"] = "list"
    key: tuple[str, ...] = ("id",)
    parents: str | None = None
    is_polled: bool = False
    """It takes `updated_since`, so that later loads read changes only."""
    takes_deleted: bool = False
    window_days: int | None = None
    """It needs a range; the ranges of a load have this length, and begin on multiples of it."""
    days: str | None = None
    """Rows are members with this list of days; each day becomes a row."""
    query: tuple[tuple[str, str], ...] = ()
    is_for_current_members: bool = False
    """It is 404 for members who are not active, or whose `left_on` has passed."""
    is_for_former_members: bool = False
    """It answers for removed and deleted members, too."""
    replaced_by: str | None = None
    """Its rows are replaced by this id; those of ids that are not read again stay."""
    repeats: str | None = None
    """Another operation has the same rows with fewer requests, so that this one is read only on demand."""

    @property
    def has_vanishing_rows(self) -> bool:
        """Whether rows of its table may be gone without a tombstone; the column `is_gone` then deletes them."""
        return self.replaced_by is not None or (self.is_polled and not self.takes_deleted)


def _polled(name: str, path: str, key: str = "id", query: tuple[tuple[str, str], ...] = ()) -> Operation:
    table = path.removeprefix("/v1/").rstrip("/")
    return Operation(name, path, table, key=(key,), is_polled=True, takes_deleted=True, query=query)


def _pay(name: str, segment: str, *, is_current: bool) -> Operation:
    return Operation(
        name,
        f"/v1/members/{{user_id}}/{segment}/",
        segment,
        parents="listMembers",
        is_polled=True,
        takes_deleted=True,
        is_for_current_members=is_current,
        is_for_former_members=not is_current,
    )


def _days(name: str, path: str, table: str) -> Operation:
    return Operation(name, path, table, key=("user_id", "date"), is_polled=True, window_days=28, days="days")


def _raw(name: str, path: str, table: str) -> Operation:
    return Operation(name, path, table, is_polled=True, takes_deleted=True, window_days=28)


OPERATIONS = {
    operation.name: operation
    for operation in (
        Operation("retrieveOrganization", "/v1/organization/", "organization", "object"),
        _polled("listMembers", "/v1/members/", "user_id"),
        _polled("listTeams", "/v1/teams/"),
        Operation("listTeamMembers", "/v1/teams/{team_id}/members/", "team_members", parents="listTeams"),
        _polled("listClients", "/v1/clients/"),
        Operation(
            "retrieveClient",
            "/v1/clients/{client_id}/",
            "client_details",
            "object",
            parents="listClients",
            repeats="listClients",
        ),
        Operation(
            "listClientProjects",
            "/v1/clients/{client_id}/projects/",
            "client_projects",
            parents="listClients",
            repeats="listProjects",
        ),
        _polled("listProjects", "/v1/projects/"),
        Operation(
            "retrieveProject",
            "/v1/projects/{project_id}/",
            "project_details",
            "object",
            parents="listProjects",
            repeats="listProjects",
        ),
        Operation(
            "listProjectMembers",
            "/v1/projects/{project_id}/members/",
            "project_members",
            parents="listProjects",
            repeats="listProjectMemberships",
        ),
        Operation(
            "listProjectTasks",
            "/v1/projects/{project_id}/tasks/",
            "project_tasks",
            parents="listProjects",
            repeats="listTasks",
        ),
        Operation(
            "listMemberProjects",
            "/v1/members/{user_id}/projects/",
            "member_projects",
            key=("user_id", "id"),
            parents="listMembers",
            is_for_former_members=True,
            repeats="listProjectMemberships",
        ),
        _polled("listProjectMemberships", "/v1/project_memberships/"),
        _polled("listTasks", "/v1/tasks/"),
        # Assignees are in `tasks` already; only watchers are new here, for a request a task.
        Operation(
            "listTaskMembers", "/v1/tasks/{task_id}/members/", "task_members", parents="listTasks", repeats="listTasks"
        ),
        Operation(
            "listTimesheetIdleTime",
            "/v1/timesheet_idle_times/",
            "timesheet_idle_times",
            "cursor",
            key=("user_id", "window_start"),
            is_polled=True,
            window_days=7,
        ),
        _days("listTimeActivityReport", "/v1/time_activity_reports/", "time_activity_days"),
        _raw("listManualTimesheetReports", "/v1/manual_timesheet_reports/", "manual_timesheets"),
        _raw("listClockInOut", "/v1/clockinouts/", "clock_records"),
        _days("listAppReports", "/v1/app_reports/", "app_days"),
        _days("listUrlReports", "/v1/url_reports/", "url_days"),
        Operation(
            "listScreenshots",
            "/v1/screenshots/",
            "screenshot_days",
            "array",
            key=("user_id", "date"),
            parents="listTimeActivityReport",
            is_polled=True,
        ),
        _polled("listSuspiciousActivityLogs", "/v1/suspicious_activity_logs/"),
        _polled("listInvoices", "/v1/invoices/", query=(("include", "line_items"),)),
        Operation(
            "retrieveInvoice",
            "/v1/invoices/{invoice_id}/",
            "invoice_details",
            "object",
            parents="listInvoices",
            repeats="listInvoices",
        ),
        Operation(
            "listMemberPaymentSettings",
            "/v1/members/{user_id}/payment_settings/",
            "payment_settings",
            "array",
            parents="listMembers",
            is_for_current_members=True,
            replaced_by="user_id",
        ),
        _pay("listMemberHourlyPaymentLog", "hourly_payment_logs", is_current=True),
        _pay("listMemberOneTimePaymentLog", "one_time_payment_logs", is_current=True),
        _pay("listMemberPayables", "payables", is_current=False),
        _polled("listLeaveApplications", "/v1/leave_applications/"),
        _polled("listLeaveTypes", "/v1/leave_types/"),
        _polled("listLeavePolicies", "/v1/leave_policies/"),
        _polled("listLeavePeriods", "/v1/leave_periods/"),
        Operation("listLeaveBalances", "/v1/leave_balances/", "leave_balances"),
        _polled("listLeaveAssignments", "/v1/leave_assignments/"),
    )
}

DEFAULT = tuple(name for name, operation in OPERATIONS.items() if operation.repeats is None)
"""The operations that are read unless others are named."""

DROPPED = frozenset(
    [
        # Names of other rows: join them by id.
        *("project_name", "client_name", "task_name", "leave_type_name", "leave_policy_name"),
        # What follows from the day, from other rows or from time: views compute it.
        *("is_overdue", "is_current", "as_of", "last_tracked_at", "tracked_seconds_total", "member_status"),
        *("members_count", "active_members_count", "projects_count", "active_projects_count", "tasks_count"),
        *("team_ids", "project_ids", "lead_user_ids", "manager_user_ids", "assignee_user_ids"),
        # Signed for a quarter of an hour.
        *("image_url", "thumbnail_url", "urls_expire_at"),
    ]
)
"""Fields that are not loaded: they can change although `updated_at` of the row stays."""
