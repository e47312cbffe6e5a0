"""The root fields of the operations: GraphQL calls an operation as its path does."""

from rest_facade.v1 import ENDPOINTS
from tests.root_lists import field_path


def test_root_field_is_called_as_the_path() -> None:
    for endpoint in ENDPOINTS:
        segments = endpoint.path.removeprefix("/v1/").strip("/").split("/")
        names = [
            segment.removesuffix("s") if following.startswith("{") else segment
            for segment, following in zip(segments, [*segments[1:], ""], strict=True)
            if not segment.startswith("{")
        ]
        assert list(field_path(endpoint)) == names, endpoint.operation
