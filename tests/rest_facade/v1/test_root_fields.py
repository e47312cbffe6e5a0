"""GraphQL calls an operation as its path does, and one file has the documents of all, made by `make generated`."""

from rest_facade.v1 import ENDPOINTS
from tests.generate.endpoint_documents import FILE, current
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


def test_file_of_documents_is_up_to_date() -> None:
    assert FILE.read_text() == current(), "rest_facade/v1/documents.graphql is out of date: run make generated"
