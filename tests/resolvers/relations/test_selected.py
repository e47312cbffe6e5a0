"""What a statement selects: columns, and rows that are joined to each other."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import select

from db.reading.database import Database
from db.reading.statement import Statement
from db.tables.columns import in_organization
from db.tables.work import project_members, projects
from resolvers.people import members_by_id
from resolvers.relations.relation import Relation
from resolvers.relations.selected import MAX_IDENTIFIER, Join, Selected, with_columns
from resolvers.work import clients_by_id, projects_by_id
from tests.factories.base import THEN
from tests.factories.rows import Rows

pytestmark = pytest.mark.anyio


def join(relation: Relation, key: str) -> Join:
    found = relation.join_by(key)
    assert found is not None
    return found


def columns(*names: str, **joined: Any) -> Selected:
    return Selected(frozenset(names), frozenset(joined.values()))


CLIENT, PROJECT = join(clients_by_id, "client_id"), join(projects_by_id, "project_id")


async def memberships(owner_url: str, own: UUID, selected: Selected) -> list[dict[str, Any]]:
    """The joined columns of each membership."""
    joined, source = selected.join(dict(project_members.c), project_members)
    query = select(*joined).select_from(source).where(in_organization(project_members))
    database = Database(owner_url)
    await database.open()
    try:
        (rows,) = await database.read(own, [(Statement(query.order_by(project_members.c.created_at)), {})])
    finally:
        await database.close()
    return [row._asdict() for row in rows]


async def test_rows_are_joined_through_each_other(owner_url: str, rows: Rows) -> None:
    own = rows.organization()
    person, client = rows.member(own), rows.client(own, name="Globex", deleted_at=THEN)
    for number, client_id in enumerate([client, None]):
        project = rows.project(own, client_id=client_id, name=f"Project {number}")
        rows.project_member(own, project, person, created_at=THEN + timedelta(days=number))
    of_project = columns("name", client=(CLIENT, columns("key", "name")))
    names = [f"{PROJECT.prefix}name", *(f"{PROJECT.prefix}{CLIENT.prefix}{name}" for name in ("key", "name"))]
    assert await memberships(owner_url, own, columns(project=(PROJECT, of_project))) == [
        dict(zip(names, ["Project 0", client, "Globex"], strict=True)),
        dict(zip(names, ["Project 1", None, None], strict=True)),
    ]


async def test_row_without_the_key_is_null(owner_url: str, rows: Rows) -> None:
    own = rows.organization()
    rows.project_member(own, rows.project(own), rows.member(own))
    # No member has the id of a project.
    missing = join(members_by_id, "project_id")
    (row,) = await memberships(owner_url, own, columns(user=(missing, columns("key", "full_name"))))
    assert set(row.values()) == {None}


def test_same_relation_is_joined_once() -> None:
    both = columns(one=(CLIENT, columns("name"))) | columns(two=(CLIENT, columns("id", "name")))
    assert both == columns(one=(CLIENT, columns("id", "name")))
    joined, source = both.join(dict(projects.c), projects)
    query = select(*joined).select_from(source).where(in_organization(projects))
    assert Statement(query).sql.count("JOIN") == 1


def test_all_columns_and_some_are_all() -> None:
    everything = Selected(None) | columns("name", client=(CLIENT, columns("name")))
    assert (everything.columns, everything.needed) == (None, None)
    assert dict(everything.joined) == {CLIENT: columns("name")}
    assert with_columns(columns("id"), "name") == columns("id", "name")
    assert with_columns(None, "name") is None


def test_name_that_postgresql_would_cut_is_refused() -> None:
    selected = columns("name")
    with pytest.raises(ValueError, match=f"but at most {MAX_IDENTIFIER} are possible"):
        columns(client=(CLIENT, selected)).join(dict(projects.c), projects, "j" * MAX_IDENTIFIER)


def test_longest_column_fits_below_all_levels() -> None:
    longest = max(len(name) for relation in (projects_by_id, members_by_id) for name in relation.columns_by_name)
    assert longest <= 40
