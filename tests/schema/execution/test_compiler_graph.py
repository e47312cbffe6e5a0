"""The compiler over the whole schema, with rows of every table: same data and errors as graphql-core."""

import asyncio
import gc
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from graphql import ExecutionResult, parse, validate
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from db.reading.database import Database
from resolvers.context import Context
from schema.execution.operation import Operation
from schema.schema import GRAPHQL_SCHEMA
from tests.factories.base import THEN
from tests.factories.rows import Rows
from tests.property_tests import examples
from tests.schema.execution.test_compiler import assert_same
from tests.schema.random_documents import Document, documents
from tests.world import World, build

DAYS: st.SearchStrategy[date] = st.sampled_from([THEN.date() + timedelta(days=n) for n in (-1, 0, 1, 20)])
MOMENTS: st.SearchStrategy[datetime] = st.sampled_from([THEN - timedelta(days=1), THEN + timedelta(days=1)])
NAMES = frozenset({"limit", "page", "status", "is_active", "include_deleted", "updated_since", "user_id", "current"})


def values(world: World) -> dict[str, st.SearchStrategy[Any]]:
    ids: list[UUID] = [*world.ids.values(), UUID(int=1)]
    return {
        "UUID": st.sampled_from([str(id_) for id_ in ids]),
        "Date": DAYS.map(str),
        "DateTime": MOMENTS.map(datetime.isoformat),
        "Timezone": st.sampled_from(["UTC", "America/St_Johns"]),
        "Int": st.integers(0, 3),
        "String": st.sampled_from(["A", "EUR"]),
        "Boolean": st.booleans(),
    }


# graphql-core leaves coroutines unawaited when a synchronous sibling fails.
@pytest.mark.filterwarnings("ignore:.* was never awaited:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:.*coroutine object:pytest.PytestUnraisableExceptionWarning")
@pytest.mark.hypothesis
def test_random_documents_over_the_schema_match_graphql_core(owner_url: str, rows: Rows) -> None:
    world = build(rows, "A")
    with asyncio.Runner() as runner:
        database = Database(owner_url)
        runner.run(database.open())

        async def run(operation: Operation, variables: dict[str, Any], *, compiled: bool) -> ExecutionResult:
            new_context = partial(Context, database, world.organization_id, None)
            return await (operation.run if compiled else operation.interpret)(variables, new_context)

        @settings(max_examples=examples(40), deadline=None, suppress_health_check=list(HealthCheck))
        @given(documents(GRAPHQL_SCHEMA, values(world), depth=3, names=NAMES))
        def attempt(document: Document) -> None:
            assert validate(GRAPHQL_SCHEMA, parse(document.text)) == [], document.text
            operation = Operation(document.text)
            ours, theirs = (runner.run(run(operation, document.variables, compiled=each)) for each in (True, False))
            assert_same(document, (ours.data, ours.errors or []), (theirs.data, theirs.errors or []))

        attempt()
        runner.run(database.close())
    # Collect the coroutines now, while their warnings are ignored.
    gc.collect()
