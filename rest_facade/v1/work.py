"""Clients, projects, project members, tasks and task members."""

from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.envelopes import SINGLE, STANDARD

CLIENT = """
fragment client on Client {
  id name is_active archived_at contact_name email phone invoice_emails
  address { line1 line2 city region postal_code country }
  tax_number currency timezone net_terms_days budget { type amount seconds currency recurrence }
  projects_count active_projects_count external_id note created_at updated_at deleted_at
}
"""

PROJECT = """
fragment project on Project {
  id name code description is_active status client_id client_name is_billable billing_type bill_rate fixed_amount
  currency budget { type amount seconds currency recurrence } tracked_seconds_total start_date due_date completed_at
  archived_at color manager_user_ids team_ids members_count tasks_count screenshots_enabled
  activity_tracking_enabled external_id created_at updated_at deleted_at
}
"""

PROJECT_MEMBER = """
fragment project_member on ProjectMember {
  id project_id project_name user { user_id email full_name } role is_active source team_id pay_rate bill_rate
  currency budget_seconds joined_at removed_at created_at updated_at deleted_at
}
"""

TASK = """
fragment task on Task {
  id project_id project_name parent_task_id number name description status is_active priority is_billable
  estimate_seconds assignee_user_ids start_date due_date completed_at created_by_user_id external_id external_source
  labels created_at updated_at deleted_at
}
"""

