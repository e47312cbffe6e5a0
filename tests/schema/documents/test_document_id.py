"""Identifiers of documents: `sha256:` and the hash of the text, as GraphQL over HTTP defines them."""

import pytest

from schema.documents.document_id import document_id, is_document_id

# The examples of GraphQL over HTTP, appendix "Persisted Documents".
QUERY = "query ($id: ID!) {\n  user(id: $id) {\n    name\n  }\n}"
ID = "sha256:7dba4bd717b41f10434822356a93c32b1fb4907b983e854300ad839f84cdcd6e"


def test_id_is_that_of_the_specification() -> None:
    assert document_id(QUERY) == ID
    other = "sha256:71f7dc5758652baac68e4a10c50be732b741c892ade2883a99358f52b555286b"
    assert document_id("query($id:ID!){user(id:$id){name}}") == other


def test_text_is_hashed_in_utf_8() -> None:
    assert document_id("{ ä }") == "sha256:9c211dc5e4588ab5e9a60b789be050b384f7d12358ca9ba671572614bb76b591"


@pytest.mark.parametrize(
    "text", ["", "sha256:", ID[7:], ID.upper(), ID[:-1], ID + "0", ID + "\n", ID.replace("sha256", "md5"), "x" + ID]
)
def test_other_text_is_no_id(text: str) -> None:
    assert is_document_id(ID)
    assert not is_document_id(text)
