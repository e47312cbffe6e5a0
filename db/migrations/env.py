"""Alembic's entry point: runs the migrations on the connection that `db.admin.migrate` passes."""

from alembic import context

from db.tables import activity, keys, leaves, money, payroll, people, timesheets, work
from db.tables.columns import metadata

AREAS = (keys, people, work, timesheets, activity, money, payroll, leaves)  # imported for their tables

context.configure(
    connection=context.config.attributes["connection"], target_metadata=metadata, compare_server_default=True
)
with context.begin_transaction():
    context.run_migrations()
