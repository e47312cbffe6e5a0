"""The edges of the graph: each reference of the tables is an object beside its id, and a list of its parent.

The edges are derived from the foreign keys of the tables. One that is missing stands in `edges.py` with its reason.
"""

from types import ModuleType
from uuid import UUID

from graphql import GraphQLList, GraphQLObjectType, get_named_type, get_nullable_type
from sqlalchemy import Column, Table

from db.tables import activity, leaves, money, payroll, people, timesheets, work
from db.tables.columns import metadata
from schema.schema import GRAPHQL_SCHEMA
from tests.contract import UNPUBLISHED
from tests.schema import edges
from tests.schema.edges import INSIDE, LISTS, LISTS_THROUGH, TYPES, listed_references, type_of

AREAS: list[ModuleType] = [people, work, timesheets, activity, money, payroll, leaves]


def is_indexed(column: Column[UUID]) -> bool:
    """Whether an index finds the rows of one value."""
    indexes = [list(index.columns) for index in column.table.indexes]
    return any(len(columns) > 1 and columns[1] is column for columns in indexes)


def test_every_table_has_a_type() -> None:
    tables = {value.name for area in AREAS for value in vars(area).values() if isinstance(value, Table)}
    new = {name for name in tables if metadata.tables[name].info.get("tenant")} - set(TYPES) - set(UNPUBLISHED)
    assert new == set(), (
        "declare the types of these tables with their names, as object_type(..., name), or say in UNPUBLISHED of "
        "tests/contract.py "
        "why their rows have no fields of their own"
    )


def test_every_reference_has_an_object_beside_it() -> None:
    for reference in edges.references():
        if INSIDE.get(reference.child.name) == reference.column or reference.name in edges.SHOWN_WITHOUT:
            continue
        beside = type_of(reference.child).fields.get(edges.object_name(reference.column))
        assert beside is not None, reference.name
        assert get_named_type(beside.type) is type_of(reference.parent), reference.name


def test_every_reference_is_a_list_of_its_parent_or_has_a_reason() -> None:
    names = {**LISTS, **LISTS_THROUGH}
    wrong = [each.name for each in listed_references() if (each.name in names) == (each.name in edges.LISTLESS)]
    assert wrong == [], (
        "give the parent of each a list of these rows (index_by_parent in db/tables, its list in resolvers, a field in "
        "schema), and name it in AMBIGUOUS_LISTS of tests/schema/edges.py if it is one of several; or write in "
        "LISTLESS why it has none."
    )
    for reference in listed_references():
        if (name := names.get(reference.name)) is not None:
            is_found = is_indexed(reference.child.c[reference.column]) or reference.name in edges.OVER_ANOTHER_INDEX
            assert is_found, f"{reference.name}: declare index_by_parent in db/tables"
            listed = edges.row_type_of(type_of(reference.parent).fields[name])
            assert listed is type_of(edges.shown_in(reference)), reference.name


def test_lists_and_reasons_are_of_references() -> None:
    named = {*LISTS, *LISTS_THROUGH, *edges.LISTLESS}
    assert named - {reference.name for reference in listed_references()} == set(), "not referenced"


def test_every_id_has_its_object_beside_it() -> None:
    missing = []
    for type_ in GRAPHQL_SCHEMA.type_map.values():
        if not isinstance(type_, GraphQLObjectType):
            continue
        for name, field in type_.fields.items():
            if get_named_type(field.type).name == "UUID" and name != "id":
                beside = type_.fields.get(edges.object_name(name))
                is_list = isinstance(get_nullable_type(field.type), GraphQLList)
                if beside is None or isinstance(get_nullable_type(beside.type), GraphQLList) != is_list:
                    missing.append(f"{type_.name}.{name}")
    assert sorted(missing) == sorted(edges.OBJECTLESS)
