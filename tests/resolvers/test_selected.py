"""What a statement selects: columns, and rows that are joined to each other."""

from collections.abc import Iterator
from typing import Any

from graphql import GraphQLObjectType
from sqlalchemy import select

from db.reading.statement import Statement
from db.tables.columns import in_organization
from db.tables.work import projects
from resolvers.relations.relation import KEYS, Relation
from resolvers.selected import ALL, MAX_LEVELS, Selected, with_columns
from resolvers.steps.batch import Batch
from resolvers.steps.related_row import RelatedRow
from resolvers.steps.step import FieldStep
from resolvers.work import clients_by_id
from schema.execution.declared_steps import declared_step
from schema.schema import GRAPHQL_SCHEMA


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


def declared_steps() -> Iterator[FieldStep | None]:
    """Those of all fields of the schema."""
    for type_ in GRAPHQL_SCHEMA.type_map.values():
        for field in type_.fields.values() if isinstance(type_, GraphQLObjectType) else ():
            yield declared_step(field)


def test_statements_of_relations_bind_nothing_but_keys() -> None:
    relations = {each.rows for each in declared_steps() if isinstance(each, Batch) and isinstance(each.rows, Relation)}
    assert len(relations) > 30
    for relation in relations:
        statement = relation.statement(ALL)
        assert statement.parameter_names - statement.constants.keys() == {KEYS.key, "organization_id"}, statement


def test_longest_column_fits_below_all_levels() -> None:
    joins = {each.joined.join for each in declared_steps() if isinstance(each, RelatedRow) and each.joined is not None}
    longest = max(len(name) for join in joins for name in join.relation.columns_by_name)
    assert len(joins) > 30
    assert MAX_LEVELS * max(len(join.prefix) for join in joins) + longest <= 63, "PostgreSQL cuts longer names"
