"""Organization, members and teams."""

from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.envelopes import SINGLE, STANDARD

MEMBER = """
fragment member on Member {
  user_id membership_id email full_name first_name last_name avatar_url role status is_active is_tracking_enabled
  timezone employee_number job_title department employment_type manager_user_id team_ids hired_on left_on joined_at
  removed_at last_tracked_at weekly_limit_seconds expected_weekly_seconds custom_fields
  created_at updated_at deleted_at
}
"""

ENDPOINTS = [
    Endpoint(
        "retrieveOrganization",
        "/v1/organization/",
        SINGLE,
        "organization",
        """
        id name timezone currency week_start_day country status members_count active_members_count
        features { screenshots app_tracking url_tracking clock_in_out invoicing payroll leave }
        data_retention_days { screenshots app_usage url_usage } created_at updated_at
        """,
    ),
    Endpoint(
        "listMembers",
        "/v1/members/",
        STANDARD,
        "members",
        "...member",
        MEMBER,
        parameter_scopes={"payroll_updated_since": "payroll:read", "screenshots_updated_since": "screenshots:read"},
    ),
    Endpoint(
        "listTeams",
        "/v1/teams/",
        STANDARD,
        "teams",
        """
        id name description lead_user_ids members_count project_ids is_active created_at updated_at deleted_at
        """,
    ),
    Endpoint(
        "listTeamMembers",
        "/v1/teams/{team_id}/members/",
        STANDARD,
        "team(id: $team_id) { members }",
        """
        id team_id user { user_id email full_name } role member_status joined_at created_at updated_at deleted_at
        """,
    ),
]
