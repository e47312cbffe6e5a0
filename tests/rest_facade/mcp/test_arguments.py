"""MCP arguments: converted to the path and the query of a request, or refused."""

from typing import Any

import pytest

from rest_facade.mcp.arguments import target
from rest_facade.mcp.tools import Tool
from rest_facade.rest.errors import Code, Refused
from rest_facade.v1 import ENDPOINTS

TOOLS = {endpoint.operation: Tool.of(endpoint) for endpoint in ENDPOINTS}


@pytest.mark.parametrize(
    ("tool", "arguments", "path", "query"),
    [
        ("retrieveOrganization", {}, b"/v1/organization/", b""),
        (
            "listProjects",
            {"search": "a b&c", "limit": 5, "page": 2.0},
            b"/v1/projects/",
            b"search=a+b%26c&limit=5&page=2",
        ),
        (
            "listProjects",
            {"is_active": True, "include_deleted": False},
            b"/v1/projects/",
            b"is_active=true&include_deleted=false",
        ),
        ("listProjects", {"status": ["active", "on_hold"]}, b"/v1/projects/", b"status=active%2Con_hold"),
        ("listProjects", {"status": "active"}, b"/v1/projects/", b"status=active"),
        ("listProjects", {"status": None, "search": ""}, b"/v1/projects/", b"search="),
        (
            "listProjects",
            {"updated_since": "2026-01-01T00:00:00+02:00"},
            b"/v1/projects/",
            b"updated_since=2026-01-01T00%3A00%3A00%2B02%3A00",
        ),
        ("listProjectTasks", {"project_id": "1", "page": 3}, b"/v1/projects/1/tasks/", b"page=3"),
        ("retrieveProject", {"project_id": "../clients/1?a=b#c"}, b"/v1/projects/..%2Fclients%2F1%3Fa%3Db%23c/", b""),
        ("retrieveProject", {"project_id": "\ud800"}, b"/v1/projects/%3F/", b""),
    ],
)
def test_arguments_become_path_and_query(tool: str, arguments: dict[str, Any], path: bytes, query: bytes) -> None:
    assert target(TOOLS[tool], arguments) == (path, query)


@pytest.mark.parametrize(
    ("tool", "arguments", "name", "message"),
    [
        ("retrieveOrganization", {"id": "1"}, "id", "retrieveOrganization takes no arguments."),
        ("retrieveProject", {"id": "1"}, "id", "retrieveProject takes project_id."),
        ("retrieveProject", {}, "project_id", "project_id is required."),
        ("retrieveProject", {"project_id": ""}, "project_id", "project_id is required."),
        ("retrieveProject", {"project_id": None}, "project_id", "project_id is required."),
        ("retrieveProject", {"project_id": ["1"]}, "project_id", "project_id must be a plain value."),
        ("listProjects", {"search": {"name": "a"}}, "search", "search must be a plain value."),
        ("listProjects", {"status": [["active"]]}, "status", "status must be a plain value."),
        ("listProjects", {"status": {}}, "status", "status must be a plain value or a list of them."),
    ],
)
def test_impossible_arguments_are_refused(tool: str, arguments: dict[str, Any], name: str, message: str) -> None:
    with pytest.raises(Refused) as caught:
        target(TOOLS[tool], arguments)
    assert caught.value.error.code == Code.VALIDATION_ERROR
    assert caught.value.error.message == message
    assert caught.value.error.details == {name: [message]}
