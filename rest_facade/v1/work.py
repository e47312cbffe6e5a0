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

# Polls of a member's projects also show a project that the member joined.
MEMBER_PROJECT = """
fragment member_project on Project {
  id name code description is_active status client_id client_name is_billable billing_type bill_rate fixed_amount
  currency budget { type amount seconds currency recurrence } tracked_seconds_total start_date due_date completed_at
  archived_at color manager_user_ids team_ids members_count tasks_count screenshots_enabled
  activity_tracking_enabled external_id created_at updated_at: last_changed_at deleted_at
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
    Endpoint("listClients", "/v1/clients/", STANDARD, "clients", "...client", CLIENT),
    Endpoint(
        "retrieveClient",
        "/v1/clients/{client_id}/",
        SINGLE,
        "client(id: $client_id)",
        "...client",
        CLIENT,
        without=["active"],
    ),
    Endpoint(
        "listClientProjects",
        "/v1/clients/{client_id}/projects/",
        STANDARD,
        "client(id: $client_id, active: true) { projects }",
        "...project",
        PROJECT,
        without=["id", "client_id", "is_billable", "search", "external_id"],
    ),
    Endpoint("listProjects", "/v1/projects/", STANDARD, "projects", "...project", PROJECT),
    Endpoint(
        "retrieveProject", "/v1/projects/{project_id}/", SINGLE, "project(id: $project_id)", "...project", PROJECT
    ),
    Endpoint(
        "listProjectMembers",
        "/v1/projects/{project_id}/members/",
        STANDARD,
        "project(id: $project_id) { members(user_id: $user_id, role: $role) }",
        "...project_member",
        PROJECT_MEMBER,
        without=["id", "project_id"],
    ),
    Endpoint(
        "listProjectTasks",
        "/v1/projects/{project_id}/tasks/",
        STANDARD,
        "project(id: $project_id) { tasks(id: $id, status: $status, is_active: $is_active, user_id: $assignee) }",
        "...task",
        TASK,
        without=["project_id", "client_id", "external_id"],
    ),
    Endpoint(
        "listMemberProjects",
        "/v1/members/{user_id}/projects/",
        STANDARD,
        "member(id: $user_id) { projects }",
        "...member_project membership { id role is_active joined_at }",
        MEMBER_PROJECT,
    ),
    Endpoint(
        "listProjectMemberships",
        "/v1/project_memberships/",
        STANDARD,
        "project_memberships",
        "...project_member",
        PROJECT_MEMBER,
        scope="projects:read",
    ),
    Endpoint("listTasks", "/v1/tasks/", STANDARD, "tasks", "...task", TASK, without=["parent_task_id"]),
    Endpoint(
        "listTaskMembers",
        "/v1/tasks/{task_id}/members/",
        STANDARD,
        "task(id: $task_id) { members }",
        """
        id task_id project_id user { user_id email full_name } role assigned_at created_at updated_at deleted_at
        """,
    ),
]
