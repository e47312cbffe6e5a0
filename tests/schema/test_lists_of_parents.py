"""Lists of parents: their arguments are those of the organization's list, and so are their rows.

The rows are compared in an organization with random references, and with deleted rows in all tables.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any
from uuid import UUID

import pytest
from graphql import GraphQLEnumType, GraphQLField, GraphQLObjectType, get_named_type, is_list_type
from sqlalchemy import Table, select

from resolvers import activity, context, leaves, money, payroll, people, timesheets, work
from resolvers.context import Context
from resolvers.lists.listing import Listing
from resolvers.lists.page_reader import PageReader
from resolvers.selected import ALL, Selected
from rest_facade.composition import Service
from schema.execution.operation import Executor, Operation
from schema.schema import GRAPHQL_SCHEMA
from tests import world as worlds
from tests.factories.base import THEN
from tests.factories.rows import Rows
from tests.property_tests import examples
from tests.schema.edges import (
    INSIDE,
    LISTS,
    LISTS_THROUGH,
    TYPES,
    Reference,
    listed_references,
    row_type_of,
    shown_in,
    type_of,
)
from tests.schema.nodes import NODES, key_of
from tests.world import World

LISTINGS = {
    listing.table.name: listing
    for area in (people, work, timesheets, activity, money, payroll, leaves)
    for listing in vars(area).values()
    if isinstance(listing, Listing) and isinstance(listing.table, Table)
}
"""The list of each table."""

FEWER_ARGUMENTS = {
    ("Member", "projects"): "as its REST list; projects and project_memberships have the others",
    ("Member", "screenshots"): "the parent is the person",
    ("Timesheet", "screenshots"): "the timesheet says whose and when; it has few",
    ("Timesheet", "manual_timesheet_reports"): "a timesheet has few, which may have been requested for other days",
}
"""Lists that lack arguments of other lists of their type, and why."""

OWN_ARGUMENTS = {"current": "it asks for the projects that the person of the list is on now"}
"""Arguments of one list, and why no other list has them."""

PAGING = ("page", "limit", "after")

FIRST_DAY, LAST_DAY = THEN.date().replace(day=1), THEN.date().replace(day=31)
RANGE = MappingProxyType({"start_date": FIRST_DAY, "end_date": LAST_DAY})
"""A month, which has all rows of a world that have a time."""


def lists_by_type() -> Mapping[str, Sequence[tuple[str, str, GraphQLField]]]:
    """The lists that take arguments, of the organization and of parents, by the type of their rows."""
    found: dict[str, list[tuple[str, str, GraphQLField]]] = {name: [] for name in TYPES.values()}
    for parent in GRAPHQL_SCHEMA.type_map.values():
        for name, field in parent.fields.items() if isinstance(parent, GraphQLObjectType) else ():
            rows = row_type_of(field).name
            if rows in found and {"limit", "date"} & field.args.keys():
                found[rows].append((parent.name, name, field))
    return found


def paged_references() -> Iterator[Any]:
    """The references of which the parent has a list with pages."""
    for reference in listed_references():
        name = {**LISTS, **LISTS_THROUGH}.get(reference.name)
        if name is not None and "limit" in type_of(reference.parent).fields[name].args:
            yield pytest.param(reference, name, id=f"{reference.parent.name}.{name} by {reference.column}")


def described(field: GraphQLField) -> dict[str, tuple[str, Any]]:
    """The arguments with their defaults, but that of `limit`, which is smaller below a parent."""
    return {
        name: (str(argument.type), argument.default_value if name != "limit" else None)
        for name, argument in field.args.items()
        if name not in OWN_ARGUMENTS
    }


def test_lists_have_the_arguments_of_all_lists_of_their_type() -> None:
    few = set()
    by_type = lists_by_type()
    for lists in by_type.values():
        every: dict[str, tuple[str, Any]] = {}
        for parent, name, field in lists:
            for key, argument in described(field).items():
                assert every.setdefault(key, argument) == argument, (parent, name, key)
        few |= {(parent, name) for parent, name, field in lists if described(field) != every}
    for reference in listed_references():
        if reference.name in LISTS and by_type[TYPES[reference.child.name]]:
            name = LISTS[reference.name]
            few |= {(TYPES[reference.parent.name], name)} if not type_of(reference.parent).fields[name].args else set()
    assert few == set(FEWER_ARGUMENTS), (
        "A list of a parent has the arguments of the list of the organization, or a reason in FEWER_ARGUMENTS."
    )


class Reading:
    """Reads one organization, and counts the statements."""

    def __init__(self, service: Service, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
        # All payables may be polled for the changes of a month only.
        monkeypatch.setattr(context, "clock", lambda: THEN + timedelta(days=1))
        self.database, self.own = service.database, world.organization_id
        self.statements = 0
        self._read = service.database.read_rows
        monkeypatch.setattr(service.database, "read_rows", self._counted)

    async def _counted(self, organization_id: UUID, statements: Any, **options: Any) -> Any:
        self.statements += len(statements)
        return await self._read(organization_id, statements, **options)

    async def data(self, document: str) -> Any:
        self.statements = 0
        result = await Executor(self.database).execute(Operation(document), self.own, {})
        assert result.errors is None, (document, result.errors)
        return result.data

    async def listed(self, listing: Listing, arguments: Mapping[str, Any], *columns: str) -> Sequence[Any]:
        """The rows of the organization's list, with these columns, or with all of them."""
        complete = {argument.name: argument.default for argument in listing.arguments} | {"limit": 100, **arguments}
        selected = Selected(frozenset(columns), is_counted=True) if columns else ALL
        page = await PageReader(listing).page(Context(self.database, self.own), complete, selected)
        assert page.count == len(page.results) < 100
        return page.results