ENDPOINTS = [
    Endpoint(
        "listClients",
        "/v1/clients/",
        STANDARD,
        """
        query listClients(
          $page: Int!, $limit: Int!, $after: String, $id: [UUID!], $is_active: Boolean, $search: String,
          $external_id: String, $updated_since: DateTime, $include_deleted: Boolean! = false
        ) {
          clients(
            page: $page, limit: $limit, after: $after, id: $id, is_active: $is_active, search: $search,
            external_id: $external_id, updated_since: $updated_since, include_deleted: $include_deleted
          ) { count next results { ...client } }
        }
        """,
        CLIENT,
    ),
    Endpoint(
        "retrieveClient",
        "/v1/clients/{client_id}/",
        SINGLE,
        "query retrieveClient($client_id: UUID!) { client(id: $client_id) { ...client } }",
        CLIENT,
    ),
    Endpoint(
        "listClientProjects",
        "/v1/clients/{client_id}/projects/",
        STANDARD,
        """
        query listClientProjects(
          $client_id: UUID!, $page: Int!, $limit: Int!, $after: String, $is_active: Boolean,
          $status: [ProjectStatus!], $updated_since: DateTime, $include_deleted: Boolean! = false
        ) {
          client(id: $client_id, active: true) {
            projects(
              page: $page, limit: $limit, after: $after, is_active: $is_active, status: $status,
              updated_since: $updated_since, include_deleted: $include_deleted
            ) { count next results { ...project } }
          }
        }
        """,
        PROJECT,
    ),
    Endpoint(
        "listProjects",
        "/v1/projects/",
        STANDARD,
        """
        query listProjects(
          $page: Int!, $limit: Int!, $after: String, $id: [UUID!], $client_id: UUID, $is_active: Boolean,
          $status: [ProjectStatus!], $is_billable: Boolean, $search: String, $external_id: String,
          $updated_since: DateTime, $include_deleted: Boolean! = false
        ) {
          projects(
            page: $page, limit: $limit, after: $after, id: $id, client_id: $client_id, is_active: $is_active,
            status: $status, is_billable: $is_billable, search: $search, external_id: $external_id,
            updated_since: $updated_since, include_deleted: $include_deleted
          ) { count next results { ...project } }
        }
        """,
        PROJECT,
    ),
    Endpoint(
        "retrieveProject",
        "/v1/projects/{project_id}/",
        SINGLE,
        "query retrieveProject($project_id: UUID!) { project(id: $project_id) { ...project } }",
        PROJECT,
    ),
    Endpoint(
        "listProjectMembers",
        "/v1/projects/{project_id}/members/",
        STANDARD,
        """
        query listProjectMembers(
          $project_id: UUID!, $page: Int!, $limit: Int!, $after: String, $user_id: UUID, $role: [ProjectRole!],
          $is_active: Boolean, $updated_since: DateTime, $include_deleted: Boolean! = false
        ) {
          project(id: $project_id) {
            members(
              page: $page, limit: $limit, after: $after, user_id: $user_id, role: $role, is_active: $is_active,
              updated_since: $updated_since, include_deleted: $include_deleted
            ) { count next results { ...project_member } }
          }
        }
        """,
        PROJECT_MEMBER,
    ),
    Endpoint(
        "listProjectTasks",
        "/v1/projects/{project_id}/tasks/",
        STANDARD,
        """
        query listProjectTasks(
          $project_id: UUID!, $page: Int!, $limit: Int!, $after: String, $id: [UUID!], $status: [TaskStatus!],
          $is_active: Boolean, $assignee: UUID, $parent_task_id: UUID, $updated_since: DateTime,
          $include_deleted: Boolean! = false
        ) {
          project(id: $project_id) {
            tasks(
              page: $page, limit: $limit, after: $after, id: $id, status: $status, is_active: $is_active,
              user_id: $assignee, parent_task_id: $parent_task_id, updated_since: $updated_since,
              include_deleted: $include_deleted
            ) { count next results { ...task } }
          }
        }
        """,
        TASK,
    ),
    Endpoint(
        "listMemberProjects",
        "/v1/members/{user_id}/projects/",
        STANDARD,
        """
        query listMemberProjects(
          $user_id: UUID!, $page: Int!, $limit: Int!, $after: String, $is_active: Boolean, $client_id: UUID,
          $updated_since: DateTime
        ) {
          member(user_id: $user_id) {
            projects(
              page: $page, limit: $limit, after: $after, is_active: $is_active, client_id: $client_id,
              updated_since: $updated_since
            ) { count next results { ...project membership { id role is_active joined_at } } }
          }
        }
        """,
        PROJECT,
    ),
    Endpoint(
        "listProjectMemberships",
        "/v1/project_memberships/",
        STANDARD,
        """
        query listProjectMemberships(
          $page: Int!, $limit: Int!, $after: String, $id: [UUID!], $project_id: UUID, $user_id: UUID,
          $is_active: Boolean, $role: [ProjectRole!], $updated_since: DateTime, $include_deleted: Boolean! = false
        ) {
          project_memberships(
            page: $page, limit: $limit, after: $after, id: $id, project_id: $project_id, user_id: $user_id,
            is_active: $is_active, role: $role, updated_since: $updated_since, include_deleted: $include_deleted
          ) { count next results { ...project_member } }
        }
        """,
        PROJECT_MEMBER,
        scope="projects:read",
    ),
    Endpoint(
        "listTasks",
        "/v1/tasks/",
        STANDARD,
        """
        query listTasks(
          $page: Int!, $limit: Int!, $after: String, $id: [UUID!], $project_id: UUID, $client_id: UUID,
          $user_id: UUID, $status: [TaskStatus!], $is_active: Boolean, $external_id: String,
          $updated_since: DateTime, $include_deleted: Boolean! = false
        ) {
          tasks(
            page: $page, limit: $limit, after: $after, id: $id, project_id: $project_id, client_id: $client_id,
            user_id: $user_id, status: $status, is_active: $is_active, external_id: $external_id,
            updated_since: $updated_since, include_deleted: $include_deleted
          ) { count next results { ...task } }
        }
        """,
        TASK,
    ),
    Endpoint(
        "listTaskMembers",
        "/v1/tasks/{task_id}/members/",
        STANDARD,
        """
        query listTaskMembers(
          $task_id: UUID!, $page: Int!, $limit: Int!, $after: String, $user_id: UUID, $updated_since: DateTime,
          $include_deleted: Boolean! = false
        ) {
          task(id: $task_id) {
            members(
              page: $page, limit: $limit, after: $after, user_id: $user_id, updated_since: $updated_since,
              include_deleted: $include_deleted
            ) {
              count next
              results {
                id task_id project_id user { user_id email full_name } role assigned_at
                created_at updated_at deleted_at
              }
            }
          }
        }
        """,
    ),
]
