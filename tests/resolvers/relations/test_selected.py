"""What a statement selects: columns, and rows that are joined to each other."""

from typing import Any

import pytest
from sqlalchemy import select

from db.reading.statement import Statement
from db.tables.columns import in_organization
from db.tables.work import projects
from resolvers.people import members_by_id
from resolvers.relations.selected import ALL, MAX_IDENTIFIER, Selected, with_columns
from resolvers.work import clients_by_id, projects_by_id


def columns(*names: str, **joined: Any) -> Selected:
    return Selected(frozenset(names), frozenset(joined.values()))


CLIENT = clients_by_id.join_by("client_id")


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
    assert with_columns(ALL, "name") == ALL


def test_name_that_postgresql_would_cut_is_refused() -> None:
    selected = columns("name")
    with pytest.raises(ValueError, match=f"but at most {MAX_IDENTIFIER} are possible"):
        columns(client=(CLIENT, selected)).join(dict(projects.c), projects, "j" * MAX_IDENTIFIER)


def test_longest_column_fits_below_all_levels() -> None:
    longest = max(len(name) for relation in (projects_by_id, members_by_id) for name in relation.columns_by_name)
    assert longest <= 40
