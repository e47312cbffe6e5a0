"""Migrate a database to the schema of this version, as its owner."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, NullPool, create_engine, make_url, text

from db.admin.roles import ensure_service_role
from db.reading.transaction import SERVICE_ROLE

FOLDER = Path(__file__).parents[1] / "migrations"

# The key of an advisory lock: any number, the same in every version.
ADVISORY_LOCK = 4_112_020


def connect(url: str) -> Engine:
    """An engine without a pool, for the owner's work: migrations, keys, quotas, seeding."""
    return create_engine(make_url(url).set(drivername="postgresql+psycopg"), poolclass=NullPool)


def migrate(connection: Connection) -> str:
    """Apply the missing migrations and return the new revision. An advisory lock makes concurrent runs wait.

    Raises RoleError if the service's role is missing and cannot be created.
    """
    connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": ADVISORY_LOCK})
    ensure_service_role(connection)
    command.upgrade(configuration(connection), "head")
    connection.execute(text(f"GRANT USAGE ON SCHEMA public TO {SERVICE_ROLE}"))
    connection.execute(text(f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {SERVICE_ROLE}"))
    connection.commit()
    return str(MigrationContext.configure(connection).get_current_revision())


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
