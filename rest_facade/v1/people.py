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
        """
        query retrieveOrganization {
          organization {
            id name timezone currency week_start_day country status members_count active_members_count
            features { screenshots app_tracking url_tracking clock_in_out invoicing payroll leave }
            data_retention_days { screenshots app_usage url_usage }
            created_at updated_at
          }
        }
        """,
    ),
    Endpoint(
        "listMembers",
        "/v1/members/",
        STANDARD,
        """
        query listMembers(
          $page: Int!, $limit: Int!, $after: String, $id: [UUID!], $user_id: UUID, $email: String, $search: String,
          $status: [MemberStatus!], $is_active: Boolean, $role: [MemberRole!], $team_id: UUID, $project_id: UUID,
          $payroll_updated_since: DateTime, $screenshots_updated_since: DateTime, $updated_since: DateTime,
          $include_deleted: Boolean! = false
        ) {
          members(
            page: $page, limit: $limit, after: $after, id: $id, user_id: $user_id, email: $email, search: $search,
            status: $status, is_active: $is_active, role: $role, team_id: $team_id, project_id: $project_id,
            payroll_updated_since: $payroll_updated_since, screenshots_updated_since: $screenshots_updated_since,
            updated_since: $updated_since, include_deleted: $include_deleted
          ) { count next results { ...member } }
        }
        """,
        MEMBER,
        parameter_scopes={
            "payroll_updated_since": "payroll:read",
            "screenshots_updated_since": "screenshots:read",
        },
    ),
    Endpoint(
        "listTeams",
        "/v1/teams/",
        STANDARD,
        """
        query listTeams(
          $page: Int!, $limit: Int!, $after: String, $id: [UUID!], $is_active: Boolean, $user_id: UUID,
          $search: String, $updated_since: DateTime, $include_deleted: Boolean! = false
        ) {
          teams(
            page: $page, limit: $limit, after: $after, id: $id, is_active: $is_active, user_id: $user_id,
            search: $search, updated_since: $updated_since, include_deleted: $include_deleted
          ) {
            count next
            results {
              id name description lead_user_ids members_count project_ids is_active
              created_at updated_at deleted_at
            }
          }
        }
        """,
    ),
    Endpoint(
        "listTeamMembers",
        "/v1/teams/{team_id}/members/",
        STANDARD,
        """
        query listTeamMembers(
          $team_id: UUID!, $page: Int!, $limit: Int!, $after: String, $status: [MemberStatus!], $role: [TeamRole!],
          $updated_since: DateTime, $include_deleted: Boolean! = false
        ) {
          team(id: $team_id) {
            members(
              page: $page, limit: $limit, after: $after, status: $status, role: $role, updated_since: $updated_since,
              include_deleted: $include_deleted
            ) {
              count next
              results {
                id team_id user { user_id email full_name } role member_status joined_at
                created_at updated_at deleted_at
              }
            }
          }
        }
        """,
    ),
]
