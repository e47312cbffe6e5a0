"""The expected contract, written out: each operation's path, keys of its items, and rate limit group."""

from typing import NamedTuple

STD = "id created_at updated_at deleted_at"
USER = {"user_id", "email", "full_name"}

PROJECT = f"""{STD} name code description is_active status client_id client_name is_billable billing_type bill_rate
    fixed_amount currency budget tracked_seconds_total start_date due_date completed_at archived_at color
    manager_user_ids team_ids members_count tasks_count screenshots_enabled activity_tracking_enabled external_id"""
CLIENT = f"""{STD} name is_active archived_at contact_name email phone invoice_emails address tax_number currency
    timezone net_terms_days budget projects_count active_projects_count external_id note"""
PROJECT_MEMBER = f"""{STD} project_id project_name user role is_active source team_id pay_rate bill_rate currency
    budget_seconds joined_at removed_at"""
TASK = f"""{STD} project_id project_name parent_task_id number name description status is_active priority is_billable
    estimate_seconds assignee_user_ids start_date due_date completed_at created_by_user_id external_id external_source
    labels"""

METRICS = """tracked_seconds manual_seconds billable_seconds idle_seconds discarded_idle_seconds break_seconds
    paid_break_seconds input_seconds active_seconds keyboard_seconds mouse_seconds activity_percent timesheets_count
    locked_seconds"""
USAGE = """user start_date end_date timezone total_seconds productive_seconds neutral_seconds unproductive_seconds
    unrated_seconds is_final updated_at days"""
INVOICE = f"""{STD} number client_id client_name project_ids status is_overdue currency issue_date due_date period_start
    period_end subtotal discount_type discount_value discount_amount tax_amount taxes total amount_paid amount_due
    purchase_order reference notes terms sent_at viewed_at paid_at voided_at created_by_user_id public_url
    line_items_count external_id"""


class ExpectedOperation(NamedTuple):
    """What is expected of one operation. Its rate limit group is the first segment of its path, unless it is given."""

    path: str
    keys: str
    group: str = ""


