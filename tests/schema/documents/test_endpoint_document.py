"""Documents of endpoints: what the schema does not have is refused.

`tests/rest_facade/v1/test_root_fields.py` compares the file of all: which arguments become variables, and what
`...fields` stands for.
"""

import pytest

from schema.documents.endpoint_document import endpoint_document


@pytest.mark.parametrize(
    ("fields", "without", "sentence"),
    [
        ("clent", [], "Query has no field 'clent'."),
        ("organization { nam }", [], "Organization has no field 'nam'."),
        ("organization", ["id"], "'organization' has no arguments ['id']."),
        ("client(ids: $id)", ["active"], "'client' has no arguments ['ids']."),
        (
            "member(id: $user_id) { payables }",
            [],
            "$user_id is the value of two arguments: give 'user_id' of 'payables' another, or leave it out.",
        ),
        ("", [], "'' is not one field in another."),
        ("client(", [], "'client(' is not a field of GraphQL: "),
        ("clients teams", [], "'clients teams' is not one field in another."),
        ("organization } query { teams", [], "'organization } query { teams' is not a field of GraphQL: "),
    ],
)
def test_wrong_field_is_refused_with_a_sentence(fields: str, without: list[str], sentence: str) -> None:
    with pytest.raises(ValueError) as raised:
        endpoint_document("read", fields, "id", without=without)
    assert str(raised.value).startswith(sentence)


@pytest.mark.parametrize(("selection", "name"), [("...fields nam", "nam"), ("...fields latest: name", "latest")])
def test_wrong_selection_is_refused_with_a_sentence(selection: str, name: str) -> None:
    with pytest.raises(ValueError, match=rf"^Organization has no fields \['{name}'\], and an alias takes the place"):
        endpoint_document("read", "organization", selection)
