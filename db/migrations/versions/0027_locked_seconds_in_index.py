"""The index by which reports read timesheets covers `is_locked` in every database, and the constraint of 0026 is valid.

In a database of the earlier forms of the baseline, the index is built beside the one that it replaces. In others it is
there.
"""

from alembic import op
from sqlalchemy import text

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

NAME = "timesheets_organization_id_user_id_started_at_id_idx"
NEW_NAME = "timesheets_covering_is_locked_idx"

COLUMNS = """
SELECT indexrelid::regclass::text AS name, indisvalid AS is_valid, EXISTS (
  SELECT FROM pg_attribute WHERE attrelid = indexrelid AND attname = 'is_locked'
) AS covers
FROM pg_index WHERE indexrelid IN (to_regclass(:name), to_regclass(:new_name))
"""


def upgrade() -> None:
    # A lock of the same mode as those of a concurrent index, so that a run waits while another one builds it.
    op.execute("LOCK TABLE timesheets IN SHARE UPDATE EXCLUSIVE MODE")
    op.execute("ALTER TABLE timesheets VALIDATE CONSTRAINT timesheets_tags_without_null_check")
    found = {} if op.get_context().as_sql else _indexes()
    if found.get(NAME):
        return
    with op.get_context().autocommit_block():
        if found.get(NEW_NAME) is False:
            # An interrupted run left it.
            op.execute(f"DROP INDEX CONCURRENTLY {NEW_NAME}")
        op.execute(f"""
            CREATE INDEX CONCURRENTLY IF NOT EXISTS {NEW_NAME}
            ON timesheets (organization_id, user_id, started_at, id)
            INCLUDE (ended_at, tracked_until, project_id, task_id, kind, is_billable, is_locked, input_seconds,
              active_seconds, keyboard_seconds, mouse_seconds, updated_at, deleted_at)
        """)
        op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {NAME}")
    # No statement names an index.
    op.execute(f"-- squawk-ignore renaming-object\nALTER INDEX IF EXISTS {NEW_NAME} RENAME TO {NAME}")


def _indexes() -> dict[str, bool]:
    """Whether each of the two indexes, if it exists, can be used as it is."""
    rows = op.get_bind().execute(text(COLUMNS), {"name": NAME, "new_name": NEW_NAME})
    return {row.name: row.is_valid and row.covers for row in rows}
