"""Lists: pages of any stored rows, compared with plain Python over the same rows.

Covers `resolvers/lists/orders.py`, `resolvers/lists/list_sql.py`, `resolvers/lists/page_query.py`,
`resolvers/lists/listing.py`, `resolvers/lists/page_reader.py`,
`resolvers/lists/page_arguments.py` and `resolvers/relations/arguments.py`.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from graphql import ExecutionResult
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import update

from db.reading.database import Database
from db.reading.transaction import BoundStatement
from db.tables.columns import LAST_PLACE
from db.tables.people import teams
from db.tables.work import projects
from resolvers.lists.filters import flag
from resolvers.lists.listing import Listing
from resolvers.lists.page_reader import PageReader
from schema.execution.operation import Executor, Operation
from tests.factories.base import THEN
from tests.factories.rows import Rows
from tests.helpers.round_trips import recorded_round_trips
from tests.property_tests import examples
from tests.sent import as_sent

DEFINED = """
    $page: Int! = 1, $limit: Int! = 50, $after: String, $is_active: Boolean, $updated_since: DateTime,
    $include_deleted: Boolean! = false, $order: ProjectOrder
"""
PAGE = """
  projects(
    page: $page, limit: $limit, after: $after, is_active: $is_active, updated_since: $updated_since,
    include_deleted: $include_deleted, order_by: $order
  ) { count next results { id } }
