"""Organization, members and teams."""

from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.envelopes import SINGLE, STANDARD

ENDPOINTS = [
    Endpoint(
        "retrieveOrganization", "/v1/organization/", SINGLE, "organization", "...fields features data_retention_days"
    ),
    Endpoint(
        "listMembers",
        "/v1/members/",
        STANDARD,
        "members",
        "...fields id @skip(if: true)",
        parameter_scopes={"payroll_updated_since": "payroll:read", "screenshots_updated_since": "screenshots:read"},
    ),
    Endpoint("listTeams", "/v1/teams/", STANDARD, "teams"),
    Endpoint(
        "listTeamMembers", "/v1/teams/{team_id}/members/", STANDARD, "team(id: $team_id) { members }", "...fields user"
    ),
]
