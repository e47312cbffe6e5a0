"""Migrate a database to the schema of this version, as its owner."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from db.admin.comments import ensure_comments
from db.admin.functions import ensure_functions
from db.admin.reference_lists import add_reference_rows
from db.admin.roles import ensure_roles, grant_rights
from db.admin.triggers import ensure_triggers, has_cascades

FOLDER = Path(__file__).parents[1] / "migrations"

# The key of an advisory lock: any number, the same in every version.
ADVISORY_LOCK = 4_112_020

FIRST_WITH_TRIGGERS = "0012"
"""The revision since which databases have triggers, or lack the cascades by choice."""


def migrate(connection: Connection, *, cascades: bool | None = None) -> str:
    """Apply the missing migrations and return the new revision. An advisory lock makes concurrent runs wait.

    Functions, triggers, comments, reference lists, roles and rights are not in migrations: each run makes them as this
    version declares them. `cascades`: whether triggers soft-delete what belongs to a row (`db.admin.triggers`); None
    leaves it as it is, and a database that never had triggers gets them.

    Raises RoleError if a role is missing and cannot be created, and MigrationError if rows break a new rule.
    """
    connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": ADVISORY_LOCK})
    # For Citus: the triggers of a row itself, and no others, are safe on distributed tables.
    connection.execute(text("SELECT set_config('citus.enable_unsafe_triggers', 'on', true)"))
    ensure_roles(connection)
    if cascades is None:
        before = revision_of(connection)
        cascades = before is None or before < FIRST_WITH_TRIGGERS or has_cascades(connection)
    ensure_functions(connection)
    command.upgrade(configuration(connection), "head")
    add_reference_rows(connection)
    ensure_triggers(connection, cascades=cascades)
    ensure_comments(connection)
    grant_rights(connection)
    connection.commit()
    return str(revision_of(connection))


def revision_of(connection: Connection) -> str | None:
    """The revision that the database is at; None before the first migration."""
    return MigrationContext.configure(connection).get_current_revision()


def head() -> str:
    """The revision that this version requires."""
    return str(ScriptDirectory(str(FOLDER)).get_current_head())


def configuration(connection: Connection) -> Config:
    """Alembic's configuration, built here so that no file holds a path."""
    config = Config()
    # Alembic reads its options with interpolation: a percent sign in a path must be doubled.
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
