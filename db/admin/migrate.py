"""Bring a database to the tables of this version, as its owner."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, NullPool, create_engine, make_url, text

from db.admin.roles import ensure_service_role
from db.reading.transaction import SERVICE_ROLE

FOLDER = Path(__file__).parents[1] / "migrations"

# Any number will do, as long as every version uses the same one.
LOCK = 4_112_020


def connect(url: str) -> Engine:
    """An engine for the owner's work: migrations, keys, quotas, seeding. One statement after another, no pool."""
    return create_engine(make_url(url).set(drivername="postgresql+psycopg"), poolclass=NullPool)


def migrate(connection: Connection) -> str:
    """Apply what is missing and return the revision reached. Two that run at once wait for each other.

    Raises RoleError where the service's role is missing and can't be made.
    """
    connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
    ensure_service_role(connection)
    command.upgrade(configuration(connection), "head")
    connection.execute(text(f"GRANT USAGE ON SCHEMA public TO {SERVICE_ROLE}"))
    connection.execute(text(f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {SERVICE_ROLE}"))
    connection.commit()
    return str(MigrationContext.configure(connection).get_current_revision())


def head() -> str:
    """The revision that this version of the program needs."""
    return str(ScriptDirectory(str(FOLDER)).get_current_head())


def configuration(connection: Connection) -> Config:
    """Alembic's configuration, made here so that no path stands in a file."""
    config = Config()
    # Alembic reads its options with interpolation: a percent sign in a path must be doubled.
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
