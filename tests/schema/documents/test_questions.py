"""The questions of the guide have the answers on the demo that stand below them."""

import json
from datetime import UTC, datetime
from typing import Any

from db.admin.engine import connect
from db.reading.database import Database
from db.sample.demo.build import DEMO_ORGANIZATION_ID, insert_organizations
from schema.execution.operation import Executor, Operation
from schema.execution.state import ExecutionBudget
from tests.schema.documents.documented import ANSWERED
from tests.sent import as_sent

STARTED = datetime(2026, 11, 22, 15, tzinfo=UTC)
"""The first start of the demo in the pages."""


async def test_questions_have_their_documented_answers_on_the_demo(own_url: str) -> None:
    engine = connect(own_url)
    with engine.connect() as connection:
        insert_organizations(connection, members=24, now=STARTED)
        connection.commit()
    engine.dispose()
    database = Database(own_url, statement_timeout=60)
    await database.open()
    for question, _, _, objects, answer, document in ANSWERED:
        budget = ExecutionBudget()
        result = await Executor(database).execute(Operation(document), DEMO_ORGANIZATION_ID, {}, budget)
        assert result.errors is None, document
        data = as_sent(result.data)
        has_answer = any(contains(each, json.loads(answer)) for each in (data, *data.values()))
        assert (has_answer, budget.objects) == (True, int(objects)), f"{question}: {data}"
    await database.close()
    assert len(ANSWERED) == 93


def contains(data: Any, part: Any) -> bool:
    """Whether data have all values of a part: keys of objects, and items of lists at any place."""
    if isinstance(part, dict):
        return isinstance(data, dict) and all(key in data and contains(data[key], part[key]) for key in part)
    if isinstance(part, list):
        return isinstance(data, list) and all(any(contains(item, each) for item in data) for each in part)
    return bool(data == part)
