"""The example queries of GraphiQL: each returns rows of the demo and uses no deprecated field."""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime
from typing import Any
from unittest.mock import patch

import pytest
from graphql import (
    FieldNode,
    NoDeprecatedCustomRule,
    OperationDefinitionNode,
    SelectionSetNode,
    parse,
    print_ast,
    validate,
)

from db.sample.demo.build import DEMO_ORGANIZATION_ID, insert_organizations
from rest_facade.internal.examples import (
    AREA_TITLES,
    EXAMPLES_FOLDER,
    days_of_variables,
    example_queries,
    examples_page,
    parse_examples,
)
from schema.schema import GRAPHQL_SCHEMA
from tests.factories.rows import Rows
from tests.rest_facade.conftest import Vary
from tests.rest_facade.graphql.client import connected
from tests.schema.documents.documented import QUESTIONS

NOW = datetime(2026, 3, 2, 14, 25, 36, tzinfo=UTC)
EXAMPLES = [example for examples in example_queries().values() for example in examples]


async def test_every_example_returns_rows_of_the_demo(vary: Vary, own_url: str, database: Rows) -> None:
    insert_organizations(database.connection, now=NOW)
    database.connection.commit()
    without_rows = {}
    async with vary(url=own_url) as service:
        client = connected(service, database, DEMO_ORGANIZATION_ID)
        with patch("resolvers.context.clock", lambda: NOW):
            for area in examples_page(NOW.date()):
                for example in area["examples"]:
                    body = {name: example[name] for name in ("query", "variables")}
                    response = (await client.send(body | {"extensions": {"cost": True}})).json()
                    assert "errors" not in response, (example["title"], response)
                    without_rows[example["title"]] = list(empty_fields(example["query"], response["data"]))
    assert without_rows == {example.title: [] for example in EXAMPLES}


def empty_fields(query: str, data: Any) -> Iterator[str]:
    """The paths of the fields with subfields that have no object anywhere in the data."""
    (operation,) = parse(query).definitions
    assert isinstance(operation, OperationDefinitionNode)
    yield from _empty_fields(operation.selection_set, [data], "")


def _empty_fields(selections: SelectionSetNode, parents: list[Any], path: str) -> Iterator[str]:
    for field in selections.selections:
        assert isinstance(field, FieldNode)
        if field.selection_set is None:
            continue
        name = f"{path}.{field.name.value}".lstrip(".")
        children = list(objects(parent[field.name.value] for parent in parents))
        if not children:
            yield name
        else:
            yield from _empty_fields(field.selection_set, children, name)


def objects(values: Iterable[Any]) -> Iterator[Any]:
    """The objects among values that are an object, a list of objects, or None."""
    for value in values:
        if isinstance(value, list):
            yield from objects(value)
        elif value is not None:
            yield value


def test_no_example_uses_a_deprecated_field() -> None:
    assert {
        example.name: [error.message for error in errors]
        for example in EXAMPLES
        if (errors := validate(GRAPHQL_SCHEMA, parse(example.query), [NoDeprecatedCustomRule]))
    } == {}


def test_every_area_has_a_file_with_examples() -> None:
    assert {file.name for file in EXAMPLES_FOLDER.iterdir()} == {f"{area}.graphql" for area in AREA_TITLES}
    assert [len(examples) >= 2 for examples in example_queries().values()] == [True] * len(AREA_TITLES)


def test_names_and_titles_are_unique() -> None:
    assert len({example.name for example in EXAMPLES}) == len(EXAMPLES)
    assert len({example.title for example in EXAMPLES}) == len(EXAMPLES)


@pytest.mark.parametrize(
    ("today", "workday"),
    [
        (date(2026, 3, 1), date(2026, 2, 27)),
        (date(2026, 3, 2), date(2026, 2, 27)),
        (date(2026, 3, 3), date(2026, 3, 2)),
        (date(2026, 3, 7), date(2026, 3, 6)),
    ],
    ids=["Sunday", "Monday", "Tuesday", "Saturday"],
)
def test_workday_is_the_last_one_before_today(today: date, workday: date) -> None:
    assert days_of_variables(today)["workday"] == workday


def test_variables_of_an_example_are_days() -> None:
    (area,) = [area for area in examples_page(date(2026, 3, 2)) if area["area"] == "Time and attendance"]
    example = area["examples"][0]
    assert example["variables"] == {"start_date": "2026-02-24", "end_date": "2026-03-02"}
    assert example["query"].startswith("# Where time went, by day and project\nquery WhereTimeWent(\n")


@pytest.mark.parametrize(
    ("today", "month", "issued"),
    [
        (date(2026, 3, 7), ("2026-01-01", "2026-01-31"), ("2026-02-01", "2026-03-03")),
        (date(2026, 3, 8), ("2026-02-01", "2026-02-28"), ("2026-03-01", "2026-03-31")),
    ],
    ids=["a week into a month", "a day later"],
)
def test_month_is_the_last_that_was_invoiced(today: date, month: tuple[str, str], issued: tuple[str, str]) -> None:
    days = {name: str(day) for name, day in days_of_variables(today).items()}
    assert (days["month_start"], days["month_end"]) == month
    assert (days["issued_start"], days["issued_end"]) == issued


def test_questions_are_those_of_the_guide() -> None:
    examples = [example.query for example in example_queries()["Across areas"]]
    assert [without_days(query) for query in examples] == [without_days(query) for query in QUESTIONS]


def without_days(query: str) -> str:
    """The selection of a query, in which all days are the same."""
    (operation,) = parse(query).definitions
    assert isinstance(operation, OperationDefinitionNode)
    return re.sub(r"\$\w+|\"\d{4}-\d\d-\d\d\"", "DAY", print_ast(operation.selection_set))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("query Teams { teams { count } }", "The example Teams has no title above it."),
        ("# Teams\n{ teams { count } }", "An example must be an operation with a name."),
    ],
)
def test_example_without_name_or_title_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        list(parse_examples(text))
