"""Conditions over relations: the rows are those whose related rows Python finds, in an organization with random
references and deleted rows in all tables. Covers `schema/conditions.py`.
"""

from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Table, select

from db.tables.columns import ORGANIZATION_ID, metadata
from resolvers import context
from resolvers.lists.listing import Listing
from resolvers.lists.where import RelatedRows
from resolvers.relations.live import is_live
from rest_facade.composition import Service
from schema.execution.operation import Executor, InvalidDocument, Operation
from schema.schema import GRAPHQL_SCHEMA
from tests.factories.base import THEN
from tests.factories.rows import Rows
from tests.resolvers.lists.ordered_lists import ordered_lists
from tests.schema.nodes import key_of
from tests.world import World

RANGE = f'start_date: "{THEN.date().replace(day=1)}", end_date: "{THEN.date().replace(day=31)}"'
BEGINNING = "2000-01-01T00:00:00Z"

LISTS = dict(ordered_lists())
RELATIONS = [
    pytest.param(name, listing, field, related, id=f"{name} by {field}")
    for name, listing in LISTS.items()
    if listing.own_where is not None
    for field, related in listing.own_where.relations.items()
]

Read = Any


@pytest.fixture
def read(service: Service, world: World, monkeypatch: pytest.MonkeyPatch) -> Read:
    monkeypatch.setattr(context, "clock", lambda: THEN + timedelta(days=1))

    async def read(name: str, where: str | None, *columns: str) -> Any:
        assert GRAPHQL_SCHEMA.query_type is not None
        arguments = [RANGE] if "start_date" in GRAPHQL_SCHEMA.query_type.fields[name].args else []
        arguments += [f"where: {where}"] if where else []
        document = f"{{ {name}({', '.join(['limit: 100', *arguments])}) {{ results {{ {' '.join(columns)} }} }} }}"
        result = await Executor(service.database).execute(Operation(document), world.organization_id, {})
        if result.errors:
            return result.errors[0].message
        assert result.data is not None
        return [tuple(row.values()) for row in result.data[name]["results"]]

    return read


def stored(rows: Rows, world: World, table: Any, *, live: bool) -> list[Any]:
    with rows.transaction(world.organization_id):
        found = select(table).where(table.c.organization_id == world.organization_id)
        found = found.where(is_live(table)) if live else found
        return list(rows.connection.execute(found, {ORGANIZATION_ID.key: world.organization_id}))


@pytest.mark.parametrize(("name", "listing", "field", "related"), RELATIONS)
async def test_rows_are_those_whose_related_rows_fulfil_a_condition(
    name: str, listing: Listing, field: str, related: RelatedRows, world: World, rows: Rows, read: Read
) -> None:
    assert isinstance(listing.table, Table)
    child, own, other = related.other.table, str(related.own.key), related.other.name
    key, child_key = key_of(listing.table), key_of(child)
    every = [id_ for (id_,) in await read(name, None, "id")]
    chosen = sorted(getattr(row, child_key) for row in stored(rows, world, child, live=related.is_list))[::2]
    ids = ", ".join(f'"{each}"' for each in chosen)
    bounding = f'{related.by}: {{_gte: "{BEGINNING}"}}, ' if related.by else ""
    condition = f"{{{bounding}{child_key}: {{_in: [{ids}]}}}}"
    found = stored(rows, world, child, live=related.is_list)
    matching = {getattr(row, other) for row in found if getattr(row, child_key) in chosen} - {None}
    parents = {getattr(row, key): getattr(row, own) for row in stored(rows, world, listing.table, live=False)}
    expected = [(id_,) for id_ in every if parents[id_] in matching]
    others = [(id_,) for id_ in every if parents[id_] not in matching]
    if related.is_list:
        assert await read(name, f"{{{field}: {{some: {condition}}}}}", "id") == expected
        assert await read(name, f"{{{field}: {{none: {condition}}}}}", "id") == others
        assert await read(name, f"{{{field}: {{count: {{_eq: 0}}, where: {condition}}}}}", "id") == others
        numbers = Counter(getattr(row, other) for row in found if getattr(row, child_key) in chosen)
        most = max(numbers[parents[id_]] for id_ in every)
        assert await read(name, f"{{{field}: {{count: {{_gte: {most}}}, where: {condition}}}}}", "id") == [
            (id_,) for id_ in every if numbers[parents[id_]] == most
        ]
    else:
        assert await read(name, f"{{{field}: {condition}}}", "id") == expected
        assert await read(name, f"{{_not: {{{field}: {condition}}}}}", "id") == others


