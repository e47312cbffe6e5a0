"""Clients, projects, project memberships, tasks and task members."""

from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.envelopes import SINGLE, STANDARD

CLIENT = "...fields address budget"
PROJECT = "...fields budget"
PROJECT_MEMBER = "...fields user"

ENDPOINTS = [
    Endpoint("listClients", "/v1/clients/", STANDARD, "clients", CLIENT),
    Endpoint(
        "retrieveClient", "/v1/clients/{client_id}/", SINGLE, "client(id: $client_id)", CLIENT, without=["active"]
    ),
    Endpoint(
        "listClientProjects",
        "/v1/clients/{client_id}/projects/",
        STANDARD,
        "client(id: $client_id, active: true) { projects }",
        PROJECT,
        without=["id", "client_id", "is_billable", "search", "external_id"],
    ),
    Endpoint("listProjects", "/v1/projects/", STANDARD, "projects", PROJECT),
    Endpoint("retrieveProject", "/v1/projects/{project_id}/", SINGLE, "project(id: $project_id)", PROJECT),
    Endpoint(
        "listProjectMembers",
        "/v1/projects/{project_id}/members/",
        STANDARD,
        "project(id: $project_id) { members(user_id: $user_id, role: $role) }",
        PROJECT_MEMBER,
        without=["id", "project_id"],
    ),
    Endpoint(
        "listProjectTasks",
        "/v1/projects/{project_id}/tasks/",
        STANDARD,
        "project(id: $project_id) { tasks(id: $id, status: $status, is_active: $is_active, user_id: $assignee) }",
        without=["project_id", "client_id", "external_id"],
    ),
    Endpoint(
        "listMemberProjects",
        "/v1/members/{user_id}/projects/",
        STANDARD,
        "member(id: $user_id) { projects }",
        # Polls of a member's projects also show a project that the member joined.
        "...fields budget membership updated_at: last_changed_at",
    ),
    Endpoint(
        "listProjectMemberships",
        "/v1/project_memberships/",
        STANDARD,
        "project_memberships",
        PROJECT_MEMBER,
        scope="projects:read",
    ),
    Endpoint("listTasks", "/v1/tasks/", STANDARD, "tasks", without=["parent_task_id"]),
    Endpoint(
        "listTaskMembers", "/v1/tasks/{task_id}/members/", STANDARD, "task(id: $task_id) { members }", "...fields user"
    ),
]
