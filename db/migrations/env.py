"""Alembic's entry point: runs the migrations on the connection that `db.admin.migrate` passes.

What it passes as `on_version_apply` is called in the transaction of a revision, after the revision is recorded.
"""

from alembic import context

from db.migrations.comparison import is_compared
from db.tables.areas import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    compare_server_default=True,
    include_object=is_compared,
    on_version_apply=context.config.attributes.get("on_version_apply"),
)
with context.begin_transaction():
    context.run_migrations()
