"""MCP arguments: converted to the path and the query of a request, or refused."""

from typing import Any

import pytest

from rest_facade.errors.envelope import Refused
from rest_facade.errors.refusals import Code
from rest_facade.mcp.arguments import checked, target
from rest_facade.mcp.tool import packaged_tools

ID = "0198c0de-0000-7000-8000-000000000001"
DAYS = {"start_date": "2026-01-05", "end_date": "2026-01-06"}
TOOLS = {tool.name: tool for tool in packaged_tools()}


def request_of(tool: str, arguments: dict[str, Any]) -> tuple[str, str]:
    return target(TOOLS[tool], checked(TOOLS[tool], arguments))


CURRENCY = "currency must be an ISO 4217 code in capital letters, such as EUR."
DOMAIN = "domain must be a domain alone, such as example.com: without https:// and path."


@pytest.mark.parametrize(
    ("tool", "arguments", "path", "query"),
    [
        ("retrieveOrganization", {}, "/v1/organization/", ""),
        ("listProjects", {"search": "a b&c", "limit": 5.0}, "/v1/projects/", "search=a+b%26c&limit=5"),
        ("listTasks", {"is_active": False}, "/v1/tasks/", "is_active=false"),
        ("listProjects", {"status": ["active", "on_hold"]}, "/v1/projects/", "status=active%2Con_hold"),
        ("listProjects", {"status": "active"}, "/v1/projects/", "status=active"),
        ("listProjects", {"status": '["active", "on_hold"]'}, "/v1/projects/", "status=active%2Con_hold"),
        ("listProjects", {"status": "['active']"}, "/v1/projects/", "status=active"),
        ("listProjects", {"search": '["d\'Or"]'}, "/v1/projects/", "search=d%27Or"),
        ("listTasks", {"is_active": "False"}, "/v1/tasks/", "is_active=false"),
        ("listTasks", {"toolCallId": "1", "tool": "listTasks", "task_progress": "- [ ] a"}, "/v1/tasks/", ""),
        ("listTasks", {"wait_for_previous": False, "_meta": {}}, "/v1/tasks/", ""),
        ("listProjects", {"search": '["a'}, "/v1/projects/", "search=%5B%22a"),
        ("listProjects", {"status": None, "search": ""}, "/v1/projects/", "search="),
        ("listProjectTasks", {"project_id": "1", "limit": 3}, "/v1/projects/1/tasks/", "limit=3"),
        ("listTasks", {"limit": "3", "is_active": "true"}, "/v1/tasks/", "limit=3&is_active=true"),
        (
            "listUrlReports",
            {**DAYS, "domain": "WWW.example.com"},
            "/v1/url_reports/",
            "start_date=2026-01-05&end_date=2026-01-06&domain=example.com",
        ),
        (
            "listUrlReports",
            {**DAYS, "domain": "Grünau.example."},
            "/v1/url_reports/",
            "start_date=2026-01-05&end_date=2026-01-06&domain=xn--grnau-lva.example",
        ),
        ("listMembers", {"email": " ada@example.com "}, "/v1/members/", "email=ada%40example.com"),
        ("retrieveInvoice", {"invoice_id": ID}, f"/v1/invoices/{ID}/", ""),
    ],
)
def test_arguments_become_path_and_query(tool: str, arguments: dict[str, Any], path: str, query: str) -> None:
    assert request_of(tool, arguments) == (path, query)


def test_impossible_arguments_are_refused() -> None:
    cases: list[tuple[str, dict[str, Any], str, str]] = [
        ("retrieveOrganization", {"id": "1"}, "id", "retrieveOrganization takes fields."),
        ("retrieveOrganization", {"\ud800": "1"}, "?", "retrieveOrganization takes fields."),
        ("retrieveProject", {"id": "1"}, "id", "retrieveProject takes project_id, fields."),
        ("retrieveProject", {}, "project_id", "project_id is required."),
        ("retrieveProject", {"project_id": ""}, "project_id", "project_id is required."),
        ("retrieveProject", {"project_id": None}, "project_id", "project_id is required."),
        ("retrieveProject", {"project_id": {}}, "project_id", "project_id must be a string."),
        ("listTaskMembers", {"task_id": ".."}, "task_id", "Invalid UUID format."),
        ("listTaskMembers", {"task_id": f"{ID}/../.."}, "task_id", "Invalid UUID format."),
        ("listInvoices", {"currency": "eur"}, "currency", CURRENCY),
        ("listUrlReports", {**DAYS, "domain": "https://example.com/"}, "domain", DOMAIN),
        ("listTasks", {"limit": "three"}, "limit", "limit must be an integer."),
        ("listTasks", {"limit": 2.5}, "limit", "limit must be an integer."),
        ("listTasks", {"is_active": 1}, "is_active", "is_active must be true or false."),
        ("listTasks", {"fields": True}, "fields", "fields must be a string."),
        ("listProjects", {"search": {"name": "a"}}, "search", "search must be a string."),
        ("listProjects", {"status": [{"is": "active"}]}, "status", "status must be a list of strings."),
        ("listProjects", {"status": {}}, "status", "status must be a list of strings."),
        ("listProjects", {"status": "gone"}, "status", "status must be one of active, on_hold, completed, archived."),
        ("listScreenshots", {"user_id": ID, "date": "2026-W45"}, "date", "Invalid date format. Use YYYY-MM-DD."),
    ]
    for tool, arguments, name, message in cases:
        with pytest.raises(Refused) as caught:
            pytest.fail(f"{arguments} are {request_of(tool, arguments)}")
        assert caught.value.error.code == Code.VALIDATION_ERROR
        assert caught.value.error.message == message, arguments
        assert caught.value.error.details == {name: [message]}
