"""SQL functions of triggers that move `updated_at` of the rows that show a changed row."""

from collections.abc import Callable, Iterable

from sqlalchemy import Table

from db.tables.belonging import Shown


def touch_function(table: Table, shown: Iterable[Shown]) -> str:
    """The function that moves `updated_at` of the rows that show changed rows, unless it is as late already.

    It runs once a statement, so that many rows cost one UPDATE of the rows that show them.
    """
    shown = list(shown)
    key = [column.name for column in table.primary_key]
    same = " AND ".join(f"o.{name} = n.{name}" for name in key)

    def updates(rows: Callable[[Shown], str], *, is_update: bool) -> str:
        return (
            "".join(
                f"""
    UPDATE public.{each.by.name} shows SET updated_at = changed.at
    FROM (SELECT organization_id, key, max(at) AS at FROM ({rows(each)}) AS change GROUP BY 1, 2) AS changed
    WHERE shows.organization_id = changed.organization_id AND shows.{each.key} = changed.key
      AND shows.updated_at < changed.at;"""
                for each in shown
                if is_update or not each.is_referred
            )
            or "\n    NULL;"
        )

    def updated(each: Shown) -> str:
        old, new = (", ".join(f"{row}.{name}" for name in each.of) for row in "on")
        where = f" WHERE ROW({old}) IS DISTINCT FROM ROW({new})" if each.of else ""
        keys = f"unnest(ARRAY[o.{each.column}, n.{each.column}]) AS key"
        rows = f"FROM old_rows o JOIN new_rows n ON {same}{where}"
        return f"SELECT n.organization_id, {keys}, n.updated_at AS at {rows}"

    def inserted(each: Shown) -> str:
        return f"SELECT organization_id, {each.column} AS key, updated_at AS at FROM new_rows"

    def deleted(each: Shown) -> str:
        at = "statement_timestamp() AS at FROM old_rows WHERE deleted_at IS NULL"
        return f"SELECT organization_id, {each.column} AS key, {at}"

    return f"""
CREATE OR REPLACE FUNCTION public.touch_of_{table.name}() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  -- Restored rows are as they were, and those that show them.
  IF current_setting('app.restores', true) = 'on' THEN RETURN NULL; END IF;
  IF TG_OP = 'UPDATE' THEN
    -- Statements without rows run it, too: without an end, where two tables show each other.
    IF NOT EXISTS (SELECT FROM new_rows) THEN RETURN NULL; END IF;{updates(updated, is_update=True)}
  ELSIF TG_OP = 'INSERT' THEN{updates(inserted, is_update=False)}
  ELSE{updates(deleted, is_update=False)}
  END IF;
  RETURN NULL;
END $$
"""
