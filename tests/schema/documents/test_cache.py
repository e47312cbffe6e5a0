"""Documents from outside: what they are refused for, in which order, and what is kept of them."""

from typing import Any

import pytest
from graphql import get_introspection_query

from schema.documents import cache as documents
from schema.documents.cache import DocumentCache
from schema.execution.operation import InvalidDocument, Operation


def refused(text: str, name: str | None = None, introspection: bool = True, **variables: Any) -> list[Any]:
    with pytest.raises(InvalidDocument) as caught:
        DocumentCache(introspection=introspection).find(text, name, variables)
    return [error.formatted for error in caught.value.errors]


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """The names of the operations that were validated and compiled, in order."""
    built: list[str | None] = []

    init = Operation.__init__

    def build(self: Operation, document: Any, schema: Any, name: str | None) -> None:
        built.append(name)
        init(self, document, schema, name)

    monkeypatch.setattr(Operation, "__init__", build)
    return built


def test_a_thousand_tokens_are_parsed_and_no_more() -> None:
    # Twelve of them stand around the ids.
    ids = '"01890a5d-ac96-774b-bcce-b302099a8057" '
    assert DocumentCache().find(f"{{ projects(id: [{ids * 988}]) {{ count }} }}", None, {}).size.depth == 2
    (error,) = refused(f"{{ projects(id: [{ids * 989}]) {{ count }} }}")
    assert error["message"] == "Syntax Error: Document contains more than 1000 tokens. Parsing aborted."


def test_comments_are_no_way_around_that() -> None:
    assert DocumentCache().find("#\n" * 1_000 + "{ organization { name } }", None, {})
    (error,) = refused("#\n" * 1_001 + "{ organization { name } }")
    assert "Syntax Error" in error["message"]


@pytest.mark.parametrize(
    "text", ["{a" * 400, "{a" * 300 + "}" * 300, "{ members(id: " + "[" * 900, "{...on Query" * 300]
)
def test_what_is_nested_too_deeply_is_refused_when_it_is_parsed(text: str) -> None:
    (error,) = refused(text)
    assert error["message"] == "Syntax Error: Document is nested too deeply. Parsing aborted."


def test_what_is_wrong_is_told_with_its_place() -> None:
    assert refused("{\n  organization {\n    name") == [
        {"message": "Syntax Error: Expected Name, found <EOF>.", "locations": [{"line": 3, "column": 9}]}
    ]
    assert refused("{\n  organization { nam }\n}") == [
        {
            "message": "Cannot query field 'nam' on type 'Organization'. Did you mean 'name'?",
            "locations": [{"line": 2, "column": 18}],
        }
    ]
    assert refused("{ organization { ...f } }") == [
        {"message": "Unknown fragment 'f'.", "locations": [{"line": 1, "column": 21}]}
    ]


def test_limits_are_judged_before_anything_is_validated(built: list[str | None]) -> None:
    (error,) = refused("{ a b c d e f }")
    assert error == {
        "message": "The operation has 6 root fields; at most 5 are allowed.",
        "extensions": {"details": {"given": 6, "maximum": 5}},
    }
    assert built == []


def test_limits_are_judged_each_time_with_the_variables_of_that_time(built: list[str | None]) -> None:
    found = DocumentCache()
    text = "query ($n: Int!) { projects(limit: $n) { results { tasks(limit: $n) { count } } } }"
    assert found.find(text, None, {"n": 70}).size.rows == 70 + 70 * 70
    with pytest.raises(InvalidDocument, match="5112 rows"):
        found.find(text, None, {"n": 71})
    with pytest.raises(InvalidDocument, match="limit must be from 1 to 100"):
        found.find(text, None, {"n": 0})
    assert built == [None]


def test_a_document_is_validated_once_whether_it_is_valid_or_not(built: list[str | None]) -> None:
    found = DocumentCache()
    for _ in range(3):
        assert found.find("query a { organization { name } }", None, {}).operation.name == "a"
        with pytest.raises(InvalidDocument, match="'nam'"):
            found.find("query b { organization { nam } }", None, {})
    assert built == ["a", "b"]


def test_only_the_last_documents_are_kept(built: list[str | None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MOST_KEPT", 2 * documents.EACH_KEPT + 200)
    found = DocumentCache()

    def find(names: str, comment: str = "") -> None:
        for name in names:
            found.find(f"query {name} {{ organization {{ name }} }}{comment}", None, {})

    find("abacab")
    assert built == ["a", "b", "c", "b"]
    # A long one takes the place of two.
    find("d", f"#{'-' * documents.EACH_KEPT}")
    find("ab")
    assert built == ["a", "b", "c", "b", "d", "a", "b"]


def test_a_document_that_is_too_long_for_that_takes_the_place_of_all(built: list[str | None]) -> None:
    found = DocumentCache()
    for name, length in (("a", 0), ("b", documents.MOST_KEPT), ("b", documents.MOST_KEPT), ("a", 0)):
        text = f"query {name} {{ organization {{ name }} }}#{'-' * length}"
        assert found.find(text, None, {}).operation.name == name
    assert built == ["a", "b", "a"]


def test_of_several_operations_the_named_one_is_found() -> None:
    several = "query a { organization { name } } query b { projects { count } }"
    found = DocumentCache()
    assert found.find(several, "a", {}).size.rows == 0
    assert found.find(several, "b", {}).size.rows == 50
    assert refused(several) == [{"message": "Expected one operation, found 2."}]
    assert refused(several, "c") == [{"message": "Expected one operation called 'c', found 0."}]
    assert refused("fragment f on Organization { name }") == [{"message": "Expected one operation, found 0."}]


def test_a_fault_of_another_operation_is_one_of_the_document() -> None:
    (error,) = refused("query a { organization { name } } query b { organization { nam } }", "a")
    assert "'nam'" in error["message"]


@pytest.mark.parametrize(
    "text",
    [
        get_introspection_query(),
        # What GraphiQL asks.
        get_introspection_query(schema_description=True, input_value_deprecation=True, specified_by_url=True),
        '{ innocent: __type(name: "Query") { name } }',
        "{ ...f } fragment f on Query { ... { __schema { queryType { name } } } }",
    ],
)
def test_introspection_can_be_turned_off(text: str) -> None:
    assert DocumentCache().find(text, None, {})
    assert refused(text, introspection=False) == [{"message": "Introspection is off."}]


def test_names_of_types_can_always_be_asked_for() -> None:
    assert DocumentCache(introspection=False).find("{ __typename organization { __typename } }", None, {})
