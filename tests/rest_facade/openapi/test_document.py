"""The OpenAPI document: valid, complete, in agreement with the endpoints, and with a text on polling of all rows.

Covers `rest_facade/openapi/parameters.py`, `rest_facade/openapi/schemas.py`, `rest_facade/openapi/errors.py`,
`rest_facade/openapi/polling.py` and `schema/documents/result_types.py`.
"""

import re
from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from rest_facade.errors.refusals import Code
from rest_facade.openapi.document import NOT_FOUND, SUMMARIES, openapi
from rest_facade.openapi.polling import OTHERWISE, POLL_OVERLAP, RETAINED, RETAINED_OPERATIONS, polling_text
from rest_facade.rest.envelopes import SINGLE, Unpaged
from rest_facade.v1 import ENDPOINTS
from schema.scalars import parse_moment_or_date
from tests.contract import ITEMS
from tests.rest_facade.openapi.strict import Validator

DOCUMENT = openapi(ENDPOINTS, base_url="http://testserver")
OPERATIONS: dict[str, dict[str, Any]] = {path: item["get"] for path, item in DOCUMENT["paths"].items()}


def operation(name: str) -> dict[str, Any]:
    (found,) = [operation for operation in OPERATIONS.values() if operation["operationId"] == name]
    return found


def parameter(name: str, of: str) -> dict[str, Any]:
    described: list[dict[str, Any]] = operation(of)["parameters"]
    (found,) = [each for each in described if each["name"] == name]
    return found


def schema(name: str) -> dict[str, Any]:
    found: dict[str, Any] = DOCUMENT["components"]["schemas"][name]
    return found


def texts(value: Any) -> list[Any]:
    """Every description, at any depth."""
    if isinstance(value, list):
        return [text for item in value for text in texts(item)]
    if not isinstance(value, dict):
        return []
    own = [value["description"]] if isinstance(value.get("description"), str) else []
    return own + [text for item in value.values() for text in texts(item)]


def test_is_valid_openapi() -> None:
    assert list(OpenAPIV31SpecValidator(DOCUMENT).iter_errors()) == []


def test_every_endpoint_has_every_parameter() -> None:
    assert {path: operation["operationId"] for path, operation in OPERATIONS.items()} == {
        endpoint.path: endpoint.operation for endpoint in ENDPOINTS
    }
    for endpoint in ENDPOINTS:
        described = [(each["in"], each["name"]) for each in OPERATIONS[endpoint.path]["parameters"]]
        named = [("path", name) for name in endpoint.ids] + [("query", name) for name in endpoint.query_names]
        assert sorted(described) == sorted(named), endpoint.operation


def test_operation_names_tag_scope_group_and_errors() -> None:
    tags = {tag["name"] for tag in DOCUMENT["tags"]}
    assert tags == {"people", "work", "timesheets", "activity", "money", "leaves"}
    for endpoint in ENDPOINTS:
        found = OPERATIONS[endpoint.path]
        assert set(found["tags"]) <= tags
        assert f"`{endpoint.scope}`" in found["description"]
        assert f"`{endpoint.group}`" in found["description"]
        assert list(found["responses"]) == ["200", "400", "401", "403", "404", "405", "429", "500", "503"]


def test_everything_has_a_description() -> None:
    found = texts(DOCUMENT)
    assert len(found) > 1000
    assert all(text.strip() for text in found)
    for name, described in DOCUMENT["components"]["schemas"].items():
        for key, value in described.get("properties", {}).items():
            assert value.get("description") or key == "error", f"{name}.{key}"
    for found_operation in OPERATIONS.values():
        assert all(each["description"] for each in found_operation["parameters"])


def test_summary_is_the_name_or_a_declared_one() -> None:
    assert operation("listLeaveTypes")["summary"] == "List leave types"
    assert operation("listProjectTasks")["summary"] == "List tasks of a project"
    assert operation("listMemberHourlyPaymentLog")["summary"] == "List hourly payments of a member"
    assert set(SUMMARIES) | set(NOT_FOUND) <= {endpoint.operation for endpoint in ENDPOINTS}


def test_tags_are_described_by_content() -> None:
    descriptions = {tag["name"]: tag["description"] for tag in DOCUMENT["tags"]}
    assert descriptions["people"] == "Organization, members and teams."


