"""The compiler: a compiled operation gives the data and errors of graphql-core's executor, for any document.

Covers `schema/execution/plan.py`, `schema/execution/declared_steps.py`,
`schema/execution/completion.py` and `schema/execution/arguments.py`.
"""

import asyncio
import gc
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import pytest
import strawberry
from graphql import GraphQLError, parse, validate
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strawberry.schema.config import StrawberryConfig

from resolvers.steps.batch import Batch
from resolvers.steps.computed import computed
from schema.execution.operation import Operation
from schema.fields import field
from tests.property_tests import examples
from tests.schema.execution.compiled_graph import CONTEXT, GRAPH, assert_same, execute
from tests.schema.interpreter import interpret
from tests.schema.random_documents import Document, documents

VALUES: dict[str, st.SearchStrategy[Any]] = {
    "Int": st.integers(-1, 6),
    "String": st.sampled_from(["", "none", "a"]),
    "Boolean": st.booleans(),
    "JSON": st.booleans() | st.integers(-1, 6),
}

Answer = tuple[Any, list[GraphQLError]]


def compiled(document: Document) -> Answer:
    result = asyncio.run(execute(Operation(document.text, GRAPH), document.variables))
    return result.data, list(result.errors or ())


def interpreted(document: Document) -> Answer:
    result = asyncio.run(interpret(document.text, document.variables, lambda columns: CONTEXT, GRAPH))
    return result.data, list(result.errors or ())


# graphql-core leaves coroutines unawaited when a synchronous sibling fails.
@pytest.mark.filterwarnings("ignore:.* was never awaited:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:.*coroutine object:pytest.PytestUnraisableExceptionWarning")
@pytest.mark.hypothesis
def test_random_documents_match_graphql_core() -> None:
    @settings(max_examples=examples(60), deadline=None, suppress_health_check=list(HealthCheck))
    @given(documents(GRAPH, VALUES, depth=4))
    def attempt(document: Document) -> None:
        assert validate(GRAPH, parse(document.text)) == [], document.text
        assert_same(document, compiled(document), interpreted(document))

    attempt()
    # Collect the coroutines now, while their warnings are ignored.
    gc.collect()


@pytest.mark.parametrize(
    ("text", "data", "paths"),
    [
        (
            "{ things(count: 2, first: 3) { number things(count: 2) { maybe } } }",
            {
                "things": [
                    {"number": 3, "things": [{"maybe": 3}, {"maybe": None}]},
                    {"number": 4, "things": [{"maybe": None}, {"maybe": 5}]},
                ]
            },
            [["things", 0, "things", 1, "maybe"], ["things", 1, "things", 0, "maybe"]],
        ),
        (
            "{ thing(number: 4) { sibling { often } } text }",
            {"thing": {"sibling": None}, "text": "added 10"},
            [["thing", "sibling", "often"]],
        ),
        ("{ needed(number: -1) { number } text }", None, [["needed"]]),
    ],
)
def test_failed_values_are_null_with_path(text: str, data: Any, paths: list[Any]) -> None:
    actual, errors = compiled(Document(text, {}))
    assert actual == data
    assert [error.path for error in errors] == paths
    assert_same(Document(text, {}), (actual, errors), interpreted(Document(text, {})))


def test_null_flag_is_an_error_before_the_execution() -> None:
    data, errors = compiled(Document("query ($x: Boolean = true) { text @skip(if: $x) }", {"x": None}))
    assert data is None
    (error,) = errors
    assert (error.message, error.path) == ("Variable '$x' must not be null: @skip or @include depends on it.", None)


@pytest.mark.parametrize(
    ("text", "variables"),
    [
        ('{ text __type(name: "Thing") { name } }', {}),
        ('{ first: __type(name: "Thing") { ...T } text } fragment T on __Type { name kind }', {}),
        ("query ($name: String!) { __type(name: $name) { name fields { name type { name } } } }", {"name": "Thing"}),
        ('{ __type(name: "Nothing") { name } }', {}),
        ("{ __schema { queryType { name } } }", {}),
    ],
)
def test_introspection_is_that_of_graphql_core(text: str, variables: dict[str, Any]) -> None:
    document = Document(text, variables)
    assert compiled(document)[0] == interpreted(document)[0]
    assert compiled(document)[1] == []


def test_batched_resolver_is_called_once_per_list() -> None:
    batches: list[int] = []

    async def answer(context: Any, parents: Sequence[Any], arguments: Mapping[str, Any]) -> Sequence[Any]:
        batches.append(len(parents))
        return [parent.number for parent in parents]

    @strawberry.type
    class Row:
        number: int
        again: int = field("A batch.", Batch(answer))

    @strawberry.type(name="Query")
    class Rows:
        rows: list[Row] = field("Rows.", computed()(lambda _: [SimpleNamespace(number=n) for n in range(1000)]))

    graph = strawberry.Schema(Rows, config=StrawberryConfig(auto_camel_case=False))._schema
    result = asyncio.run(execute(Operation("{ rows { number again } }", graph), {}))
    assert result.data == {"rows": [{"number": n, "again": n} for n in range(1000)]}
    assert batches == [1000]


def test_resolver_of_strawberry_is_refused() -> None:
    @strawberry.type(name="Query")
    class Single:
        @strawberry.field
        def number(self) -> int:
            return 1

    graph = strawberry.Schema(Single)._schema
    with pytest.raises(TypeError, match=r"^Query\.number has a resolver or extensions of Strawberry: declare"):
        asyncio.run(execute(Operation("{ number }", graph), {}))
