"""bench/graphql_requests.py: documents that the service accepts, and that differ."""

import json
from uuid import UUID

import pytest

from bench.data import CLIENTS
from bench.graphql_requests import NESTED, selections
from schema.documents.cache import DocumentCache

ORGANIZATION = UUID(int=1)


def body(request: bytes) -> str:
    query: str = json.loads(request.partition(b"\r\n\r\n")[2])["query"]
    return query


def test_many_selections_are_all_different() -> None:
    documents = {body(request) for request in selections("token", ORGANIZATION, 20_000)}
    assert len(documents) == 20_000


@pytest.mark.parametrize("document", [NESTED, body(selections("token", ORGANIZATION, 1)[0])])
def test_documents_are_valid_and_within_limits(document: str) -> None:
    DocumentCache(introspection=False).find(document, None, {"clients": CLIENTS})