"""
PROJECTS, PREPARED = (Operation(f"query ({DEFINED}) {{ {PAGE} }}") for _ in range(2))
PREPARED.compile_all()
OF_CLIENT = Operation(f"query ($id: UUID!, {DEFINED}) {{ client(id: $id) {{ {PAGE} }} }}")
CLIENTS = Operation(f"query ({DEFINED}) {{ clients(limit: 100, include_deleted: true) {{ results {{ id {PAGE} }} }} }}")


@dataclass
class Stored:
    """A project, as far as a list reads it."""

    id: UUID
    created_at: datetime = THEN
    updated_at: datetime = THEN
    deleted_at: datetime | None = None
    is_active: bool = True
    name: str = "x"
    due_date: date | None = None
    client_id: UUID | None = None


@dataclass(frozen=True)
class Asked:
    """The filters and the order of a list."""

    is_active: bool | None = None
    updated_since: datetime | None = None
    include_deleted: bool = False
    order: str | None = None

    @property
    def variables(self) -> dict[str, Any]:
        return vars(self)

    def of(self, rows: Sequence[Stored]) -> list[UUID]:
        """The reference: the ids of the list, in its order."""
        found = [
            row
            for row in rows
            if (self.include_deleted or row.deleted_at is None)
            and (self.is_active is None or row.is_active is self.is_active)
            and (self.updated_since is None or row.updated_at >= self.updated_since)
        ]
        usual = "created_at_asc" if self.updated_since is None else "updated_at_asc"
        column, _, way = (self.order or usual).rpartition("_")

        def key(row: Stored) -> Any:
            value = getattr(row, column)
            return (value is None, LAST_PLACE if value is None else value, row.id.int)

        return [row.id for row in sorted(found, key=key, reverse=way == "desc")]


# Few values, so that many rows share one; the fractions of a second matter. Small letters are after all capital ones,
# and a comma is part of a name.
moments = st.sampled_from([THEN + timedelta(microseconds=n) for n in (0, 1, 2, 1_000_000)])
due_dates = st.none() | st.sampled_from([date(2026, 3, 1), date(2026, 3, 2), LAST_PLACE - timedelta(days=1)])
stored = st.builds(
    Stored,
    id=st.uuids(),
    created_at=moments,
    updated_at=moments,
    deleted_at=st.none() | st.none() | moments,
    is_active=st.booleans(),
    name=st.sampled_from(["", "a", "B", "B,c", "Ähre", "👍", "b:1,2"]),
    due_date=due_dates,
)
lists = st.lists(stored, max_size=12, unique_by=lambda row: row.id)
ordered = ("created_at", "updated_at", "name", "due_date")
orders = st.sampled_from([f"{name}_{way}" for name in ordered for way in ("asc", "desc")])
filters = st.builds(
    Asked,
    is_active=st.none() | st.booleans(),
    updated_since=st.none() | moments,
    include_deleted=st.booleans(),
    order=st.none() | orders,
)

drawn = settings(max_examples=examples(20), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@dataclass
class Lists:
    """An organization with given rows, and its lists. `asked` are the round trips of the last execution."""

    database: Database
    rows: Rows
    asked: list[Sequence[BoundStatement]]

    def store(self, found: Sequence[Stored], parents: Sequence[UUID] = ()) -> UUID:
        """An organization with projects, and with clients, which are their parents."""
        own = self.rows.organization()
        with self.rows.transaction(own):
            for id_ in parents:
                self.rows.client(own, id=id_)
            for row in found:
                self.add(own, row)
        return own

    def add(self, own: UUID, row: Stored) -> None:
        columns = dict(vars(row))
        self.rows.project(own, **columns, status="active" if columns.pop("is_active") else "completed")

    def change(self, own: UUID, gone: set[UUID], added: Sequence[Stored]) -> None:
        """Delete some projects and add others."""
        deleted = update(projects).where(projects.c.organization_id == own, projects.c.id.in_(gone))
        with self.rows.transaction(own):
            self.rows.connection.execute(deleted.values(deleted_at=THEN))
            for row in added:
                self.add(own, row)

    async def execute(self, operation: Operation, own: UUID, **variables: Any) -> ExecutionResult:
        self.asked.clear()
        return await Executor(self.database).execute(operation, own, variables)

    async def page(self, operation: Operation, own: UUID, **variables: Any) -> Any:
        result = await self.execute(operation, own, **variables)
        assert result.errors is None
        found = as_sent(result.data)
        for name in operation.result_path:
            found = found if name == "results" else found[name]
        return found

    async def walk(self, operation: Operation, own: UUID, **variables: Any) -> AsyncIterator[Any]:
        """The pages from the first, each by `next` of the previous one."""
        after = None
        for _ in range(100):
            page = await self.page(operation, own, after=after, **variables)
            yield page
            after = page["next"]
            if after is None:
                return
        pytest.fail("the walk has no end")


@pytest.fixture
def listed(database: Database, rows: Rows, monkeypatch: pytest.MonkeyPatch) -> Lists:
    return Lists(database, rows, recorded_round_trips(database, monkeypatch))


def ids(page: Any) -> list[UUID]:
    return [UUID(row["id"]) for row in page["results"]]


@drawn
@given(found=lists, filters=filters, limit=st.integers(1, 5))
async def test_pages_by_number_are_slices(listed: Lists, found: list[Stored], filters: Asked, limit: int) -> None:
    own, expected = listed.store(found), filters.of(found)
    for number in range(1, len(expected) // limit + 3):
        page = await listed.page(PROJECTS, own, page=number, limit=limit, **filters.variables)
        assert ids(page) == expected[(number - 1) * limit : number * limit]
        assert page["count"] == len(expected)
        assert (page["next"] is not None) is (number * limit < len(expected))


@drawn
@given(found=lists, filters=filters, limit=st.integers(1, 5))
async def test_pages_by_next_are_the_whole_list(listed: Lists, found: list[Stored], filters: Asked, limit: int) -> None:
    parent = UUID(int=1)
    for n, row in enumerate(found):
        row.client_id = parent if n % 3 else None
    own = listed.store(found, [parent])
    below = [row for row in found if row.client_id is not None]
    for operation, rows, ids_ in (*((PROJECTS, found, {}), (PREPARED, found, {})), (OF_CLIENT, below, {"id": parent})):
        expected = filters.of(rows)
        pages = [page async for page in listed.walk(operation, own, limit=limit, **ids_, **filters.variables)]
        assert [id_ for page in pages for id_ in ids(page)] == expected
        assert {page["count"] for page in pages} == {len(expected)}
        assert [len(page["results"]) for page in pages[:-1]] == [limit] * (len(pages) - 1)


@drawn
@given(
    found=st.lists(st.tuples(stored, st.booleans()), min_size=1, max_size=10, unique_by=lambda pair: pair[0].id),
    added=st.lists(stored, max_size=4, unique_by=lambda row: row.id),
    limit=st.integers(1, 3),
)
async def test_inserted_and_deleted_rows_do_not_shift_pages(
    listed: Lists, found: list[tuple[Stored, bool]], added: list[Stored], limit: int
) -> None:
    known, gone = {row.id for row, _ in found}, {row.id for row, goes in found if goes}
    expected = Asked().of([row for row, _ in found])
    own = listed.store([row for row, _ in found])
    seen: list[UUID] = []
    async for page in listed.walk(PROJECTS, own, limit=limit):
        if not seen:
            listed.change(own, gone, [row for row in added if row.id not in known])
        seen += ids(page)
        assert page["count"] == len(expected), "as of the first page"
    assert len(set(seen)) == len(seen)
    assert [id_ for id_ in seen if id_ in known - gone] == [id_ for id_ in expected if id_ not in gone]


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"page": 0}, "page must be >= 1."),
        ({"page": -1}, "page must be >= 1."),
        ({"limit": 0}, "limit must be from 1 to 100."),
        ({"limit": 101}, "limit must be from 1 to 100."),
        ({"after": "x"}, "Invalid after."),
        # Positions of another order, and of none.
        *(
            ({"order": order, "after": after}, "Invalid after.")
            for order, after in (
                ("name_asc", f"name_desc:4,Project 0,{UUID(int=2)}"),
                ("name_asc", f"4,Project 0,{UUID(int=2)}"),
                (None, f"created_at_asc:4,{THEN.isoformat()},{UUID(int=2)}"),
                ("created_at_asc", f"4,{THEN.isoformat()},{UUID(int=2)}"),
                ("due_date_asc", f"due_date_asc:4,2026-02-30,{UUID(int=2)}"),
                ("name_asc", f"name_asc:4,=Project\0,{UUID(int=2)}"),
                ("name_asc", f"name_asc:4,=\ud800,{UUID(int=2)}"),
                ("name_asc", f"name_asc:{UUID(int=2)}"),
                ("created_at_desc", f"created_at_desc:4,,{UUID(int=2)}"),
            )
        ),
    ],
    ids=str,
)
async def test_paging_out_of_bounds_is_refused(listed: Lists, variables: dict[str, Any], message: str) -> None:
    [error] = (await listed.execute(PROJECTS, listed.store([]), **variables)).errors or []
    assert (error.extensions, error.message) == ({"code": "VALIDATION_ERROR"}, message)
    assert listed.asked == []


async def test_page_past_the_end_is_empty_with_the_total(listed: Lists) -> None:
    own = listed.store([Stored(UUID(int=n)) for n in range(3)])
    assert await listed.page(PROJECTS, own, page=2**31 - 1, limit=100) == {"count": 3, "next": None, "results": []}


async def test_next_names_the_order_and_the_last_row(listed: Lists) -> None:
    own = listed.store([Stored(UUID(int=n), name=f"Project {n % 2}") for n in range(1, 5)])
    for order, value in [("name_desc", "=Project 1"), ("due_date_asc", ""), ("created_at_asc", THEN.isoformat())]:
        page = await listed.page(PREPARED, own, order=order, limit=1)
        assert page["next"] == f"{order}:4,{value},{page['results'][0]['id']}"


@drawn
@given(
    parents=st.lists(st.uuids(), max_size=4, unique=True),
    found=st.lists(st.tuples(stored, st.integers(0, 4)), max_size=12, unique_by=lambda pair: pair[0].id),
    filters=filters,
    number=st.integers(1, 3),
    limit=st.integers(1, 3),
)
async def test_list_of_many_parents_equals_list_of_each(
    listed: Lists, parents: list[UUID], found: list[tuple[Stored, int]], filters: Asked, number: int, limit: int
) -> None:
    for row, n in found:
        row.client_id = parents[n] if n < len(parents) else None
    children = [row for row, _ in found]
    page = await listed.page(CLIENTS, listed.store(children, parents), page=number, limit=limit, **filters.variables)
    assert len(listed.asked) == (2 if parents else 1), "one statement for all parents together"
    assert ids(page) == sorted(parents, key=lambda id_: id_.int)
    for parent in page["results"]:
        expected = filters.of([row for row in children if str(row.client_id) == parent["id"]])
        assert ids(parent["projects"]) == expected[(number - 1) * limit : number * limit]
        assert parent["projects"]["count"] == len(expected)
        assert (parent["projects"]["next"] is not None) is (number * limit < len(expected))


async def statements_of(listed: Lists, own: UUID, document: str) -> list[Any]:
    assert (await listed.execute(Operation(document), own)).errors is None
    return [statement for calls in listed.asked for statement, _ in calls]


@pytest.fixture
def own(listed: Lists) -> UUID:
    """Three clients, each with two projects."""
    parents = [UUID(int=n) for n in range(3)]
    return listed.store([Stored(UUID(int=n), client_id=parents[n % 3]) for n in range(6)], parents)


@pytest.mark.parametrize(
    ("lists", "statements"),
    [
        ("a: projects(limit: 1) { next } b: projects(limit: 1) { results { id } }", [1, 1]),
        ("a: projects(limit: 1) { count } b: projects(limit: 2) { results { id } }", [1, 2]),
    ],
)
async def test_same_arguments_share_a_statement(lists: str, statements: list[int], listed: Lists, own: UUID) -> None:
    await statements_of(listed, own, f"{{ clients {{ results {{ {lists} }} }} }}")
    assert [len(calls) for calls in listed.asked] == statements


async def test_aliases_with_other_arguments_have_their_own_rows(listed: Lists, own: UUID) -> None:
    document = Operation(
        "{ clients(limit: 1) { results { a: projects(limit: 1) { results { id } } b: projects(page: 2, limit: 1)"
        " { results { id } } c: projects(is_active: false) { count } } } }"
    )
    (found,) = (await listed.page(document, own))["results"]
    first, second = ({"results": [{"id": str(UUID(int=n))}]} for n in (0, 3))
    assert found == {"a": first, "b": second, "c": {"count": 0}}


SHAPES: Callable[[str], str] = "{{ clients({}) {{ count results {{ id }} }} }}".format


async def test_variant_is_compiled_once_for_all_values(listed: Lists, own: UUID) -> None:
    for both in (
        ("page: 1, limit: 1", "page: 2, limit: 50"),
        ("page: 1", "is_active: null, search: null, id: null"),
        ('search: "a"', 'search: "b"'),
        ("is_active: true", "is_active: false, page: 3"),
        ('updated_since: "2026-01-01T00:00:00Z"', 'updated_since: "2027-01-01T00:00:00Z"'),
    ):
        (first,), (second,) = [await statements_of(listed, own, SHAPES(arguments)) for arguments in both]
        assert first is second


async def test_another_variant_is_another_statement(listed: Lists, own: UUID) -> None:
    shapes = [
        "page: 1",
        "is_active: true",
        'search: "a"',
        'is_active: true, search: "a"',
        'updated_since: "2026-01-01T00:00:00Z"',
        "include_deleted: true",
        f'after: "1,2026-01-01T00:00:00Z,{UUID(int=1)}"',
    ]
    found = [(await statements_of(listed, own, SHAPES(arguments)))[0] for arguments in shapes]
    assert len({statement.sql for statement in found}) == len(shapes)


def test_arguments_with_one_name_are_refused() -> None:
    active = flag(teams.c.is_active, "Whether it is in use.")
    listing = Listing(teams, list(teams.c), filters=[active, active])
    with pytest.raises(ValueError, match=r"share a name.*is_active"):
        PageReader(listing).step()
