"""The connection of commands that administer the database: as the owner of its tables."""

from contextlib import AbstractContextManager

from sqlalchemy import Connection, Engine

from db.admin.engine import connect
from rest_facade.settings import load, require_settings


def owner_engine() -> Engine:
    """An engine for ORGDATA_DATABASE_URL. Raises SettingsError."""
    return connect(require_settings(load(), "database_url").get_secret_value())


def owner_transaction() -> AbstractContextManager[Connection]:
    """A transaction that is committed at its end, and rolled back on an error."""
    return owner_engine().begin()
