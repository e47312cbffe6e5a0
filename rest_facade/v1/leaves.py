"""Leave applications, types, policies, periods, balances and assignments."""

from functools import partial

from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.envelopes import STANDARD

LeaveEndpoint = partial(Endpoint, scope="leave:read")

ENDPOINTS = [
    LeaveEndpoint(
        "listLeaveApplications", "/v1/leave_applications/", STANDARD, "leave_applications", "...fields user days"
    ),
    LeaveEndpoint("listLeaveTypes", "/v1/leave_types/", STANDARD, "leave_types"),
    LeaveEndpoint("listLeavePolicies", "/v1/leave_policies/", STANDARD, "leave_policies"),
    LeaveEndpoint("listLeavePeriods", "/v1/leave_periods/", STANDARD, "leave_periods"),
    LeaveEndpoint(
        "listLeaveBalances",
        "/v1/leave_balances/",
        STANDARD,
        "leave_balances(user_id: $user_id, team_id: $team_id, leave_type_id: $leave_type_id)",
        "...fields user",
    ),
    LeaveEndpoint("listLeaveAssignments", "/v1/leave_assignments/", STANDARD, "leave_assignments", "...fields user"),
]