def test_lists_have_conditions_over_relations() -> None:
    assert len({name for name, *_ in (each.values for each in RELATIONS)}) >= 20
    assert len(RELATIONS) >= 80


async def test_count_without_condition_is_that_of_live_rows(world: World, rows: Rows, read: Read) -> None:
    numbers = Counter(task.project_id for task in stored(rows, world, LISTS["tasks"].table, live=True))
    every = [id_ for (id_,) in await read("projects", None, "id")]
    found = await read("projects", "{tasks: {count: {_in: [0, 2]}}}", "id")
    assert found == [(id_,) for id_ in every if numbers[id_] in (0, 2)]
    some = await read("projects", "{tasks: {count: {_gte: 1}, none: {status: {_eq: completed}}}}", "id")
    without_done = await read("projects", "{tasks: {none: {status: {_eq: completed}}}}", "id")
    assert some == [(id_,) for (id_,) in without_done if numbers[id_]]


@pytest.mark.parametrize(
    ("name", "field", "table", "parent"),
    [
        ("members", "payment_settings", "payment_settings", "user_id"),
        ("invoices", "line_items", "invoice_lines", "invoice_id"),
    ],
)
async def test_rows_of_a_whole_list_belong_to_their_parent(
    name: str, field: str, table: str, parent: str, world: World, rows: Rows, read: Read
) -> None:
    having = {getattr(row, parent) for row in stored(rows, world, metadata.tables[table], live=True)}
    every = [id_ for (id_,) in await read(name, None, "id")]
    expected = [(id_,) for id_ in every if id_ not in having]
    assert 0 < len(expected) < len(every)
    assert await read(name, f"{{{field}: {{count: {{_eq: 0}}}}}}", "id") == expected


async def test_conditions_lead_over_two_relations(world: World, rows: Rows, read: Read) -> None:
    tasks, projects = (
        {row.id: row for row in stored(rows, world, LISTS[each].table, live=False)} for each in ("tasks", "projects")
    )
    every = [id_ for (id_,) in await read("tasks", None, "id")]
    clients = {id_: projects[tasks[id_].project_id].client_id for id_ in every}
    client = next(filter(None, clients.values()))
    found = await read("tasks", f'{{project: {{client: {{id: {{_eq: "{client}"}}}}}}}}', "id")
    assert found == [(id_,) for id_ in every if clients[id_] == client]
    assert found


UNBOUNDED = "TimesheetWhere needs a condition on started_at: _gte, _gt or _eq."
TOO_DEEP = "where has more than 2 levels of related rows."
ABSENT = "a variable in it may have no value."
EMPTY = f"where.projects.none is empty: {ABSENT} Of any row, {{created_at: {{_is_null: false}}}} is true."


@pytest.mark.parametrize(
    ("name", "where", "message"),
    [
        ("members", "{timesheets: {some: {note: {_is_null: true}}}}", UNBOUNDED),
        ("members", "{timesheets: {none: {_or: [{started_at: {_gte: $day}}]}}}", UNBOUNDED),
        ("members", "{timesheets: {count: {_gte: 3}}}", UNBOUNDED),
        ("tasks", '{project: {client: {projects: {some: {name: {_eq: "x"}}}}}}', TOO_DEEP),
        ("projects", "{client: {projects: {some: {tasks: {count: {_gt: 1}}}}}}", TOO_DEEP),
        ("tasks", "{project: {}}", f"where.project is empty: {ABSENT}"),
        ("clients", '{projects: {where: {name: {_eq: "x"}}}}', f"where.projects.count is empty: {ABSENT}"),
        ("clients", "{projects: {count: {}}}", f"where.projects.count is empty: {ABSENT}"),
        ("clients", "{projects: {none: {}}}", EMPTY),
    ],
)
async def test_unbounded_deep_or_empty_condition_is_refused(name: str, where: str, message: str, read: Read) -> None:
    try:
        found = await read(name, where.replace("$day", f'"{BEGINNING}"'), "id")
    except InvalidDocument as error:
        found = error.errors[0].message
    assert found == message
