"""A world, filled: a small organization in which every list has rows."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

from sqlalchemy import Date, Table, Text, exists, select

from db.tables.columns import metadata
from db.tables.reference import PINNED_LISTS
from tests.factories import activity, leaves, money, timesheets
from tests.factories.base import NAMES, THEN
from tests.factories.rows import Rows
from tests.factories.world import SIZE, World, named

__all__ = ["SIZE", "World", "build", "named"]

KEY = ["organization_id", "id"]


def build(rows: Rows, tag: str) -> World:
    """A new world. Each list has SIZE rows, two of which were created at the same moment."""
    own = rows.organization(organization_id=uuid4(), name=f"{tag}-organization")
    world = World(tag, own, key=rows.partner_key(own))
    world.ids = {f"{name}_id": named(name) for name in ("user", "team", "client", "project", "task")}
    with rows.transaction(own):
        _fill(rows, world)
        for area in (timesheets, activity, money, leaves):
            area.fill(rows, world)
        for table in _empty(rows, world):
            _fill_by_type(rows, world, table)
    return world


def _fill(rows: Rows, world: World) -> None:
    own, tag = world.organization_id, world.tag
    created = [THEN + timedelta(minutes=max(0, number - 1)) for number in range(SIZE)]
    for n, at in enumerate(created):
        names = {"full_name": f"{tag}-member {n}", "email": f"{tag}-{n}@example.com"}
        rows.member(own, user_id=named("user", n), **names, created_at=at)
        rows.team(own, id=named("team", n), name=f"{tag}-team {n}", created_at=at)
        rows.client(own, id=named("client", n), name=f"{tag}-client {n}", created_at=at)
        rows.project(own, id=named("project", n), client_id=named("client"), name=f"{tag}-project {n}", created_at=at)
        rows.task(own, named("project"), id=named("task", n), name=f"{tag}-task {n}", created_at=at)
    for n, at in enumerate(created):
        rows.team_member(own, named("team"), named("user", n), id=named("team member", n), joined_at=at)
        rows.project_member(own, named("project"), named("user", n), id=named("pm", n), created_at=at)
        rows.task_member(own, named("task"), named("user", n), id=named("task member", n), created_at=at)
        if n:
            rows.project_member(own, named("project", n), named("user"), id=named("pm", 100 + n), created_at=at)


def _empty(rows: Rows, world: World) -> list[Table]:
    """The tables of rows with an id that nothing above has filled, those that are pointed at first."""
    tables = [table for table in metadata.sorted_tables if [*table.primary_key.columns.keys()] == KEY]
    filled = [exists().where(table.c.organization_id == world.organization_id) for table in tables]
    found = rows.connection.execute(select(*filled)).one()
    return [table for table, is_filled in zip(tables, found, strict=True) if not is_filled]


def _fill_by_type(rows: Rows, world: World, table: Table) -> None:
    """Rows of a table for which nothing special is declared: each column has a value of its type."""
    keys = [key for key in table.foreign_keys if key.column.table not in PINNED_LISTS]
    targets = {key.parent.name: key.column for key in keys if key.parent.name != "organization_id"}
    world.ids.setdefault(f"{table.name.removesuffix('s')}_id", named(_noun(table)))
    for n in range(SIZE):
        at = THEN + timedelta(minutes=max(0, n - 1))
        values = {"id": named(_noun(table), n), "created_at": at} | {
            name: world.ids.get(column.name) or named(_noun(column.table)) for name, column in targets.items()
        }
        for column in table.columns:
            if column.name in {*values, *KEY, "updated_at", "deleted_at"} or "values" in column.info:
                continue
            if column.name in NAMES:
                values[column.name] = NAMES[column.name]
            elif isinstance(column.type, Text):
                values[column.name] = f"{world.tag}-{column.name} {n}"
            elif isinstance(column.type, Date):
                values[column.name] = THEN.date() + timedelta(days=n)
        rows.row(table, world.organization_id, **values)


def _noun(table: Any) -> str:
    """The name that ids of rows of the table have: `leave type` of `leave_types`."""
    return str(table.name).removesuffix("s").replace("_", " ")
