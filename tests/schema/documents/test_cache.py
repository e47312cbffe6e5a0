"""The document cache: refused documents and variables, the order of checks, validation once, eviction, introspection.

Covers `schema/documents/team_cache.py` and `schema/documents/variable_limits.py`.
"""

import asyncio
import gc
import weakref
from typing import Any

import pytest
from graphql import Token, get_introspection_query

from schema.documents import cache
from schema.documents.cache import DocumentCache, LimitExceeded
from schema.documents.variable_limits import variable_errors
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

    def build(self: Operation, document: Any, *, name: str | None) -> None:
        built.append(name)
        init(self, document, name=name)

    monkeypatch.setattr(Operation, "__init__", build)
    return built


def test_document_has_at_most_1000_tokens() -> None:
    # Twelve tokens besides the ids.
    ids = '"01890a5d-ac96-774b-bcce-b302099a8057" '
    assert DocumentCache().find(f"{{ projects(id: [{ids * 988}]) {{ count }} }}", None, {}).cost.depth == 2
    (error,) = refused(f"{{ projects(id: [{ids * 989}]) {{ count }} }}")
    assert error["message"] == "Syntax Error: Document contains more than 1000 tokens. Parsing aborted."
    # Comments count, too.
    assert DocumentCache().find("#\n" * 1_000 + "{ organization { name } }", None, {})
    (error,) = refused("#\n" * 1_001 + "{ organization { name } }")
    assert "Syntax Error" in error["message"]


@pytest.mark.parametrize(
    "text", ["{a" * 400, "{a" * 300 + "}" * 300, "{ members(id: " + "[" * 900, "{...on Query" * 300]
)
def test_deep_nesting_is_refused_by_the_parser(text: str) -> None:
    (error,) = refused(text)
    assert error["message"] == "Syntax Error: Document is nested too deeply. Parsing aborted."


def test_errors_have_locations() -> None:
    assert refused("{\n  organization {\n    name") == [
        {"message": "Syntax Error: Expected Name, found <EOF>.", "locations": [{"line": 3, "column": 9}]}
    ]
    (error,) = refused("{\n  organization { nam }\n}")
    assert error["message"] == "Cannot query field 'nam' on type 'Organization'. Did you mean 'name'?"
    assert error["locations"] == [{"line": 2, "column": 18}]


def test_limits_are_checked_before_validation(built: list[str | None]) -> None:
    (error,) = refused("{ a b c d e f g h i j k l m n o p }")
    assert error == {
        "message": "The operation has 16 root fields; at most 15 are allowed.",
        "extensions": {"details": {"limit": "fields", "given": 16, "maximum": 15}},
    }
    assert built == []


def test_limits_are_checked_with_each_variables(built: list[str | None]) -> None:
    documents = DocumentCache()
    text = "query ($n: Int!) { projects(limit: $n) { results { tasks(limit: $n) { next } } } }"
    assert documents.find(text, None, {"n": 70}).cost.rows == 70 + 70 * 70
    with pytest.raises(InvalidDocument, match="5112 rows"):
        documents.find(text, None, {"n": 71})
    with pytest.raises(InvalidDocument, match="limit must be from 1 to 100"):
        documents.find(text, None, {"n": 0})
    assert built == [None]


def test_document_is_validated_once(built: list[str | None]) -> None:
    documents = DocumentCache()
    for _ in range(3):
        assert documents.find("query a { organization { name } }", None, {}).operation.name == "a"
        with pytest.raises(InvalidDocument, match="'nam'"):
            documents.find("query b { organization { nam } }", None, {})
    assert built == ["a", "b"]