@pytest.fixture
def reading(service: Service, world: World, monkeypatch: pytest.MonkeyPatch) -> Reading:
    return Reading(service, world, monkeypatch)


def stored(rows: Rows, world: World, table: Table) -> Sequence[Any]:
    with rows.transaction(world.organization_id):
        found = select(table).where(table.c.organization_id == world.organization_id)
        return list(rows.connection.execute(found.order_by(table.c[key_of(table)])))


def literal(value: Any, type_: Any) -> str:
    """A value as it stands in a document."""
    if isinstance(value, list):
        return "[" + ", ".join(literal(item, type_) for item in value) + "]"
    if isinstance(value, bool | int):
        return str(value).lower()
    if isinstance(value, datetime):
        return f'"{value.isoformat()}"'
    return str(value) if isinstance(get_named_type(type_), GraphQLEnumType) else f'"{value}"'


def call(name: str, field: GraphQLField, arguments: Mapping[str, Any], selection: str) -> str:
    given = ", ".join(f"{key}: {literal(value, field.args[key].type)}" for key, value in arguments.items())
    return f"{name}({given}) {{ {selection} }}" if given else f"{name} {{ {selection} }}"


def filters_of(field: GraphQLField, listed: Sequence[Any], key: str) -> Iterator[dict[str, Any]]:
    """Each filter of a list, with a value of one of its rows where they show one."""
    shown = listed[len(listed) // 2]
    for name, argument in field.args.items():
        kind = get_named_type(argument.type)
        if name in (*PAGING, *RANGE, "timezone", "order_by", "where", "include_deleted"):
            continue
        value: Any = getattr(shown, name, None)
        if name == "updated_since" or name.endswith("_updated_since"):
            value = THEN
        elif name == "id":
            value = [getattr(row, key) for row in listed[::2]]
        elif isinstance(kind, GraphQLEnumType):
            value = value or next(reversed(kind.values))
            value = [value] if is_list_type(argument.type) else value
        elif kind.name == "Boolean":
            value = bool(value) if value is not None else True
        elif kind.name == "UUID":
            value = value or worlds.named(name.removesuffix("_id").replace("_", " "))
        else:
            value = value or "A-"
        assert is_list_type(argument.type) == isinstance(value, list)
        yield {name: value}


def connections(reference: Reference, rows: Rows, world: World) -> set[tuple[UUID, UUID]]:
    """The ids of the rows that a list shows, deleted ones too, each with the id of a parent that lists it."""
    child, column = reference.child, reference.column
    found = stored(rows, world, child)
    if reference.name not in LISTS_THROUGH:
        return {(getattr(row, key_of(child)), getattr(row, column)) for row in found}
    return {(getattr(row, INSIDE[child.name]), getattr(row, column)) for row in found if row.deleted_at is None}


@pytest.mark.parametrize(("reference", "name"), list(paged_references()))
async def test_list_of_parent_is_the_organizations_list_filtered(
    reference: Reference, name: str, reading: Reading, world: World, rows: Rows
) -> None:
    child, parent = shown_in(reference), reference.parent
    field, listing = type_of(parent).fields[name], LISTINGS[child.name]
    own, key = key_of(child), key_of(parent)
    connected = connections(reference, rows, world)
    ids = ", ".join(f'"{getattr(row, key)}"' for row in stored(rows, world, parent))
    # Balances of other periods than the current ones are hidden only where no period is given, as a parent does.
    filters = {"include_deleted": True} if reference.column == "leave_period_id" else {}
    required = {name: value for name, value in RANGE.items() if name in field.args} | filters
    every = await reading.listed(listing, required | {"include_deleted": True})
    further: list[dict[str, Any]] = [{"include_deleted": True}, *filters_of(field, every, own)]
    if examples(1) == 1:
        further = random.Random(reference.name).sample(further, 1)
    for arguments in [required, *(required | each for each in further)]:
        listed = [getattr(row, own) for row in await reading.listed(listing, arguments, own)]
        selected = call(name, field, arguments | {"limit": 100}, f"count results {{ {own} }}")
        document = f"{{ {NODES[parent.name][1]}(ids: [{ids}]) {{ {key} {selected} }} }}"
        (parents,) = (await reading.data(document)).values()
        assert reading.statements <= 4, "the parents, one statement for all their lists, a time zone, a team"
        live = [each for each in parents if each is not None]
        wanted = {each[key]: [str(id_) for id_ in listed if (id_, UUID(str(each[key]))) in connected] for each in live}
        assert {each[key]: [str(row[own]) for row in each[name]["results"]] for each in live} == wanted, arguments
        assert {each[key]: each[name]["count"] for each in live} == {each: len(found) for each, found in wanted.items()}
        assert any(wanted.values()) or arguments is not required, "no parent has rows: take another seed"
