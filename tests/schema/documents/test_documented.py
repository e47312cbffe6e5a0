"""The documents in the pages on GraphQL: valid, within the limits, with the estimates and answers that stand there.

A block that begins with `{"` is an answer.
"""

import json
import re
import tomllib
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from graphql import GraphQLObjectType

from db.admin.engine import connect
from db.reading.database import Database
from db.sample.demo.build import DEMO_ORGANIZATION_ID, insert_organizations
from schema.documents.cache import DocumentCache
from schema.execution.operation import Executor, Operation
from schema.execution.state import ExecutionBudget
from schema.schema import GRAPHQL_SCHEMA
from tests.helpers.repository import ROOT
from tests.schema.documents.documented import ANSWERED, DOCS, DOCUMENTS, QUESTIONS, QUESTIONS_PAGE
from tests.sent import as_sent

ROWS = QUESTIONS_PAGE.read_text().partition("| question |")[2].partition("\n\n")[0].splitlines()[2:]
"""The rows of the table of questions."""

LISTS_PAGE = (DOCS / "graphql-lists.md").read_text()
UNORDERED = LISTS_PAGE.partition("These have no `order_by`:")[2].partition("- Lists without pages")[0]
"""What the page says of lists with pages that have one order."""


def test_documented_documents_are_within_the_limits() -> None:
    cache = DocumentCache()
    for document in DOCUMENTS:
        assert cache.find(document, None, {}).cost.depth > 0, document


def test_questions_have_the_documented_estimates() -> None:
    documented = [tuple(int(each.replace(",", "")) for each in row.split("|")[2:4]) for row in ROWS]
    costs = [DocumentCache().find(document, None, {}).cost for document in QUESTIONS]
    assert [(cost.rows, cost.depth) for cost in costs] == documented
    assert len(documented) == 5


def test_answered_questions_have_the_documented_estimates() -> None:
    cache = DocumentCache()
    for question, rows, levels, _, _, document in ANSWERED:
        cost = cache.find(document, None, {}).cost
        assert (cost.rows, cost.depth) == (int(rows.replace(",", "")), int(levels)), question


def test_types_without_an_id_are_documented_for_caches() -> None:
    types = [type_ for type_ in GRAPHQL_SCHEMA.type_map.values() if isinstance(type_, GraphQLObjectType)]
    without = {type_.name for type_ in types if "id" not in type_.fields and not type_.name.startswith("__")}
    listed = (DOCS / "graphql-clients.md").read_text().partition("const parts = [")[2].partition("]")[0]
    assert {name for name in without if not name.endswith("Page")} - {"Query"} == set(re.findall(r'"(\w+)"', listed))


def test_lists_with_pages_and_without_order_by_are_documented() -> None:
    assert GRAPHQL_SCHEMA.query_type is not None
    lists = {name: field for name, field in GRAPHQL_SCHEMA.query_type.fields.items() if "limit" in field.args}
    unordered = {name for name, field in lists.items() if "order_by" not in field.args}
    assert unordered == set(re.findall(r"`(\w+)`", UNORDERED)) & set(lists) - {"members", "time_totals"}


SCALARS = set(re.findall(r"^scalar (\w+)", (ROOT / "schema" / "schema.graphql").read_text(), re.MULTILINE))
EXAMPLES = ROOT / "examples" / "graphql"


def of_python() -> list[str]:
    return [*tomllib.loads((EXAMPLES / "python" / "pyproject.toml").read_text())["tool"]["ariadne-codegen"]["scalars"]]


def of_typescript() -> list[str]:
    scalars = (EXAMPLES / "typescript" / "codegen.ts").read_text().partition("scalars: {")[2].partition("}")[0]
    return re.findall(r"(\w+): \"", scalars)


def of_the_guide() -> list[str]:
    table = (ROOT / "docs" / "graphql-clients.md").read_text().partition("| scalar |")[2].partition("\n\n")[0]
    return [name for row in table.splitlines()[2:] for name in re.findall(r"`(\w+)`", row.split("|")[1])]


@pytest.mark.parametrize("mapped", [of_python, of_typescript, of_the_guide])
def test_every_scalar_is_mapped(mapped: Callable[[], list[str]]) -> None:
    assert sorted(mapped()) == sorted(SCALARS)


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
