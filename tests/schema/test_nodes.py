"""Rows by their ids: in the order of the ids, null where there is none, and an error of a field of one row.

Covers `resolvers/relations/nodes.py`.
"""

from datetime import timedelta
from functools import partial
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Table, select, update

from db.tables.columns import metadata
from resolvers import context
from rest_facade.composition import Service
from tests.factories.base import THEN
from tests.factories.rows import Rows
from tests.resolvers.answers import data_of, refusals
from tests.schema.nodes import NODES, key_of
from tests.world import World, build


@pytest.fixture
def world(rows: Rows, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setattr(context, "clock", lambda: THEN + timedelta(days=1))
    return build(rows, "A")


def ids_in(rows: Rows, world: World, table: Table) -> list[UUID]:
    key = table.c[key_of(table)]
    found = select(key).where(table.c.organization_id == world.organization_id).order_by(key)
    with rows.transaction(world.organization_id):
        return list(rows.connection.execute(found).scalars())


def test_every_row_with_an_id_is_a_node() -> None:
    assert [name for name, roots in NODES.items() if not all(roots)] == []


async def test_nodes_are_in_order_and_missing_ones_null(service: Service, world: World, rows: Rows) -> None:
    # Rows go with the row that they belong to, which comes before them.
    for name, (one, several) in reversed(NODES.items()):
        table = metadata.tables[name]
        key = key_of(table)
        first, second, third = ids_in(rows, world, table)[:3]
        with rows.transaction(world.organization_id):
            deleted = (table.c.organization_id == world.organization_id, table.c[key] == third)
            if name not in ("members", "leave_balances"):
                rows.connection.execute(update(table).where(*deleted).values(deleted_at=THEN))
        absent = third if name not in ("members", "leave_balances") else uuid4()
        ids = ", ".join(f'"{id_}"' for id_ in (second, absent, uuid4(), first))
        read = partial(data_of, service.database, world.organization_id)
        data = await read(f"{{ {several}(ids: [{ids}]) {{ {key} }} }}")
        assert data[several] == [{key: str(second)}, None, None, {key: str(first)}], several
        assert await read(f'{{ {one}(id: "{first}") {{ {key} }} }}') == {one: {key: str(first)}}
        (message,) = await refusals(service.database, world.organization_id, f'{{ {one}(id: "{absent}") {{ {key} }} }}')
        assert message.endswith(" not found."), one
