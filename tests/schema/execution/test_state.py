"""Execution state: budgets and errors that stop an execution, and that nothing of it goes on."""

import asyncio
from typing import Any

import orjson
import pytest
from graphql import ExecutionResult
from graphql.execution.values import VariableValues

from schema.execution.operation import Operation
from schema.execution.state import ExecutionBudget, ExecutionState, gather_or_cancel
from tests.schema.execution.compiled_graph import CONTEXT, GRAPH, execute

NARROW = "Use a smaller limit, filters, or fewer nested lists."


async def run(document: str, **limits: int) -> tuple[ExecutionResult, ExecutionBudget]:
    budget = ExecutionBudget(**limits)
    return await execute(Operation(document, GRAPH), {}, budget), budget


@pytest.mark.parametrize("field", ["failed", "refused", "failing", "often"])
async def test_execution_stops_after_a_hundred_errors(field: str) -> None:
    result, _ = await run(f"{{ things(count: 500) {{ {field} }} }}")
    assert result.data is None
    assert result.errors is not None
    assert len(result.errors) == 101
    assert result.errors[-1].message == "The execution was stopped after 100 errors."
    assert result.errors[99].path is not None


def test_orphan_after_a_hundred_others_has_an_error() -> None:
    state = ExecutionState(CONTEXT, VariableValues({}, {}))
    for number in range(101):
        state.add_orphan("Task.project", ["tasks", "results", number])
    assert state.report_orphan(["task"]) is None
    assert [(error.message, error.path) for error in state.errors] == [("Row not found.", ["task"])]


async def test_errors_of_ten_thousand_items_have_their_paths() -> None:
    result, _ = await run("{ things(count: 100) { number things(count: 100) { sometimes(above: 190) } } }")
    assert result.errors is not None
    paths = {tuple(error.path or ()) for error in result.errors}
    assert paths == {("things", n, "things", m, "sometimes") for n in range(100) for m in range(100) if n + m > 190}


async def test_execution_stops_beyond_its_objects() -> None:
    result, _ = await run("{ things(count: 10) { things(count: 10) { number } } }", objects=111)
    assert (result.errors, len(result.data or {})) == (None, 1)
    result, _ = await run("{ things(count: 10) { things(count: 10) { number } } }", objects=110)
    assert result.data is None
    assert [(error.message, error.path, error.extensions) for error in result.errors or ()] == [
        (f"The result has more than 110 objects, at things.things. {NARROW}", None, {"details": {"max_objects": 110}})
    ]


async def test_execution_stops_beyond_its_bytes() -> None:
    document = "{ things(count: 50) { number name texts detail { text } things(count: 3) { name } } text }"
    result, budget = await run(document)
    assert budget.size == len(orjson.dumps(result.data))
    result, _ = await run(document, size=budget.size)
    assert result.errors is None
    result, _ = await run(document, size=budget.size - 1)
    assert [error.extensions for error in result.errors or ()] == [{"details": {"max_bytes": budget.size - 1}}]


@pytest.mark.parametrize(
    "document",
    [
        "{ things(count: 9) { number sibling { name } detail { text } nested things { late echo } } }",
        "{ things(count: 90) { number things(count: 90) { number name detail { text } } } }",
        "{ things(count: 90) { number things(count: 90) { number sometimes(above: 170) detail { text } } } }",
    ],
    ids=["short", "long", "with errors"],
)
async def test_budget_does_not_change_the_data(document: str) -> None:
    plain = await execute(Operation(document, GRAPH), {})
    limited, _ = await run(document)
    assert orjson.dumps(limited.data) == orjson.dumps(plain.data)
    assert list(map(str, limited.errors or ())) == list(map(str, plain.errors or ()))


async def test_long_list_becomes_json_while_it_is_read() -> None:
    """To encode a result of 6 MB in one go held the event loop for 60 ms."""
    result, _ = await run("{ things(count: 90) { things(count: 90) { number name } } }")
    assert result.data is not None
    assert {type(item) for each in result.data["things"] for item in each["things"]} == {orjson.Fragment}


async def test_failure_cancels_the_other_coroutines() -> None:
    ended: list[str] = []

    async def wait() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("cancelled")

    async def fail() -> Any:
        await asyncio.sleep(0)
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await gather_or_cancel([wait(), fail(), wait()])
    await asyncio.sleep(0)
    assert ended == ["cancelled", "cancelled"]
