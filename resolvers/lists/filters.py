"""Filters that several lists have."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Boolean, Column, ColumnElement, DateTime, Table, Text, Uuid, exists, func, or_, select
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.sql import any_

from db.tables.columns import bind, in_organization
from db.tables.people import team_members
from resolvers.lists.comparisons import folded
from resolvers.lists.list_sql import Filter, Link


def identifiers(column: ColumnElement[Any], noun: str) -> Filter:
    """`id`: rows by their ids. Unknown ids are simply absent."""
    where = column == any_(bind("id", ARRAY(Uuid())))
    return Filter(name="id", type=list[UUID], where=where, description=f"Only these {noun}, by id.")


def linked(link: Link, description: str, *, excludes: str | None = None) -> Filter:
    """Rows that a link connects with an id. An unknown id yields an empty list. For `excludes` see `Argument`."""
    name, where = link.parent.name, link.condition(bind(link.parent.name, Uuid()))
    return Filter(name=name, type=UUID, where=where, description=description, excludes=excludes)


def through(column: Column[Any], named: Column[Any], description: str) -> Filter:
    """Rows whose `column` is the id of a row of another table, deleted or not, in which `named` is an id.

    An unknown id yields an empty list.
    """
    table = named.table
    own = (in_organization(table), table.c.id == column)
    where = exists().where(*own, named == bind(named.name, Uuid()))
    compared = select(named).where(*own).scalar_subquery()
    return Filter(name=named.name, type=UUID, where=where, description=description, compared=compared)


def team(user_id: Column[Any]) -> Filter:
    """`team_id`: rows of the current members of a team. An unknown team yields an empty list."""
    membership = Link(team_members.c.user_id, team_members.c.team_id, user_id)
    return linked(membership, "Only people who are currently in this team.", excludes=user_id.name)


def person(user_id: Column[Any], description: str) -> tuple[Filter, Filter]:
    """`user_id` and `team_id`: rows of a person, or of the current members of a team."""
    return exactly(user_id, description), team(user_id)


def one_of(column: Column[Any], description: str, otherwise: ColumnElement[bool] | None = None) -> Filter:
    """Rows whose `column`, which has an enumeration, holds one of the given values."""
    where = column == any_(bind(column.name, ARRAY(Text())))
    values = list.__class_getitem__(column.info["values"])
    return Filter(name=column.name, type=values, where=where, description=description, otherwise=otherwise)


def flag(condition: ColumnElement[bool], description: str, name: str | None = None) -> Filter:
    """Rows for which a condition or a column is true (argument `true`) or false (argument `false`)."""
    name = name or str(condition.key)
    where = condition == bind(name, Boolean())
    return Filter(name=name, type=bool, where=where, description=description, compared=condition)


def active(condition: ColumnElement[bool], noun: str) -> Filter:
    """`is_active`: rows for which a condition is true, or those for which it is false."""
    return flag(condition, f"Only active (true) or inactive (false) {noun}; default: both.", name="is_active")


def exactly(
    column: ColumnElement[Any],
    description: str,
    otherwise: ColumnElement[bool] | None = None,
    *,
    name: str | None = None,
) -> Filter:
    """Rows whose `column` equals an id or a text. An unknown one yields an empty list."""
    name, kind = name or str(column.key), column.type.python_type
    where = column == bind(name, column.type)
    return Filter(name=name, type=kind, where=where, description=description, otherwise=otherwise)


def changed_since(
    name: str,
    key: ColumnElement[Any],
    tables: Iterable[Table],
    description: str,
    *others: Callable[[ColumnElement[Any], ColumnElement[Any]], ColumnElement[bool]],
) -> Filter:
    """People of whom a row in one of the tables changed, or was deleted, at or after a time.

    The changes since then are read once, by the index of their time, not for each person. `others` make further
    conditions of the person and the time, one of which is enough.
    """
    since = bind(name, DateTime(timezone=True))
    where = or_(
        *(
            key.in_(select(table.c.user_id).where(in_organization(table), table.c.updated_at >= since))
            for table in tables
        ),
        *(other(key, since) for other in others),
    )
    return Filter(name=name, type=datetime, where=where, description=description)


def search(*columns: ColumnElement[Any], description: str) -> Filter:
    """Rows in which one of the columns starts with a text, both folded."""
    start = folded(bind("search", Text()))
    return Filter(
        name="search",
        type=str,
        where=or_(*(func.starts_with(folded(column), start) for column in columns)),
        description=description,
    )
