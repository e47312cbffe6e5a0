"""The root fields of the operations: GraphQL calls an operation as its path does, and earlier names are deprecated."""

import pytest

from rest_facade.rest.endpoint import Endpoint
from rest_facade.v1 import ENDPOINTS
from schema.schema import GRAPHQL_SCHEMA
from tests.root_lists import field_path


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.operation)
def test_root_field_is_called_as_the_path(endpoint: Endpoint) -> None:
    segments = endpoint.path.removeprefix("/v1/").strip("/").split("/")
    names = [
        segment.removesuffix("s") if following.startswith("{") else segment
        for segment, following in zip(segments, [*segments[1:], ""], strict=True)
        if not segment.startswith("{")
    ]
    assert field_path(endpoint) == names


def test_earlier_names_are_deprecated_with_the_new_name() -> None:
    assert GRAPHQL_SCHEMA.query_type is not None
    fields = GRAPHQL_SCHEMA.query_type.fields
    new_names = {
        "time_activity": "time_activity_reports",
        "manual_times": "manual_timesheet_reports",
        "clock_records": "clockinouts",
    }
    assert {name for name, field in fields.items() if field.deprecation_reason} == new_names.keys()
    for name, new_name in new_names.items():
        old, new = fields[name], fields[new_name]
        assert (str(old.type), old.description, old.args.keys()) == (str(new.type), new.description, new.args.keys())
        assert f"`{new_name}`" in (old.deprecation_reason or "")
