"""Leave types, policies, periods, balances, assignments and applications."""

from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.envelopes import STANDARD

SCOPE = "leave:read"

ENDPOINTS = [
    Endpoint(
        "listLeaveApplications",
        "/v1/leave_applications/",
        STANDARD,
        "leave_applications",
        "...fields user days",
        scope=SCOPE,
    ),
    Endpoint("listLeaveTypes", "/v1/leave_types/", STANDARD, "leave_types", scope=SCOPE),
    Endpoint("listLeavePolicies", "/v1/leave_policies/", STANDARD, "leave_policies", scope=SCOPE),
    Endpoint("listLeavePeriods", "/v1/leave_periods/", STANDARD, "leave_periods", scope=SCOPE),
    Endpoint(
        "listLeaveBalances",
        "/v1/leave_balances/",
        STANDARD,
        "leave_balances(user_id: $user_id, team_id: $team_id, leave_type_id: $leave_type_id)",
        "...fields user",
        scope=SCOPE,
    ),
    Endpoint(
        "listLeaveAssignments", "/v1/leave_assignments/", STANDARD, "leave_assignments", "...fields user", scope=SCOPE
    ),
]
