"""MCP arguments: converted to the path and the query of a request, or refused."""

from typing import Any

import pytest

from rest_facade.errors.envelope import Refused
from rest_facade.errors.refusals import Code
from rest_facade.mcp.tool import checked, packaged_tools, target

TOOLS = {tool.name: tool for tool in packaged_tools()}


def request_of(tool: str, arguments: dict[str, Any]) -> tuple[str, str]:
    return target(TOOLS[tool], checked(TOOLS[tool], arguments))


@pytest.mark.parametrize(
    ("tool", "arguments", "path", "query"),
    [
        ("retrieveOrganization", {}, "/v1/organization/", ""),
        ("listProjects", {"search": "a b&c", "limit": 5.0}, "/v1/projects/", "search=a+b%26c&limit=5"),
        (
            "listProjects",
            {"is_active": True, "is_billable": False},
            "/v1/projects/",
            "is_active=true&is_billable=false",
        ),
        ("listProjects", {"status": ["active", "on_hold"]}, "/v1/projects/", "status=active%2Con_hold"),
        ("listProjects", {"status": "active"}, "/v1/projects/", "status=active"),
        ("listProjects", {"status": None, "search": ""}, "/v1/projects/", "search="),
        (
            "listProjects",
            {"updated_since": "2026-01-01T00:00:00+02:00"},
            "/v1/projects/",
            "updated_since=2026-01-01T00%3A00%3A00%2B02%3A00",
        ),
        ("listProjectTasks", {"project_id": "1", "limit": 3}, "/v1/projects/1/tasks/", "limit=3"),
        ("retrieveProject", {"project_id": "../clients/1?a=b#c"}, "/v1/projects/..%2Fclients%2F1%3Fa%3Db%23c/", ""),
        ("listUrlReports", {"detail": "url", "limit": 1}, "/v1/url_reports/", "detail=url&limit=1"),
        ("retrieveProject", {"project_id": "\ud800"}, "/v1/projects/%3F/", ""),
    ],
)
def test_arguments_become_path_and_query(tool: str, arguments: dict[str, Any], path: str, query: str) -> None:
    assert request_of(tool, arguments) == (path, query)


@pytest.mark.parametrize(
    ("tool", "arguments", "name", "message"),
    [
        ("retrieveOrganization", {"id": "1"}, "id", "retrieveOrganization takes fields."),
        ("retrieveProject", {"id": "1"}, "id", "retrieveProject takes project_id, fields."),
        ("retrieveProject", {}, "project_id", "project_id is required."),
        ("retrieveProject", {"project_id": ""}, "project_id", "project_id is required."),
        ("retrieveProject", {"project_id": None}, "project_id", "project_id is required."),
        ("retrieveProject", {"project_id": ["1"]}, "project_id", "project_id must be a plain value."),
        ("listProjects", {"search": {"name": "a"}}, "search", "search must be a plain value."),
        ("listProjects", {"id": [["1"]]}, "id", "id must be a plain value."),
        ("listProjects", {"id": {}}, "id", "id must be a plain value or a list of them."),
        ("listProjects", {"status": {}}, "status", "status must be one of active, on_hold, completed, archived."),
    ],
)
def test_impossible_arguments_are_refused(tool: str, arguments: dict[str, Any], name: str, message: str) -> None:
    with pytest.raises(Refused) as caught:
        request_of(tool, arguments)
    assert caught.value.error.code == Code.VALIDATION_ERROR
    assert caught.value.error.message == message
    assert caught.value.error.details == {name: [message]}
