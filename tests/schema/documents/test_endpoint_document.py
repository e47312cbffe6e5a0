"""Documents of endpoints: arguments of the schema become variables, `...fields` leaf fields; others are refused."""

from typing import Any

import pytest
from graphql import build_schema

from schema.documents.endpoint_document import endpoint_document, full_selection
from schema.schema import GRAPHQL_SCHEMA

PAGING = ("limit", "page", "after")


def document(fields: str, selection: str = "id", **options: Any) -> str:
    return endpoint_document("read", fields, selection, **options)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ("organization", "query read { organization { id } }"),
        (
            "screenshots",
            (
                "query read($user_id: UUID!, $date: Date!, $timezone: Timezone, $project_id: UUID) "
                "{ screenshots(user_id: $user_id, date: $date, timezone: $timezone, project_id: $project_id) { id } }"
            ),
        ),
        # An outer field has the written arguments only.
        (
            "member(id: $person, current: true) { payment_settings }",
            "query read($person: UUID!) { member(id: $person, current: true) { payment_settings { id } } }",
        ),
    ],
)
def test_arguments_of_last_field_become_variables(fields: str, expected: str) -> None:
    assert document(fields) == expected


def test_variables_have_defaults_but_those_of_paging() -> None:
    assert GRAPHQL_SCHEMA.query_type is not None
    left_out = GRAPHQL_SCHEMA.query_type.fields["clients"].args.keys() - {*PAGING, "include_deleted"}
    assert document("clients", without=left_out, paging=PAGING) == (
        "query read($page: Int!, $limit: Int!, $after: String, $include_deleted: Boolean! = false) "
        "{ clients(page: $page, limit: $limit, after: $after, include_deleted: $include_deleted) { id } }"
    )
    assert document("clients", without=[*left_out, "include_deleted"]).startswith(
        "query read($page: Int! = 1, $limit: Int! = 20, $after: String) "
    )


def test_written_arguments_come_first() -> None:
    fields = "project(id: $project_id) { members(user_id: $person, role: $role) }"
    assert document(fields, without=["id", "project_id", "include_deleted"], paging=PAGING) == (
        "query read($project_id: UUID!, $page: Int!, $limit: Int!, $after: String, "
        "$person: UUID, $role: [ProjectRole!], $is_active: Boolean, $updated_since: DateTime) "
        "{ project(id: $project_id) { members(page: $page, limit: $limit, after: $after, "
        "user_id: $person, role: $role, is_active: $is_active, updated_since: $updated_since) { id } } }"
    )


def test_days_come_before_filters_and_changes_after_them() -> None:
    assert document("app_reports", without=["team_id", "app_name", "productivity"], paging=PAGING).startswith(
        "query read($page: Int!, $limit: Int!, $after: String, $start_date: Date!, $end_date: Date!, "
        "$timezone: Timezone, $user_id: UUID, $project_id: UUID, $updated_since: DateTime) "
    )


def test_days_without_timezone_keep_their_place() -> None:
    written = document("invoices", without=["id", "client_id", "project_id", "status", "is_overdue", "currency"])
    assert "$number: String, $start_date: Date, $end_date: Date, $updated_since: DateTime, " in written


def test_conditions_are_variables_that_are_false_by_default() -> None:
    assert document(
        "organization", "id @include(if: $with_id) name @skip( if : $short ) country @include(if: $with_id)"
    ) == (
        "query read($with_id: Boolean! = false, $short: Boolean! = false) "
        "{ organization { id @include(if: $with_id) name @skip(if: $short) country @include(if: $with_id) } }"
    )


def test_condition_of_an_argument_has_its_type() -> None:
    written = document("url_reports(with_pages: $detail_url)", "pages @include(if: $detail_url)")
    assert written.count("$detail_url: Boolean! = false") == 1
    assert "with_pages: $detail_url" in written


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
        document("organization", "...fields nam")


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
