"""MCP tools: descriptions and JSON Schemas of arguments."""

import pytest
from jsonschema import Draft202012Validator

from rest_facade.mcp.tools import Tool
from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.envelopes import Cursor, Offset
from rest_facade.v1 import ENDPOINTS
from tests.contract import ITEMS

TOOLS = {endpoint.operation: Tool.of(endpoint) for endpoint in ENDPOINTS}


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.operation)
def test_every_argument_is_typed_and_described(endpoint: Endpoint) -> None:
    schema = TOOLS[endpoint.operation].schema
    Draft202012Validator.check_schema(schema)
    assert list(schema["properties"]) == [
        *endpoint.ids,
        *(p.name for p in endpoint.query_parameters),
        *endpoint.envelope.paging_parameters,
    ]
    assert set(schema["required"]) == {*endpoint.ids, *(p.name for p in endpoint.query_parameters if p.is_required)}
    assert schema["additionalProperties"] is False
    for name, parameter in schema["properties"].items():
        assert parameter["description"].endswith("."), name
        assert "comma" not in parameter["description"], name
        assert {"type", "anyOf"} & set(parameter), name


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.operation)
def test_description_names_all_keys_and_the_next_page(endpoint: Endpoint) -> None:
    words = TOOLS[endpoint.operation].description
    for key in ITEMS[endpoint.operation]:
        assert key in words
    match endpoint.envelope:
        case Offset():
            assert "`page` and `after`" in words
        case Cursor():
            assert "`pagination.next_cursor` as `cursor`" in words
        case _:
            assert "again" not in words


def test_description_names_result_and_units() -> None:
    words = TOOLS["listTimeActivityReport"].description
    assert words.startswith("Time activity report: one row per member, with totals by day, project and task. ")
    assert "manual_seconds (Part of tracked_seconds: manual time)" in words
    assert words.count("Part of tracked_seconds: manual time") == 1
    assert "Times are UTC and end in Z. Durations (`..._seconds`) are whole seconds." in words
    assert "decimal strings" not in words
    assert "set a small `limit`" in words
    assert "Amounts are decimal strings in the currency beside them." in TOOLS["listInvoices"].description
    assert "Returns all of them in `results`, without pages." in TOOLS["listScreenshots"].description
    assert "Returns one object. Keys: id, " in TOOLS["retrieveProject"].description


def test_arguments_have_types_of_the_endpoint() -> None:
    known = TOOLS["listProjectTasks"].schema["properties"]
    assert known["project_id"] == {"type": "string", "format": "uuid", "description": "Id of the project."}
    assert known["status"]["type"] == "array"
    assert known["status"]["items"]["enum"]
    assert known["is_active"]["type"] == "boolean"
    assert (known["limit"]["maximum"], known["limit"]["default"]) == (100, 50)
    known = TOOLS["listUrlReports"].schema["properties"]
    assert known["detail"]["items"] == {"type": "string", "enum": ["url"]}
    assert known["start_date"]["format"] == "date"