CONTRACT = {
    "retrieveOrganization": ExpectedOperation(
        "/v1/organization/",
        """id name timezone currency week_start_day country status members_count
            active_members_count features data_retention_days created_at updated_at""",
    ),
    "listMembers": ExpectedOperation(
        "/v1/members/",
        """user_id membership_id email full_name first_name last_name avatar_url role status is_active
            is_tracking_enabled timezone employee_number job_title department employment_type manager_user_id team_ids
            hired_on left_on joined_at removed_at last_tracked_at weekly_limit_seconds expected_weekly_seconds
            custom_fields created_at updated_at deleted_at""",
    ),
    "listTeams": ExpectedOperation(
        "/v1/teams/", f"{STD} name description lead_user_ids members_count project_ids is_active"
    ),
    "listTeamMembers": ExpectedOperation(
        "/v1/teams/{team_id}/members/", f"{STD} team_id user role member_status joined_at"
    ),
    "listClients": ExpectedOperation("/v1/clients/", CLIENT),
    "retrieveClient": ExpectedOperation("/v1/clients/{client_id}/", CLIENT),
    "listClientProjects": ExpectedOperation("/v1/clients/{client_id}/projects/", PROJECT),
    "listProjects": ExpectedOperation("/v1/projects/", PROJECT),
    "retrieveProject": ExpectedOperation("/v1/projects/{project_id}/", PROJECT),
    "listProjectMembers": ExpectedOperation("/v1/projects/{project_id}/members/", PROJECT_MEMBER),
    "listProjectTasks": ExpectedOperation("/v1/projects/{project_id}/tasks/", TASK),
    "listMemberProjects": ExpectedOperation("/v1/members/{user_id}/projects/", f"{PROJECT} membership"),
    "listProjectMemberships": ExpectedOperation("/v1/project_memberships/", PROJECT_MEMBER),
    "listTasks": ExpectedOperation("/v1/tasks/", TASK),
    "listTaskMembers": ExpectedOperation(
        "/v1/tasks/{task_id}/members/", f"{STD} task_id project_id user role assigned_at"
    ),
    "listTimesheetIdleTime": ExpectedOperation("/v1/timesheet_idle_times/", "user timesheets"),
    "listTimeActivityReport": ExpectedOperation(
        "/v1/time_activity_reports/",
        f"""user start_date end_date timezone {METRICS} days_worked first_started_at
            last_ended_at is_final updated_at days""",
    ),
    "listManualTimesheetReports": ExpectedOperation(
        "/v1/manual_timesheet_reports/",
        f"""{STD} user date project_id project_name client_id task_id task_name
            started_at ended_at duration_seconds action original_started_at original_ended_at original_project_id
            delta_seconds is_billable reason note status requested_by_user_id requested_at reviewed_by_user_id
            reviewed_at review_note
            timesheet_id""",
    ),
    "listClockInOut": ExpectedOperation(
        "/v1/clockinouts/",
        f"""{STD} user date clock_in_at clock_out_at status elapsed_seconds break_seconds
            worked_seconds breaks clock_in_source clock_out_source auto_clock_out_reason clock_in_note clock_out_note
            clock_in_location clock_out_location scheduled_start_at scheduled_end_at late_seconds early_leave_seconds
            is_edited
            edited_by_user_id project_id""",
    ),
    "listAppReports": ExpectedOperation("/v1/app_reports/", USAGE),
    "listUrlReports": ExpectedOperation("/v1/url_reports/", USAGE),
    "listScreenshots": ExpectedOperation(
        "/v1/screenshots/",
        """id user_id timesheet_id project_id task_id captured_at date image_url thumbnail_url
            urls_expire_at content_type width height size_bytes screen_index is_blurred activity_percent app_name status
            deleted_by_user_id created_at""",
    ),
    "listSuspiciousActivityLogs": ExpectedOperation(
        "/v1/suspicious_activity_logs/",
        f"""{STD} user type severity confidence_percent started_at ended_at
            duration_seconds date timesheet_id project_id evidence status reviewed_by_user_id reviewed_at review_note
            deducted_seconds""",
    ),
    "listInvoices": ExpectedOperation("/v1/invoices/", INVOICE),
    "retrieveInvoice": ExpectedOperation("/v1/invoices/{invoice_id}/", f"{INVOICE} line_items"),
    "listMemberPaymentSettings": ExpectedOperation(
        "/v1/members/{user_id}/payment_settings/",
        """id user_id pay_type pay_rate bill_rate currency currency_digits pay_period period_anchor_date
            overtime_enabled overtime_daily_threshold_seconds overtime_weekly_threshold_seconds overtime_multiplier
            requires_approval payment_method effective_from effective_to is_current created_at updated_at""",
        group="payroll",
    ),
    "listMemberHourlyPaymentLog": ExpectedOperation(
        "/v1/members/{user_id}/hourly_payment_logs/",
        f"""{STD} user_id period_start period_end tracked_seconds paid_seconds
            overtime_seconds hourly_rate overtime_rate amount currency status payment_method paid_at paid_by_user_id
            reference note lines lines_truncated payable_id""",
        group="payroll",
    ),
    "listMemberOneTimePaymentLog": ExpectedOperation(
        "/v1/members/{user_id}/one_time_payment_logs/",
        f"""{STD} user_id type amount currency description payment_date period_start
            period_end project_id status payment_method paid_at paid_by_user_id reference is_taxable""",
        group="payroll",
    ),
    "listMemberPayables": ExpectedOperation(
        "/v1/members/{user_id}/payables/",
        f"""{STD} user_id kind period_start period_end tracked_seconds payable_seconds rate amount
            amount_paid amount_due currency status is_final due_date approved_at approved_by_user_id source_id note""",
        group="payroll",
    ),
    "listLeaveApplications": ExpectedOperation(
        "/v1/leave_applications/",
        f"""{STD} user leave_type_id leave_type_name leave_policy_id leave_period_id status
            start_date end_date start_day_part end_day_part started_at ended_at timezone unit amount duration_seconds
            is_paid reason days applied_at reviewed_by_user_id reviewed_at review_note cancelled_at has_attachment""",
    ),
    "listLeaveTypes": ExpectedOperation(
        "/v1/leave_types/",
        f"""{STD} name code description color category unit is_paid requires_approval
            requires_attachment allows_half_day is_active""",
    ),
    "listLeavePolicies": ExpectedOperation(
        "/v1/leave_policies/",
        f"""{STD} name leave_type_id leave_type_name unit entitlement is_unlimited accrual_type accrual_amount
            accrual_cap carry_over_max carry_over_expires_on_month_day allows_negative_balance max_negative
            waiting_period_days prorate_on_hire min_notice_days max_consecutive day_length_seconds
            auto_assign_new_members is_active""",
    ),
    "listLeavePeriods": ExpectedOperation("/v1/leave_periods/", f"{STD} name start_date end_date status is_current"),
    "listLeaveBalances": ExpectedOperation(
        "/v1/leave_balances/",
        f"""{STD} user leave_type_id leave_type_name leave_policy_id leave_period_id period_start
            period_end unit is_unlimited entitled accrued carried_over adjusted used pending expired available as_of""",
    ),
    "listLeaveAssignments": ExpectedOperation(
        "/v1/leave_assignments/",
        f"""{STD} user leave_policy_id leave_policy_name leave_type_id leave_period_id
            entitlement effective_from effective_to is_active assigned_by_user_id""",
    ),
}

UNPUBLISHED = {
    "organizations": "the organization of a call is the root of the graph",
    "quota_overrides": "operators read it",
    "erasures": "operators read it",
    "activity_slots": "reports show sums of them",
    "apps": "reports show their names",
    "app_usages": "reports show sums of them",
    "domains": "reports show their names",
    "url_pages": "reports show their addresses",
    "url_usages": "reports show sums of them",
}
"""Tables whose rows have no root field of their own in the graph, and why."""


class ItemKeys(dict[str, frozenset[str]]):
    """The keys of the items of each operation; one without an entry says which file to edit."""

    def __missing__(self, operation: str) -> frozenset[str]:
        raise AssertionError(f"tests/contract.py: CONTRACT has no {operation!r}")


ITEMS = ItemKeys({name: frozenset(operation.keys.split()) for name, operation in CONTRACT.items()})
PATHS = {name: operation.path for name, operation in CONTRACT.items()}
GROUPS = {operation.path: operation.group or operation.path.split("/")[2] for operation in CONTRACT.values()}

# Responses without tagged text: foreign rows only show as a different response.
WITHOUT_TEXT = {"listMemberPaymentSettings", "timesheets"}
