"""Leave types, policies, periods, assignments, balances and applications."""

from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.envelopes import STANDARD

SCOPE = "leave:read"

ENDPOINTS = [
    Endpoint(
        "listLeaveApplications",
        "/v1/leave_applications/",
        STANDARD,
        "leave_applications",
        """
        id user { user_id email full_name } leave_type_id leave_type_name leave_policy_id leave_period_id status
        start_date end_date start_day_part end_day_part started_at ended_at timezone unit amount duration_seconds
        is_paid reason days { date amount duration_seconds is_holiday } applied_at reviewed_by_user_id reviewed_at
        review_note cancelled_at has_attachment created_at updated_at deleted_at
        """,
        scope=SCOPE,
    ),
    Endpoint(
        "listLeaveTypes",
        "/v1/leave_types/",
        STANDARD,
        "leave_types",
        """
        id name code description color category unit is_paid requires_approval requires_attachment
        allows_half_day is_active created_at updated_at deleted_at
        """,
        scope=SCOPE,
    ),
    Endpoint(
        "listLeavePolicies",
        "/v1/leave_policies/",
        STANDARD,
        "leave_policies",
        """
        id name leave_type_id leave_type_name unit entitlement is_unlimited accrual_type accrual_amount accrual_cap
        carry_over_max carry_over_expires_on_month_day allows_negative_balance max_negative waiting_period_days
        prorate_on_hire min_notice_days max_consecutive day_length_seconds auto_assign_new_members is_active
        created_at updated_at deleted_at
        """,
        scope=SCOPE,
    ),
    Endpoint(
        "listLeavePeriods",
        "/v1/leave_periods/",
        STANDARD,
        "leave_periods",
        """
        id name start_date end_date status is_current created_at updated_at deleted_at
        """,
        scope=SCOPE,
    ),
    Endpoint(
        "listLeaveBalances",
        "/v1/leave_balances/",
        STANDARD,
        "leave_balances(user_id: $user_id, team_id: $team_id, leave_type_id: $leave_type_id)",
        """
        id user { user_id email full_name } leave_type_id leave_type_name leave_policy_id leave_period_id
        period_start period_end unit is_unlimited entitled accrued carried_over adjusted used pending expired available
        as_of created_at updated_at deleted_at
        """,
        scope=SCOPE,
    ),
    Endpoint(
        "listLeaveAssignments",
        "/v1/leave_assignments/",
        STANDARD,
        "leave_assignments",
        """
        id user { user_id email full_name } leave_policy_id leave_policy_name leave_type_id leave_period_id
        entitlement effective_from effective_to is_active assigned_by_user_id created_at updated_at deleted_at
        """,
        scope=SCOPE,
    ),
]
