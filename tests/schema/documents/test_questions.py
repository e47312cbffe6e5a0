"""The questions in `docs/graphql-questions.md` on a small seeded organization: each edge of each document has rows."""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Any
from uuid import UUID

import pytest
from graphql import FieldNode, OperationDefinitionNode, SelectionSetNode, parse

from db.admin.engine import connect
from db.sample.seed.build import seed
from rest_facade.composition import Service
from schema.execution.executor import Executor
from schema.execution.operation import Operation
from tests.schema.documents.test_documented import QUESTIONS

TODAY = date(2026, 11, 3)
"""The day of the seed. The days before it are in October, which the documents ask for."""

DAYS = {"2026-11-22": TODAY, "2026-12-22": TODAY + timedelta(days=30)}
"""Today in the documents, and a month later, with the days that replace them."""


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
    assert result.failures == []
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