def test_parameters_have_limits_and_defaults() -> None:
    for operation_, largest, default in [
        ("listMembers", 100, 50),
        ("listAppReports", 20, 20),
        ("listTimesheetIdleTime", 20, 10),
    ]:
        limits = {"type": "integer", "minimum": 1, "maximum": largest, "default": default}
        assert parameter("limit", operation_)["schema"] == limits
    pages = {"type": "integer", "minimum": 1, "maximum": 2147483647, "default": 1}
    assert parameter("page", "listMembers")["schema"] == pages
    assert parameter("include_deleted", "listMembers")["schema"] == {"type": "boolean"}
    assert parameter("start_date", "listAppReports")["required"] is True
    assert parameter("start_date", "listInvoices")["required"] is False
    assert parameter("project_id", "retrieveProject")["schema"] == {"type": "string", "format": "uuid"}


MOMENT: dict[str, Any] = {
    "type": "string",
    "pattern": "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
    "([Tt]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9]))?$",
    "examples": ["2026-01-01", "2026-01-01T00:00:00.123456Z"],
}


def test_every_parameter_has_one_type() -> None:
    """Generated clients send the name of a class, or nothing, for a parameter with two."""
    for found in OPERATIONS.values():
        for each in found["parameters"]:
            schemas = [each["schema"], each["schema"].get("items", {"type": "string"})]
            resolved = [schema(inner["$ref"].rpartition("/")[2]) if "$ref" in inner else inner for inner in schemas]
            assert all(isinstance(inner["type"], str) for inner in resolved), each["name"]
            assert not any({"anyOf", "oneOf", "allOf"} & set(inner) for inner in resolved), each["name"]
            if each["name"].endswith("updated_since"):
                assert each["schema"] == MOMENT


def test_operations_without_polling_are_objects_arrays_and_no_others() -> None:
    polled = {
        found["operationId"]: {each["name"] for each in found["parameters"] if each["name"].endswith("updated_since")}
        for found in OPERATIONS.values()
    }
    unpaged = {endpoint.operation for endpoint in ENDPOINTS if isinstance(endpoint.envelope, Unpaged)}
    assert {operation for operation, names in polled.items() if not names} == {*unpaged, "listScreenshots"}
    assert polled["listMembers"] == {"updated_since", "payroll_updated_since", "screenshots_updated_since"}


def test_pattern_of_moments_takes_what_the_service_takes() -> None:
    for text in "2026-02-28 2026-01-01T00:00:00Z 2026-01-01t23:59:59.1z 0001-01-01T00:00:00.123456789-23:59".split():
        assert re.fullmatch(MOMENT["pattern"], text) and parse_moment_or_date(text)
    for text in (*"2026-1-1 2026-13-01 2026-01-32 20260101 2026-01-01T00:00Z now".split(), "2026-01-01 00:00:00Z"):
        assert not re.fullmatch(MOMENT["pattern"], text)
        with pytest.raises(ValueError, match=r".+"):
            parse_moment_or_date(text)


def test_list_parameter_is_repeated() -> None:
    status = parameter("status", "listMembers")
    assert (status["style"], status["explode"]) == ("form", True)
    assert "separated by commas" in status["description"]
    items = {"$ref": "#/components/schemas/MemberStatus"}
    assert status["schema"] == {"type": "array", "items": items, "minItems": 1, "maxItems": 100}
    assert schema("MemberStatus")["enum"] == ["active", "invited", "suspended", "removed"]
    assert parameter("id", "listMembers")["schema"]["items"] == {"type": "string", "format": "uuid"}


def test_expansions_are_optional_keys() -> None:
    assert parameter("include", "listInvoices")["schema"]["items"]["enum"] == ["line_items"]
    assert parameter("detail", "listUrlReports")["schema"]["items"]["enum"] == ["url"]
    assert "line_items" in schema("Invoice")["properties"]
    assert "line_items" not in schema("Invoice")["required"]
    assert "line_items" in schema("InvoiceOfRetrieveInvoice")["required"]
    assert set(schema("SiteUsage")["properties"]) - set(schema("SiteUsage")["required"]) == {"pages", "pages_truncated"}


def test_items_have_formats_units_and_nulls() -> None:
    member = schema("Member")["properties"]
    assert member["user_id"] | {"description": ""} == {"type": "string", "format": "uuid", "description": ""}
    assert member["hired_on"]["type"] == ["string", "null"]
    assert member["hired_on"]["format"] == "date"
    assert member["created_at"]["format"] == "date-time"
    assert member["weekly_limit_seconds"]["description"].endswith("In whole seconds.")
    assert member["employment_type"]["anyOf"] == [{"$ref": "#/components/schemas/EmploymentType"}, {"type": "null"}]
    assert schema("EmploymentType")["enum"] == ["employee", "contractor", "intern", "other"]
    assert schema("Payable")["properties"]["amount"]["description"].endswith("in the `currency` beside it.")
    assert schema("Payable")["properties"]["rate"]["type"] == ["string", "null"]


