"""Nested documents over all edges: the same data as by graphql-core, of one organization, whatever number of rows.

An organization of one copy of a world and one of several cost exactly the same statements and round trips
(`tests.schema.copied_worlds`), if the document asks for all copies alike. Whatever it asks for, an edge costs at most
two statements.

Covers `resolvers/relations/indirect.py`, `resolvers/relations/embedded.py` and `resolvers/lists/local_day.py`.
"""

import asyncio
import gc
from collections.abc import Awaitable, Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

import orjson
import pytest
from graphql import ExecutionResult
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from resolvers import context
from resolvers.context import Context
from resolvers.period import organization_zone
from schema.execution.operation import Operation
from schema.execution.state import MAX_ERRORS
from schema.schema import GRAPHQL_SCHEMA
from tests.factories.base import THEN
from tests.factories.rows import Rows
from tests.property_tests import examples
from tests.schema.copied_worlds import (
    COPIES,
    LITERALS,
    Cost,
    CountingDatabase,
    copied,
    copies_of,
    fixed_clock,
    small_lists,
)
from tests.schema.edge_documents import UNKNOWN, EdgeDocument, edge_documents, edges_in
from tests.schema.execution.test_compiler import assert_same
from tests.schema.field_documents import IDS
from tests.schema.interpreter import interpret
from tests.schema.test_edges import TYPES

STATEMENTS_OF_AN_EDGE = 2
"""An id or an array of ids, and the rows; a page, and the time zone."""

VALUES: dict[str, st.SearchStrategy[Any]] = {
    "Date": st.sampled_from([str(THEN.date() + timedelta(days=n)) for n in (-1, 0, 1)]),
    "DateTime": st.sampled_from([datetime.isoformat(THEN + timedelta(days=n)) for n in (-1, 1)]),
    "Timezone": st.sampled_from(["UTC", "America/St_Johns"]),
    "Int": st.integers(0, 2),
    "String": st.sampled_from(["", "EUR"]),
    "Boolean": st.booleans(),
}


def as_sent(result: ExecutionResult) -> bytes:
    return orjson.dumps(result.data, option=orjson.OPT_UTC_Z)


def of_all_copies(variables: Mapping[str, Any]) -> dict[str, Any]:
    """The variables with the ids of all copies in place of those of the first."""
    return {
        name: [str(each) for id_ in value for each in copies_of(UUID(id_), UNKNOWN)] if name.startswith(IDS) else value
        for name, value in variables.items()
    }


# graphql-core leaves coroutines unawaited when a synchronous sibling fails.
@pytest.mark.filterwarnings("ignore:.* was never awaited:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:.*coroutine object:pytest.PytestUnraisableExceptionWarning")
@pytest.mark.hypothesis
def test_documents_over_edges(owner_url: str, rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    small_lists(monkeypatch)
    monkeypatch.setattr(context, "clock", fixed_clock)
    one, all_ = copied(rows, "B", 1), copied(rows, "A", COPIES)
    ids = {type_: one.ids[table] for table, type_ in TYPES.items()}
    with asyncio.Runner() as runner:
        database = CountingDatabase(owner_url)
        runner.run(database.open())
        of_one, of_all = (partial(Context, database, size.organization_id, None) for size in (one, all_))
        for new_context in (of_one, of_all):
            # Later executions know the zone, and read it beside what depends on it.
            runner.run(organization_zone(new_context()))

        def executed(execution: Awaitable[ExecutionResult]) -> tuple[ExecutionResult, Cost]:
            return runner.run(database.counted(execution))

        @settings(max_examples=examples(15), deadline=None, suppress_health_check=list(HealthCheck))
        @given(edge_documents(GRAPHQL_SCHEMA, VALUES, ids, LITERALS, depth=4))
        def attempt(document: EdgeDocument) -> None:
            shown = f"{document.text} {document.variables}"
            variables = of_all_copies(document.variables)
            operation = Operation(document.text)
            compiled, cost = executed(operation.run(variables, of_all))
            assert cost.statements <= 1 + STATEMENTS_OF_AN_EDGE * edges_in(document.text), shown
            if document.is_even:
                assert executed(operation.run(document.variables, of_one))[1] == cost, shown
            assert b'"B-' not in as_sent(compiled), shown
            interpreted = runner.run(interpret(document.text, variables, of_all))
            if len(interpreted.errors or ()) < MAX_ERRORS:
                results = ((each.data, each.errors or []) for each in (compiled, interpreted))
                assert_same(document, *results)

        try:
            attempt()
        finally:
            runner.run(database.close())
    # Collect the coroutines now, while their warnings are ignored.
    gc.collect()
