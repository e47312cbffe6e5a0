"""The root fields of the operations: GraphQL calls an operation as its path does."""

import pytest

from rest_facade.rest.endpoint import Endpoint
from rest_facade.v1 import ENDPOINTS
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
