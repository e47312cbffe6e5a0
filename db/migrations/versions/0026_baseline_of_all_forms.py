"""What the baseline lacked in its earlier forms, and in the revision 0024 that it replaced: columns and autovacuum.

The baseline was changed after it had landed. Each statement makes only what is missing; in a new database all is there.
"""

from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None

GROWING = ("timesheets", "idle_times", "activity_slots", "clock_records", "app_usages", "url_usages", "screenshots")
"""The tables that grow each day."""


def upgrade() -> None:
    # A default that is a constant is not written into the rows.
    op.execute("""
        ALTER TABLE timesheets
          ADD COLUMN IF NOT EXISTS note text,
          ADD COLUMN IF NOT EXISTS tags text[] DEFAULT '{}' NOT NULL
    """)
    # The next revision validates it.
    op.execute("""
        DO $$
        BEGIN
          IF NOT EXISTS (
            SELECT FROM pg_constraint
            WHERE conrelid = 'timesheets'::regclass AND conname = 'timesheets_tags_without_null_check'
          ) THEN
            ALTER TABLE timesheets ADD CONSTRAINT timesheets_tags_without_null_check
              CHECK (CASE WHEN array_ndims(tags) > 1 THEN false ELSE array_position(tags, NULL) IS NULL END) NOT VALID;
          END IF;
        END $$
    """)
    for table in GROWING:
        op.execute(f"""
            ALTER TABLE {table} SET (autovacuum_vacuum_scale_factor = 0.02,
              autovacuum_vacuum_insert_scale_factor = 0.01, autovacuum_analyze_scale_factor = 0.02)
        """)