def test_least_recently_used_documents_are_evicted(built: list[str | None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MAX_CACHED_CHARACTERS", 2 * cache.ENTRY_OVERHEAD + 1_000)
    documents = DocumentCache()

    def find(names: str, comment: str = "") -> None:
        for name in names:
            documents.find(f"query {name} {{ organization {{ name }} }}{comment}", None, {})

    find("abacab")
    assert built == ["a", "b", "c", "b"]
    # A long document evicts two. The same one without its comment is not another.
    find("d", f"#{'-' * cache.ENTRY_OVERHEAD}")
    find("d")
    find("ab")
    assert built == ["a", "b", "c", "b", "d", "a", "b"]


def test_tokens_count_in_the_size_of_the_cache(built: list[str | None], monkeypatch: pytest.MonkeyPatch) -> None:
    """A full collection went through the short tokens of 139 documents, and held the event loop for 170 ms."""
    monkeypatch.setattr(cache, "MAX_CACHED_CHARACTERS", 4 * cache.ENTRY_OVERHEAD)
    documents = DocumentCache()
    for name, fields in (("a", 1), ("b", 1), ("c", 200), ("b", 1), ("a", 1)):
        documents.find(f"query {name} {{ organization {{ {'name ' * fields}}} }}", None, {})
    assert built == ["a", "b", "c", "a"]


def test_document_longer_than_the_cache_evicts_all(built: list[str | None]) -> None:
    documents = DocumentCache()
    whole = cache.MAX_CACHED_CHARACTERS
    for name, length in (("a", 0), ("b", whole), ("b", whole), ("a", 0)):
        text = f"query {name} {{ organization {{ name }} }}#{'-' * length}"
        assert documents.find(text, None, {}).operation.name == name
    assert built == ["a", "b", "a"]


def test_documents_of_one_team_do_not_evict_others(built: list[str | None]) -> None:
    documents = DocumentCache()
    documents.find("query victim { organization { name } }", None, {}, "BI")
    for number in range(40):
        documents.find(f"query {'a' * 60_000}{number} {{ organization {{ name }} }}", None, {}, "attacker")
    documents.find("query victim { organization { name } }", None, {}, "BI")
    assert built.count("victim") == 1


class Circle:
    """An object that only a collection frees."""

    def __init__(self) -> None:
        self.itself = self


def test_old_garbage_is_collected_within_1300_documents() -> None:
    circle = Circle()
    reference = weakref.ref(circle)
    # Now it belongs to the oldest objects.
    gc.collect()
    del circle
    for _ in range(1_300):
        cache.collect_garbage()
    assert reference() is None


def test_cached_document_keeps_no_tokens() -> None:
    def tokens() -> int:
        gc.collect()
        return sum(type(each) is Token for each in gc.get_objects())

    documents, before = DocumentCache(), tokens()
    documents.find("{ projects(limit: 1) { results { id name } } }", None, {})
    assert tokens() == before


def test_comments_and_white_space_make_no_other_document(built: list[str | None]) -> None:
    documents = DocumentCache()
    for text in (
        "query a{organization{name}}",
        "query a {\n  organization, { name } # why\n}",
        "#\nquery a{organization{name}}",
    ):
        assert documents.find(text, None, {}).operation.name == "a"
    assert built == ["a"]
    text = 'query b { clients(search: "%s") { count } }'
    assert documents.find(text % "a b", None, {}) != documents.find(text % "a  b", None, {})


def test_error_of_a_document_in_another_shape_has_its_locations() -> None:
    documents = DocumentCache()
    for text, line in (("{ organization { nam } }", 1), ("{ organization {\n\n nam } }", 3)):
        with pytest.raises(InvalidDocument) as caught:
            documents.find(text, None, {})
        assert caught.value.errors[0].locations is not None
        assert caught.value.errors[0].locations[0].line == line


def test_operation_is_found_by_name() -> None:
    several = "query a { organization { name } } query b { projects { next } }"
    documents = DocumentCache()
    assert documents.find(several, "a", {}).cost.rows == 0
    assert documents.find(several, "b", {}).cost.rows == 20
    # An error in another operation refuses the document.
    (error,) = refused("query a { organization { name } } query b { organization { nam } }", "a")
    assert "'nam'" in error["message"]


@pytest.mark.parametrize(
    "text",
    [
        get_introspection_query(),
        # The query of GraphiQL.
        get_introspection_query(schema_description=True, input_value_deprecation=True, specified_by_url=True),
        '{ innocent: __type(name: "Query") { name } }',
        "{ ...f } fragment f on Query { ... { __schema { queryType { name } } } }",
    ],
)
def test_introspection_can_be_disabled(text: str) -> None:
    assert DocumentCache().find(text, None, {})
    assert refused(text, introspection=False) == [{"message": "Introspection is off."}]


def test_typename_is_always_allowed() -> None:
    assert DocumentCache(introspection=False).find("{ __typename organization { __typename } }", None, {})


async def test_tokens_take_turns_in_the_thread(built: list[str | None]) -> None:
    """A document waited behind all new ones of another token, 0.4 s."""
    documents = DocumentCache()

    async def prepare(token: str, name: str) -> None:
        await documents.prepare(f"query {name} {{ organization {{ name }} }} #{name}", name, {}, "team", token=token)

    first = [("one", "A"), ("one", "B"), ("one", "C"), ("other", "D")]
    async with asyncio.TaskGroup() as group:
        for token, name in first:
            group.create_task(prepare(token, name))
    assert built == ["A", "D", "B", "C"]


QUERY = "query ($w: ClientWhere) { clients(limit: 1, where: $w) { count } }"


def nested(levels: int) -> dict[str, Any]:
    return {"_not": nested(levels - 1)} if levels else {}


@pytest.mark.parametrize(
    ("where", "limit", "what", "given", "maximum"),
    [
        ({"_or": [{}] * 21_000}, "variable_values", "values", 21_002, 2_000),
        ({"_or": [{"name": {"_eq": "a"}}] * 2_000}, "variable_values", "values", 6_002, 2_000),
        ({"name": {"_in": ["a"] * 15_000}}, "variable_values", "values", 15_003, 2_000),
        ({f"unknown{number}": 1 for number in range(2_000)}, "variable_values", "values", 2_001, 2_000),
        (nested(15), "variable_depth", "levels of lists and objects", 17, 16),
    ],
)
def test_variables_beyond_a_limit_are_refused(where: Any, limit: str, what: str, given: int, maximum: int) -> None:
    with pytest.raises(LimitExceeded) as refused:
        DocumentCache().find(QUERY, None, {"w": where})
    (error,) = refused.value.errors
    assert error.message == f"The variables have {given} {what}; at most {maximum} are allowed."
    assert error.extensions == {"details": {"limit": limit, "given": given, "maximum": maximum}}


def test_variables_at_the_limits_are_accepted() -> None:
    assert variable_errors({}) == []
    assert variable_errors({"w": {"name": {"_in": ["a"] * 1_997}}}) == []
    assert variable_errors({"w": nested(14)}) == []


def test_variables_are_coerced_once() -> None:
    found = DocumentCache().find(QUERY, None, {"w": {"name": {"_eq": "a"}}})
    assert found.variables.values.coerced == {"w": {"name": {"_eq": "a"}}}
