"""The tools of the endpoints: short descriptions, and JSON Schemas of arguments.

Covers `rest_facade/mcp/tools/instructions.py`.
"""

import pytest
from jsonschema import Draft202012Validator

from rest_facade.mcp.tools.instructions import INSTRUCTIONS, SHARED_ARGUMENTS
from rest_facade.mcp.tools.tool import Paging, flattened
from rest_facade.rest.endpoint import Endpoint
from rest_facade.v1 import ENDPOINTS
from tests.contract import ITEMS
from tests.generate.mcp_tools import tool_of

TOOLS = {endpoint.operation: tool_of(endpoint) for endpoint in ENDPOINTS}


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.operation)
def test_every_argument_is_specified(endpoint: Endpoint) -> None:
    schema = TOOLS[endpoint.operation].schema
    Draft202012Validator.check_schema(schema)
    own = [*endpoint.ids, *(p.name for p in endpoint.query_parameters), *endpoint.envelope.paging_parameters]
    assert set(schema["properties"]) - {"detail"} == {*own, "fields"} - {"detail"}
    required = {*endpoint.ids, *(p.name for p in endpoint.query_parameters if p.is_required)}
    assert set(schema.get("required", ())) == required
    for name, argument in schema["properties"].items():
        assert {"type", "enum"} & set(argument), name
        assert argument.get("description", ".").endswith("."), name


@pytest.mark.parametrize("name", sorted(SHARED_ARGUMENTS | {"fields", "detail"}))
def test_instructions_explain_shared_arguments(name: str) -> None:
    assert f"`{name}`" in INSTRUCTIONS


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.operation)
def test_description_names_all_keys(endpoint: Endpoint) -> None:
    tool = TOOLS[endpoint.operation]
    assert {name for name, _ in flattened(tool.keys)} >= set(ITEMS[endpoint.operation])
    for key in ITEMS[endpoint.operation]:
        assert key in tool.description


def test_description_names_a_repeated_key_once() -> None:
    words = TOOLS["listTimeActivityReport"].description
    assert words.startswith("Time activity report: one row per member, with totals by day, project and task. ")
    assert words.count("tracked_seconds") == 1
    assert "days [date, day_length_seconds, entries [project_id, project_name, " in words
    assert words.endswith("task_id, task_name, ...], ...].")


def test_arguments_have_types_of_the_endpoint() -> None:
    known = TOOLS["listProjectTasks"].schema["properties"]
    assert known["project_id"] == {"type": "string"}
    assert known["status"] == {"type": "array", "items": {"enum": ["open", "in_progress", "completed", "archived"]}}
    assert known["is_active"]["type"] == "boolean"
    assert known["limit"] == {"type": "integer", "maximum": 100, "default": 50}
    assert known["page"] == {"type": "integer"}
    assert TOOLS["listUrlReports"].schema["properties"]["detail"] == {
        "enum": ["totals", "days", "entries", "url"],
        "default": "totals",
    }
    assert TOOLS["listTimeActivityReport"].schema["required"] == ["start_date", "end_date"]


def test_paging_is_that_of_the_envelope() -> None:
    paging = {name: TOOLS[name].paging for name in ("listTasks", "listTimesheetIdleTime", "listScreenshots")}
    assert paging == {"listTasks": Paging.page, "listTimesheetIdleTime": Paging.cursor, "listScreenshots": Paging.array}
    assert TOOLS["retrieveProject"].paging is Paging.object
