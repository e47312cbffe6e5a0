"""The questions of the guide: on a small seeded organization, each edge of the larger documents has rows; on the demo,
the others have the answers that stand below them.
"""

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from graphql import FieldNode, OperationDefinitionNode, SelectionSetNode, parse

from db.admin.engine import connect
from db.reading.database import Database
from db.sample.demo.build import DEMO_ORGANIZATION_ID, insert_organizations
from db.sample.seed.build import seed
from rest_facade.composition import Service
from schema.execution.operation import Executor, Operation
from schema.execution.state import ExecutionBudget
from tests.schema.documents.documented import ANSWERED, QUESTIONS
from tests.sent import as_sent

TODAY = date(2026, 11, 3)
"""The day of the seed. The days before it are in October, which the documents ask for."""

DAYS = {"2026-11-22": TODAY, "2026-12-22": TODAY + timedelta(days=30)}
"""Today in the documents, and a month later, with the days that replace them."""

STARTED = datetime(2026, 11, 22, 15, tzinfo=UTC)
"""The first start of the demo in the pages."""


@pytest.fixture(scope="module")
def seeded(owner_url: str) -> Iterator[UUID]:
    with connect(owner_url).connect() as connection:
        (own,) = seed(connection, organizations=1, members=40, days=7, today=TODAY)
        connection.commit()
        yield own


@pytest.mark.parametrize("document", QUESTIONS)
async def test_question_finds_rows_at_each_edge(service: Service, seeded: UUID, document: str) -> None:
    text = document
    for day, replacing in DAYS.items():
        text = text.replace(day, str(replacing))
    result = await Executor(service.database).execute(Operation(text), seeded, {})
    assert result.errors is None
    definition = parse(text).definitions[0]
    assert isinstance(definition, OperationDefinitionNode)
    assert [path for path in edges_of(definition.selection_set) if not objects_at(result.data, path)] == []


def edges_of(selection: SelectionSetNode, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The paths of the fields that have objects."""
    for node in selection.selections:
        if isinstance(node, FieldNode) and node.selection_set is not None:
            path = (*above, node.name.value)
            yield path
            yield from edges_of(node.selection_set, path)


def objects_at(data: Any, path: Sequence[str]) -> list[Any]:
    """The objects at a path of the data, those of lists one by one."""
    if isinstance(data, list):
        return [each for item in data for each in objects_at(item, path)]
    if data is None or not path:
        return [] if data is None else [data]
    return objects_at(data[path[0]], path[1:])


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
