"""The published items, written out: which keys each operation's items have. Compared with what is answered."""

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

ITEMS = {
    operation: frozenset(keys.split())
    for operation, keys in {
        "retrieveOrganization": """id name timezone currency week_start_day country status members_count
            active_members_count features data_retention_days created_at updated_at""",
        "listMembers": """user_id membership_id email full_name first_name last_name avatar_url role status is_active
            is_tracking_enabled timezone employee_number job_title department employment_type manager_user_id team_ids
            hired_on left_on joined_at removed_at last_tracked_at weekly_limit_seconds expected_weekly_seconds
            custom_fields created_at updated_at deleted_at""",
        "listTeams": f"{STD} name description lead_user_ids members_count project_ids is_active",
        "listTeamMembers": f"{STD} team_id user role member_status joined_at",
        "listClients": CLIENT,
        "retrieveClient": CLIENT,
        "listClientProjects": PROJECT,
        "listProjects": PROJECT,
        "retrieveProject": PROJECT,
        "listProjectMembers": PROJECT_MEMBER,
        "listProjectTasks": TASK,
        "listMemberProjects": f"{PROJECT} membership",
        "listProjectMemberships": PROJECT_MEMBER,
        "listTasks": TASK,
        "listTaskMembers": f"{STD} task_id project_id user role assigned_at",
    }.items()
}

PATHS = {
    "retrieveOrganization": "/v1/organization/",
    "listMembers": "/v1/members/",
    "listTeams": "/v1/teams/",
    "listTeamMembers": "/v1/teams/{team_id}/members/",
    "listClients": "/v1/clients/",
    "retrieveClient": "/v1/clients/{client_id}/",
    "listClientProjects": "/v1/clients/{client_id}/projects/",
    "listProjects": "/v1/projects/",
    "retrieveProject": "/v1/projects/{project_id}/",
    "listProjectMembers": "/v1/projects/{project_id}/members/",
    "listProjectTasks": "/v1/projects/{project_id}/tasks/",
    "listMemberProjects": "/v1/members/{user_id}/projects/",
    "listProjectMemberships": "/v1/project_memberships/",
    "listTasks": "/v1/tasks/",
    "listTaskMembers": "/v1/tasks/{task_id}/members/",
}

GROUPS = {
    "/v1/organization/": "organization",
    "/v1/members/": "members",
    "/v1/members/{user_id}/projects/": "members",
    "/v1/teams/": "teams",
    "/v1/teams/{team_id}/members/": "teams",
    "/v1/clients/": "clients",
    "/v1/clients/{client_id}/": "clients",
    "/v1/clients/{client_id}/projects/": "clients",
    "/v1/projects/": "projects",
    "/v1/projects/{project_id}/": "projects",
    "/v1/projects/{project_id}/members/": "projects",
    "/v1/projects/{project_id}/tasks/": "projects",
    "/v1/project_memberships/": "project_memberships",
    "/v1/tasks/": "tasks",
    "/v1/tasks/{task_id}/members/": "tasks",
}
