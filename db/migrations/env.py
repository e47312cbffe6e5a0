"""Alembic's entry point: runs the migrations on the connection that `db.admin.migrate` passes."""

from alembic import context

from db.migrations.comparison import is_compared
from db.tables.areas import AREAS
from db.tables.columns import metadata

assert AREAS, "all tables are declared"

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    compare_server_default=True,
    include_object=is_compared,
)
with context.begin_transaction():
    context.run_migrations()
