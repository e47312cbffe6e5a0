"""The example queries of GraphiQL: one file for each area in `assets/examples/`, with a title above each operation."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from graphql import OperationDefinitionNode, Token, TokenKind, parse

EXAMPLES_FOLDER = Path(__file__).with_name("assets") / "examples"

AREA_TITLES: Mapping[str, str] = {
    "people": "Organization, people, teams",
    "work": "Clients, projects, tasks",
    "timesheets": "Time and attendance",
    "activity": "Activity",
    "money": "Invoices",
    "payroll": "Payroll",
    "leaves": "Leave",
    "questions": "Across areas",
}
"""Titles of the areas by the name of their file, in the order of the page."""

REPORT_DAYS = 7
"""Days of a report in an example."""

INVOICING = timedelta(days=7)
"""Time after the end of a month in which its invoices are issued."""

DAYS_TO_WORKDAY = {0: 3, 6: 2}
"""Days from a Monday (0) or Sunday (6) back to Friday; the workday before another day is the day before."""


@dataclass(frozen=True)
class ExampleQuery:
    """An operation with its title. The values of its variables depend on the day."""

    title: str
    name: str
    query: str
    variables: Sequence[str]


@cache
def example_queries() -> Mapping[str, Sequence[ExampleQuery]]:
    """The examples by the title of their area. Raises ValueError for an operation without a name or a title."""
    return {
        title: tuple(parse_examples((EXAMPLES_FOLDER / f"{area}.graphql").read_text()))
        for area, title in AREA_TITLES.items()
    }


def days_of_variables(today: date) -> Mapping[str, date]:
    """The day for each variable that an example may have.

    The month is the last one whose invoices have gone out: they are issued in the days after it.
    """
    issued_start = (today - INVOICING).replace(day=1)
    month_end = issued_start - timedelta(days=1)
    return {
        "start_date": today - timedelta(days=REPORT_DAYS - 1),
        "end_date": today,
        "today": today,
        "in_30_days": today + timedelta(days=30),
        "workday": today - timedelta(days=DAYS_TO_WORKDAY.get(today.weekday(), 1)),
        "month_start": month_end.replace(day=1),
        "month_end": month_end,
        "issued_start": issued_start,
        "issued_end": issued_start + timedelta(days=30),
    }


def examples_page(today: date) -> list[dict[str, Any]]:
    """What the page reads: areas, their examples, and the values of the variables on this day."""
    days = days_of_variables(today)
    return [
        {
            "area": area,
            "examples": [
                {
                    "title": example.title,
                    "query": example.query,
                    "variables": {name: days[name].isoformat() for name in example.variables},
                }
                for example in examples
            ],
        }
        for area, examples in example_queries().items()
    ]


def parse_examples(text: str) -> Iterator[ExampleQuery]:
    """The operations of a file. The comment above each is its title."""
    for definition in parse(text).definitions:
        if not isinstance(definition, OperationDefinitionNode) or definition.name is None or definition.loc is None:
            raise ValueError("An example must be an operation with a name.")
        above: Token | None = definition.loc.start_token.prev
        if above is None or above.kind is not TokenKind.COMMENT or above.value is None:
            raise ValueError(f"The example {definition.name.value} has no title above it.")
        yield ExampleQuery(
            title=above.value.strip(),
            name=definition.name.value,
            query=text[above.start : definition.loc.end] + "\n",
            variables=[node.variable.name.value for node in definition.variable_definitions or ()],
        )
