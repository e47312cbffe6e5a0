"""The documents of the endpoints in one file, made by `make generated`."""

from tests.generate.endpoint_documents import FILE, current


def test_file_of_documents_is_up_to_date() -> None:
    assert FILE.read_text() == current(), "rest_facade/v1/documents.graphql is out of date: run make generated"
