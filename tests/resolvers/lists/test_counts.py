"""Counts of lists: with `count` alone no row is read, with rows alone nothing is counted, and both are as together."""

from collections.abc import AsyncIterator, Sequence
from typing import Any
from uuid import UUID

import pytest
from graphql import get_named_type, is_required_argument

from db.reading.database import Database
from db.reading.transaction import BoundStatement
from schema.execution.operation import Operation
from schema.schema import GRAPHQL_SCHEMA
from tests import world as worlds
from tests.factories.base import THEN
from tests.factories.rows import Rows
from tests.resolvers.answers import data_of, refusals

DAY = f'"{THEN.date()}"'

WHOLE = {"time_totals"}
"""Its groups are what its sums are computed for."""

COUNTED = [
    name
    for name, field in GRAPHQL_SCHEMA.query_type.fields.items()  # type: ignore[union-attr]
    if {"count", "results"} <= getattr(get_named_type(field.type), "fields", {}).keys() and name not in WHOLE
]
"""The roots that are lists and reports."""


class Recording(Database):
    """A database that keeps the rows of its statements, and counts its round trips."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.trips: list[list[tuple[BoundStatement, list[Any]]]] = []

    async def read_rows(
        self, organization_id: UUID, statements: Sequence[BoundStatement], *, is_heavy: bool = False
    ) -> list[list[Any]]:
        found = await super().read_rows(organization_id, statements, is_heavy=is_heavy)
        self.trips.append(list(zip(statements, found, strict=True)))
        return found


@pytest.fixture(scope="module")
async def database(owner_url: str, anyio_backend: str) -> AsyncIterator[Recording]:
    database = Recording(owner_url)
    await database.open()
    yield database
    await database.close()


@pytest.fixture(scope="module")
def own(rows: Rows) -> UUID:
    return worlds.build(rows, "Counted").organization_id


async def execute(database: Recording, own: UUID, document: str) -> Any:
    operation = Operation(document)
    operation.compile_all()
    database.trips.clear()
    return await data_of(database, own, operation)


def call(type_: Any, name: str, **arguments: str) -> str:
    required = {key: DAY for key, each in type_.fields[name].args.items() if is_required_argument(each)}
    given = ", ".join(f"{key}: {value}" for key, value in (required | arguments).items())
    return f"{name}({given})" if given else name


def both(field: str) -> tuple[str, str]:
    """A document that selects the count of a list alone, and one that selects it beside its rows."""
    return f"{{ {field} {{ count }} }}", f"{{ {field} {{ count next }} }}"


@pytest.mark.parametrize("name", COUNTED)
async def test_count_alone_reads_no_rows(name: str, own: UUID, database: Recording) -> None:
    field = call(GRAPHQL_SCHEMA.query_type, name)
    whole = (await execute(database, own, f"{{ {field} {{ count results {{ __typename }} }} }}"))[name]
    alone = (await execute(database, own, f"{{ {field} {{ __typename n: count }} }}"))[name]
    assert alone == {"__typename": alone["__typename"], "n": whole["count"]}
    counted = [(statement, found) for trip in database.trips for (statement, _), found in trip if found]
    (found,) = [found for statement, found in counted if "list_total" in statement.sql]
    assert [row._fields for row in found] == [("list_parent", "list_total")]


async def test_counts_of_all_parents_are_one_statement(own: UUID, database: Recording) -> None:
    member: Any = GRAPHQL_SCHEMA.type_map["Member"]
    for name, field in member.fields.items():
        shown = getattr(get_named_type(field.type), "fields", {}).keys()
        if name in WHOLE or "limit" not in field.args or not {"count", "results"} <= shown:
            continue
        document = f"{{ members {{ results {{ user_id {call(member, name)} {{ count %s }} }} }} }}"
        whole = await execute(database, own, document % "results { __typename }")
        counts = [row[name] for row in (await execute(database, own, document % ""))["members"]["results"]]
        assert counts == [{"count": row[name]["count"]} for row in whole["members"]["results"]], name
        totals = [found for trip in database.trips for (statement, _), found in trip if "list_total" in statement.sql]
        assert [len(found) for found in totals[1:]] == [len(counts)], name
        assert totals[1][0]._fields == ("list_parent", "list_total")


@pytest.mark.parametrize("document", ["{ %s }", "{ clients(limit: 1) { results { %s } } }"])
async def test_rows_alone_are_not_counted(document: str, own: UUID, database: Recording) -> None:
    await execute(database, own, document % "projects(limit: 1) { results { name } }")
    (found,) = [found for trip in database.trips for (bound, _), found in trip if "FROM projects" in bound.sql]
    # Neither the total nor a row of the next page, nor what its position would have.
    assert [row._fields for row in found] == [("list_parent", "list_total", "id", "name")]
    assert found[0].list_total is None


@pytest.mark.parametrize("name", COUNTED)
async def test_rows_alone_are_those_beside_the_count(name: str, own: UUID, database: Recording) -> None:
    type_: Any = GRAPHQL_SCHEMA.query_type
    for page in ("1", "2", "9"):
        field = call(type_, name, page=page, limit="1")
        whole = (await execute(database, own, f"{{ {field} {{ results {{ __typename }} count }} }}"))[name]
        alone = (await execute(database, own, f"{{ {field} {{ results {{ __typename }} }} }}"))[name]
        assert alone == {"results": whole["results"]}, page


SINCE = f'updated_since: "{THEN.isoformat()}"'
REPORT = f"url_reports(start_date: {DAY}, end_date: {DAY}"


@pytest.mark.parametrize(
    "field",
    [
        *("projects(is_active: true)", 'projects(search: "Counted")', "projects(limit: 1, page: 9)"),
        *("projects(order_by: name_desc)", "projects(include_deleted: true)"),
        *(f"{REPORT})", f"{REPORT}, {SINCE})", f'{REPORT}, user_id: "{UUID(int=1)}")'),
    ],
)
async def test_count_has_the_filters_of_the_list(field: str, own: UUID, database: Recording) -> None:
    alone, whole = both(field)
    (expected,) = (await execute(database, own, whole)).values()
    (found,) = (await execute(database, own, alone)).values()
    assert found["count"] == expected["count"]
    counts = [bound.sql for trip in database.trips for (bound, _), _ in trip if "list_total" in bound.sql]
    # Those of reports limit the changes that they look at.
    assert ["LIMIT" in sql for sql in counts] == [False] or field.startswith(REPORT)


async def test_counts_with_other_filters_are_apart(own: UUID, database: Recording) -> None:
    document = "{ projects { results { all: tasks { %s } done: tasks(status: [completed]) { %s } } } }"
    alone = await execute(database, own, document % ("count", "count"))
    whole = await execute(database, own, document % ("count next", "count next"))
    both = (data["projects"]["results"] for data in (alone, whole))
    found, expected = ([(row["all"]["count"], row["done"]["count"]) for row in results] for results in both)
    assert found == expected
    assert any(every > done for every, done in found)


POSITIONS = [f'"7,{THEN.isoformat()},{UUID(int=1)}"', f'"name_asc:7,=A,{UUID(int=1)}", order_by: name_asc']


@pytest.mark.parametrize("after", POSITIONS)
async def test_count_of_a_position_is_that_of_its_first_page(after: str, own: UUID, database: Recording) -> None:
    assert await execute(database, own, f"{{ projects(after: {after}) {{ count }} }}") == {"projects": {"count": 7}}
    assert database.trips == []


async def test_rows_beside_a_count_of_the_same_list_are_whole(own: UUID, database: Recording) -> None:
    lists = "a: projects(limit: 1) { count } b: projects(limit: 1) { results { name } next } c: projects { count next }"
    data = await execute(database, own, f"{{ {lists} clients {{ results {{ {lists} }} }} }}")
    for found in (data, max(data["clients"]["results"], key=lambda each: each["c"]["count"])):
        assert found["a"]["count"] == found["c"]["count"] >= 1
        assert len(found["b"]["results"]) == 1


async def test_rows_of_local_days_need_not_show_their_time(own: UUID, database: Recording) -> None:
    field = call(GRAPHQL_SCHEMA.query_type, "clockinouts")
    found = await execute(database, own, f"{{ {field} {{ results {{ status }} }} }}")
    assert {row["status"] for row in found["clockinouts"]["results"]} == {"closed"}


@pytest.mark.parametrize(("since", "count"), [("", 1), (f', updated_since: "{THEN.isoformat()}"', 2)])
async def test_count_has_a_deleted_person_in_polls(since: str, count: int, database: Recording, rows: Rows) -> None:
    organization = rows.organization()
    for deleted_at in (None, THEN):
        rows.member(organization, first_joined_at=THEN, updated_at=THEN, deleted_at=deleted_at)
    field = call(GRAPHQL_SCHEMA.query_type, "app_reports")[:-1] + f"{since})"
    for fields in ("count", "count next"):
        assert (await execute(database, organization, f"{{ {field} {{ {fields} }} }}"))["app_reports"]["count"] == count


@pytest.mark.parametrize(
    ("field", "message"),
    [
        (f"{REPORT}, with_pages: true)", "detail=url is allowed only together with user_id."),
        ("projects(limit: 0)", "limit must be from 1 to 100."),
        ("projects(page: 0)", "page must be >= 1."),
        ('projects(after: "x")', "Invalid after."),
    ],
)
async def test_wrong_arguments_are_refused_for_counts(field: str, message: str, own: UUID, database: Recording) -> None:
    for document in both(field):
        assert await refusals(database, own, document) == [message]
