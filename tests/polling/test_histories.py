"""Random histories: after some edits, moves, deletions, restorations, erasures and changes of the zone, a client that
polls has in each list, report and object what a full read returns.
"""

import os
import random
from collections.abc import Mapping
from typing import Any

import pytest
from sqlalchemy import Engine, Table

from db.admin.engine import connect
from db.jobs.retention.erase import erase
from db.tables.belonging import BELONGINGS, deletion_time
from tests.conftest import Connect
from tests.factories.rows import Rows
from tests.polling.column_edits import TABLES, Editor, columns_of
from tests.polling.copies import MOVES, Client, views_of
from tests.property_tests import examples
from tests.world import build

pytestmark = pytest.mark.anyio

HISTORIES = int(os.environ.get("HISTORIES", examples(2)))
"""How many are tried: each in an organization of its own."""

POLLS, EDITS = 8, 4
"""Polls of a history, and the most edits between two."""


class History:
    """Random edits of one organization."""

    def __init__(self, editor: Editor, engine: Engine, dice: random.Random) -> None:
        self.editor, self.engine, self.dice = editor, engine, dice
        self.said: list[str] = []

    def edit(self) -> None:
        table = self.dice.choice(TABLES)
        kinds = [self.change] * 6 + [self.delete, self.restore, self.restore, self.insert]
        kinds += [self.erase] if table.name == "members" else []
        rows = self.editor.rows(f"SELECT * FROM {table.name} WHERE organization_id = :own ORDER BY created_at, 2")
        if rows:
            kind, row = self.dice.choice(kinds), dict(self.dice.choice(rows)._mapping)
            done = kind(table, row)
            self.said.append(f"{kind.__name__} {table.name} {row.get('id', row.get('user_id'))}: {done}")

    def change(self, table: Table, row: Mapping[str, Any]) -> object:
        column = self.dice.choice(columns_of(table))
        assignments = list(self.editor.edits(column, row))
        self.dice.shuffle(assignments)
        return next((each for each in assignments if self.editor.update(table, row, each)), None)

    def delete(self, table: Table, row: Mapping[str, Any]) -> bool:
        used = {"organizations": True, "members": row.get("user_id") == self.editor.ids["user"]}
        return not used.get(table.name) and self.editor.update(table, row, "deleted_at = now()")

    def restore(self, table: Table, row: Mapping[str, Any]) -> bool:
        """A row is restored after what it belongs to."""
        above = [each for each in BELONGINGS if each.child is table and row[each.column] is not None]
        live = [
            self.editor.rows(
                f"SELECT 1 FROM {each.parent.name} parent WHERE organization_id = :own"
                f" AND {each.parent_key} = :key AND {deletion_time(each.parent, 'parent')} IS NULL",
                key=row[each.column],
            )
            for each in above
        ]
        return all(live) and self.editor.update(table, row, "deleted_at = NULL")

    def insert(self, table: Table, row: Mapping[str, Any]) -> bool:
        return table.name != "organizations" and row["deleted_at"] is None and self.editor.copy(table, row)

    def erase(self, table: Table, row: Mapping[str, Any]) -> bool:
        with self.engine.connect() as connection:
            erase(connection, self.editor.own, row["user_id"], list_objects=lambda _: None, force=True)
            connection.commit()
        return True


@pytest.mark.parametrize("seed", range(HISTORIES))
async def test_poller_has_what_a_full_read_returns(seed: int, rows: Rows, owner_url: str, client: Connect) -> None:
    world, dice, engine = build(rows, "H"), random.Random(f"history {seed}"), connect(owner_url)
    rows.quota(world.organization_id, 1_000_000)
    views = [view for view in views_of(world) if view.endpoint.operation not in MOVES]
    async with client(world.key) as http:
        with engine.connect() as connection:
            history = History(Editor(connection, world), engine, dice)
            poller = Client(http, world, views)
            await poller.begin()
            for _ in range(POLLS):
                history.said.clear()
                since = history.editor.rows("SELECT clock_timestamp() AS at")[0].at
                for _ in range(dice.randint(1, EDITS)):
                    history.edit()
                await poller.poll(since, views)
                different = [(view.name, found) for view, found in await poller.differences(views)]
                assert different == [], "\n".join(history.said)
    engine.dispose()
