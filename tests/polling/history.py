"""Random edits of a world: of columns and parents, deletions, restorations, insertions, erasures, merges, zones."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Table

from db.jobs.retention.erase import erase
from db.tables.columns import metadata
from tests.polling.column_edits import TABLES, Editor, columns_of

KINDS = (*["change"] * 12, *["restore"] * 4, *("delete", "insert", "move") * 2, *("erase", "merge", "set_zone"))
"""The kinds of edits, each as often as it is tried."""

MERGE = """
INSERT INTO {usages} SELECT merged.* FROM {usages} usage,
  jsonb_populate_record(usage, jsonb_build_object('{key}', cast(:into AS uuid), 'created_at', statement_timestamp(),
                                                  'updated_at', statement_timestamp())) merged
WHERE usage.organization_id = :own AND usage.{key} = :merged AND usage.deleted_at IS NULL
ON CONFLICT (organization_id, user_id, slot_at, {keys}, timesheet_id)
DO UPDATE SET duration_seconds = least(900, {usages}.duration_seconds + excluded.duration_seconds), deleted_at = NULL
"""
"""What docs/feeding-rules.md says of two applications that are one."""


class History:
    """Random edits of one organization."""

    def __init__(self, editor: Editor, dice: random.Random, kinds: Sequence[str] = KINDS) -> None:
        self.editor, self.dice, self.kinds = editor, dice, kinds
        self.said: list[str] = []

    def edit(self) -> None:
        kind = getattr(self, self.dice.choice(self.kinds))
        table = metadata.tables["members"] if kind == self.erase else self.dice.choice(TABLES)
        rows = self.editor.rows(f"SELECT * FROM {table.name} WHERE organization_id = :own ORDER BY created_at, 2")
        if rows:
            row = dict(self.dice.choice(rows)._mapping)
            done = kind(table, row)
            self.said.append(f"{kind.__name__} {table.name} {row.get('id', row.get('user_id'))}: {done}")

    def change(self, table: Table, row: Mapping[str, Any], *, is_move: bool = False) -> object:
        columns = [column for column in columns_of(table) if column.foreign_keys or not is_move]
        # The key of a suspended organization opens nothing.
        columns = [column for column in columns if str(column) != "organizations.status"]
        if not columns:
            return None
        assignments = list(self.editor.edits(self.dice.choice(columns), row))
        self.dice.shuffle(assignments)
        return next((each for each in assignments if self.editor.update(table, row, each)), None)

    def move(self, table: Table, row: Mapping[str, Any]) -> object:
        """Another parent, or another person."""
        return self.change(table, row, is_move=True)

    def delete(self, table: Table, row: Mapping[str, Any]) -> bool:
        used = {"organizations": True, "members": row.get("user_id") == self.editor.ids["user"]}
        return not used.get(table.name) and self.editor.update(table, row, "deleted_at = clock_timestamp()")

    def restore(self, table: Table, row: Mapping[str, Any]) -> bool:
        return self.editor.update(table, row, "deleted_at = NULL")

    def insert(self, table: Table, row: Mapping[str, Any]) -> bool:
        return table.name != "organizations" and row["deleted_at"] is None and self.editor.copy(table, row)

    def erase(self, table: Table, row: Mapping[str, Any]) -> bool:
        erase(self.editor.connection, self.editor.own, row["user_id"], list_objects=lambda _: None, force=True)
        return True

    def merge(self, table: Table, row: Mapping[str, Any]) -> bool:
        """Two applications, or two domains, become one."""
        usages, key, keys = self.dice.choice(
            [("app_usages", "app_id", "app_id"), ("url_usages", "domain_id", "domain_id, page_id")]
        )
        used = self.editor.rows(f"SELECT DISTINCT {key} FROM {usages} WHERE organization_id = :own ORDER BY 1")
        known = self.editor.rows(f"SELECT id FROM {key[:-3]}s WHERE organization_id = :own ORDER BY 1")
        ids = {"merged": self.dice.choice(used)[0], "into": self.dice.choice(known)[0]}
        delete = f"UPDATE {usages} SET deleted_at = clock_timestamp() WHERE organization_id = :own AND {key} = :merged"
        return (
            ids["merged"] != ids["into"]
            and self.editor.is_done(MERGE.format(usages=usages, key=key, keys=keys), **ids)
            and self.editor.is_done(f"{delete} AND deleted_at IS NULL", **ids)
        )

    def set_zone(self, table: Table, row: Mapping[str, Any]) -> bool:
        zone = self.dice.choice(("UTC", "Europe/Berlin", "America/St_Johns", "Asia/Kolkata", "Pacific/Apia"))
        return self.editor.is_done("UPDATE organizations SET timezone = :zone WHERE organization_id = :own", zone=zone)
