"""Nested documents over all edges: the same data as by graphql-core, of one organization, in few statements.

Covers `resolvers/relations/indirect.py`, `resolvers/relations/embedded.py` and `resolvers/lists/local_day.py`.
"""

import asyncio
import gc
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

import orjson
import pytest
from graphql import ExecutionResult
from hypothesis import HealthCheck, given, settings

from db.reading.database import BoundStatement, Database
from resolvers import context
from resolvers.context import Context
from schema.execution.operation import Operation
from schema.schema import GRAPHQL_SCHEMA
from tests import world as worlds
from tests.factories import activity, leaves, money, timesheets
from tests.factories.base import THEN
from tests.factories.rows import Rows
from tests.property_tests import examples
from tests.schema.edge_documents import WIDE, edge_documents, edges_in

NOW = THEN + timedelta(days=1)
DAY = f'"{THEN.date()}"'
LITERALS = {"start_date": DAY, "end_date": DAY, "date": DAY}

STATEMENTS_OF_AN_EDGE = 2
"""An id or an array of ids, and the rows; a page, and the time zone."""


class CountingDatabase(Database):
    """A database that counts its statements."""

    statements = 0

    async def read(self, organization_id: UUID, statements: Sequence[BoundStatement], *, is_heavy: bool = False) -> Any:
        self.statements += len(statements)
        return await super().read(organization_id, statements, is_heavy=is_heavy)


def as_sent(result: ExecutionResult) -> bytes:
    return orjson.dumps(result.data, option=orjson.OPT_UTC_Z)


# graphql-core leaves coroutines unawaited when a synchronous sibling fails.
@pytest.mark.filterwarnings("ignore:.* was never awaited:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:.*coroutine object:pytest.PytestUnraisableExceptionWarning")
@pytest.mark.hypothesis
def test_documents_over_edges(owner_url: str, rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (worlds, activity, leaves, money, timesheets):
        monkeypatch.setattr(module, "SIZE", WIDE)
    own = worlds.build(rows, "A").organization_id
    worlds.build(rows, "B")

    def now() -> datetime:
        return NOW

    monkeypatch.setattr(context, "clock", now)
    with asyncio.Runner() as runner:
        database = CountingDatabase(owner_url)
        runner.run(database.open())
        new_context = partial(Context, database, own, None)

        @settings(max_examples=examples(15), deadline=None, suppress_health_check=list(HealthCheck))
        @given(edge_documents(GRAPHQL_SCHEMA, LITERALS, depth=4))
        def attempt(document: str) -> None:
            operation = Operation(document)
            operation.prepare()
            database.statements = 0
            rendered = runner.run(operation.run({}, new_context))
            assert rendered.errors is None, document
            assert database.statements <= 1 + STATEMENTS_OF_AN_EDGE * edges_in(document), document
            compiled = runner.run(Operation(document).run({}, new_context))
            interpreted = runner.run(operation.interpret({}, new_context))
            assert as_sent(rendered) == as_sent(compiled) == as_sent(interpreted), document
            assert b'"B-' not in as_sent(rendered), document

        try:
            attempt()
        finally:
            runner.run(database.close())
    # Collect the coroutines now, while their warnings are ignored.
    gc.collect()
