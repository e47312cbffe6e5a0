"""Documents of endpoints: `...fields` stands for leaf fields, and what the schema does not have is refused.

`rest_facade/v1/documents.graphql` shows which arguments become variables: test_root_fields.py compares it.
"""

import pytest
from graphql import build_schema

from schema.documents.endpoint_document import endpoint_document, full_selection


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


def test_wrong_selection_is_refused_with_a_sentence() -> None:
    with pytest.raises(ValueError, match=r"^Organization has no fields \['nam'\], and an alias takes the place"):
        endpoint_document("read", "organization", "...fields nam")


SCHEMA = build_schema(
    """
    type Query { badge: Badge }
    type Badge {
      id: ID! kind: Kind size: Size names: [String!]! owner: Member members: [Member!]! old: Int @deprecated last: Int
      days_overdue: Int
    }
    enum Kind { gold silver }
    type Size { width: Int! unit: Unit! }
    type Unit { name: String! digits: Int }
    type Member { user_id: ID! email: String full_name: String! role: String! }
    """
)


def selection(text: str) -> str:
    return full_selection(text, SCHEMA.type_map["Badge"])


@pytest.mark.parametrize(
    ("written", "full"),
    [
        ("...fields", "id kind names last"),
        ("...fields size", "id kind size { width } names last"),
        ("...fields size { unit }", "id kind size { unit { name digits } } names last"),
        ("...fields size { ...fields unit { name } }", "id kind size { width unit { name } } names last"),
        # An embedded member is a user.
        ("...fields owner", "id kind names owner { user_id email full_name } last"),
        ("...fields owner { role }", "id kind names owner { role } last"),
        ("last owner { role } ...fields size", "last owner { role } id kind size { width } names"),
        ("...fields kind: old id @skip(if: true)", "kind: old names last"),
        ("...fields last @include(if: $with_last)", "id kind names last @include(if: $with_last)"),
        ("...fields old", "id kind names old last"),
        ("...fields days_overdue", "id kind names last days_overdue"),
        ("last id", "last id"),
        ("last ...badge", "last ...badge"),
    ],
)
def test_fields_stand_for_leaf_fields_not_written(written: str, full: str) -> None:
    assert selection(written) == full


def test_alias_needs_a_field_of_the_type() -> None:
    with pytest.raises(ValueError, match=r"^Badge has no fields \['latest'\]"):
        selection("...fields latest: last")
