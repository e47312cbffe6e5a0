"""SQL that finds, counts and drops the rows of a table that fall out of a retention.

A person's rows before a time are a range of an index, and the persons of an organization are its members, in the order
of their ids. So no statement reads a row that is kept. All values are parameters.
"""

from db.jobs.retention.retentions import RetainedTable
from db.jobs.retention.stored_objects import object_columns

FIRST_TIME = "timestamptz '-infinity'"


def count_statement(retained: RetainedTable) -> str:
    """How many rows of the organization are older than `before`."""
    counts = " + ".join(
        f"(SELECT count(*) FROM {retained.table.name} WHERE {_is_old(retained, part)})" for part in retained.parts
    )
    return f"SELECT coalesce(sum({counts}), 0)::bigint FROM members m WHERE m.organization_id = :organization"


def drop_statement(retained: RetainedTable, part: str) -> str:
    """Drop the next `rows` rows at and after the place of `user` and `since`, in the order of person and time.

    It looks at `people` persons at most. Its row has the numbers of `people`, and of their rows that it `found` and
    `dropped`, the `objects` of the dropped ones as JSON, and the place of the next batch (`user_id`, `at`). If both
    `people` and `found` are below their limits, there are no more. Rows that other transactions hold are found and not
    dropped: nothing waits for them.
    """
    table, time = retained.table.name, retained.time
    own = f"FROM {table} WHERE organization_id = :organization AND ctid = ANY"
    returned, objects = "ctid", "NULL"
    if keys := ", ".join(object_columns(retained.table)):
        returned = f"id, {keys}"
        objects = f"(SELECT jsonb_agg(jsonb_build_array(id, {keys})) FROM dropped WHERE coalesce({keys}) IS NOT NULL)"
    return f"""
WITH people AS MATERIALIZED (
  SELECT user_id FROM members
  WHERE organization_id = :organization AND user_id >= :user ORDER BY user_id LIMIT :people
), old AS MATERIALIZED (
  SELECT m.user_id, r.at, r.place
  FROM people m CROSS JOIN LATERAL (
    SELECT {time} AS at, ctid AS place FROM {table}
    WHERE {_is_old(retained, part)} AND {time} >= CASE WHEN m.user_id = :user THEN :since ELSE {FIRST_TIME} END
    ORDER BY {time} LIMIT :rows) r
  ORDER BY m.user_id, r.at LIMIT :rows
), free AS MATERIALIZED (
  SELECT ctid AS place {own} (ARRAY(SELECT place FROM old)) FOR UPDATE SKIP LOCKED
), dropped AS (
  DELETE {own} (ARRAY(SELECT place FROM free)) RETURNING {returned}
), counts AS (
  SELECT (SELECT count(*) FROM people) AS people, (SELECT count(*) FROM old) AS found,
         (SELECT count(*) FROM dropped) AS dropped, {objects} AS objects
)
SELECT counts.*, place.user_id, place.at FROM counts LEFT JOIN LATERAL (
  (SELECT user_id, at FROM old WHERE found = :rows ORDER BY user_id DESC, at DESC LIMIT 1)
  UNION ALL
  (SELECT user_id, :before FROM people WHERE found < :rows ORDER BY user_id DESC LIMIT 1)) place ON true"""


def _is_old(retained: RetainedTable, part: str) -> str:
    """The condition on a row of the member `m`."""
    return f"organization_id = :organization AND user_id = m.user_id AND {part} AND {retained.time} < :before"