def test_items_have_keys_of_the_contract() -> None:
    for endpoint in ENDPOINTS:
        item = OPERATIONS[endpoint.path]["responses"]["200"]["content"]["application/json"]["schema"]
        while "properties" not in item:
            item = item["items"] if "items" in item else schema(item["$ref"].rpartition("/")[2])
            if "results" in item.get("properties", {}):
                item = item["properties"]["results"]["items"]
        asked_for = {"line_items"} if endpoint.operation == "listInvoices" else set()
        assert set(item["properties"]) == ITEMS[endpoint.operation] | asked_for, endpoint.operation
        assert set(item["required"]) == ITEMS[endpoint.operation], endpoint.operation


def test_examples_match_their_schemas() -> None:
    validator, file = Validator(DOCUMENT), "db/sample/demo/studio/TABLE.ndjson"
    for endpoint in ENDPOINTS:
        content = OPERATIONS[endpoint.path]["responses"]["200"]["content"]["application/json"]
        operation = endpoint.operation
        assert "example" in content, f"rest_facade/openapi/examples.json has no {operation}: run make generated"
        validator.check_body(content["schema"], content["example"])
        rows = content["example"] if isinstance(endpoint.envelope, Unpaged) else content["example"]["results"]
        needed = [each for each in OPERATIONS[endpoint.path]["parameters"] if each["required"]]
        values = ", ".join(f"{each['name']} {each.get('example')}" for each in needed)
        assert rows, f"no rows for {operation} ({values}): write some into {file}, then run make generated"
        unknown = [each["name"] for each in needed if not each.get("example")]
        assert not unknown, f"db/sample/demo/examples.py finds no {unknown}: add it, then run make generated"


def test_given_examples_override_the_file() -> None:
    document = openapi(ENDPOINTS, base_url="https://api.example.com", examples={"client_id": "of the demo"})
    assert document["servers"] == [{"url": "https://api.example.com"}]
    (client,) = document["paths"]["/v1/clients/{client_id}/"]["get"]["parameters"]
    assert client["example"] == "of the demo"


def test_errors_cover_every_code_with_examples() -> None:
    validator = Validator(DOCUMENT)
    codes = []
    for name, response in DOCUMENT["components"]["responses"].items():
        content = response["content"]["application/json"]
        codes += schema(name)["properties"]["error"]["properties"]["code"]["enum"]
        for example in content["examples"].values():
            validator.check_body(content["schema"], example["value"])
    assert sorted(codes) == sorted(Code)
    retry = {name for name, each in DOCUMENT["components"]["responses"].items() if "Retry-After" in each["headers"]}
    assert retry == {"TooManyRequests", "ServiceUnavailable"}


def test_key_is_an_api_key_header() -> None:
    assert DOCUMENT["security"] == [{"key": []}]
    scheme = DOCUMENT["components"]["securitySchemes"]["key"]
    assert (scheme["type"], scheme["in"], scheme["name"]) == ("apiKey", "header", "X-SERVICE-API-KEY")


ROWS = [endpoint for endpoint in ENDPOINTS if endpoint.envelope != SINGLE]
NAMES = {endpoint.operation: endpoint for endpoint in ENDPOINTS}


def test_operation_takes_updated_since_or_says_why_not() -> None:
    for endpoint in ROWS:
        text = polling_text(endpoint)
        assert text, endpoint.operation
        assert text in OPERATIONS[endpoint.path]["description"]
        if "updated_since" in endpoint.query_names:
            assert POLL_OVERLAP in parameter("updated_since", endpoint.operation)["description"]
        else:
            assert endpoint.operation in OTHERWISE


def test_text_names_operations_and_parameters_that_exist() -> None:
    for operation, text in OTHERWISE.items():
        named = set(re.findall(r"\blist[A-Z]\w+", text))
        assert operation in NAMES
        assert named <= NAMES.keys()
        known = {name for endpoint in (operation, *named) for name in NAMES[endpoint].query_names}
        assert set(re.findall(r"`(\w+_since)`", text)) <= known | {"updated_since"}


def test_single_object_has_no_text_on_polling() -> None:
    assert polling_text(NAMES["retrieveClient"]) is None


def test_operations_on_retained_rows_say_that_old_ones_are_dropped() -> None:
    assert NAMES.keys() >= RETAINED_OPERATIONS
    retained = {endpoint.operation for endpoint in ROWS if RETAINED in str(polling_text(endpoint))}
    assert retained == {"listAppReports", "listUrlReports", "listScreenshots"}
