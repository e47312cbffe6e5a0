"""The engine of commands that administer the database: as the owner of its tables."""

from sqlalchemy import Engine

from db.admin.engine import connect
from rest_facade.settings import load, require_settings


def owner_engine() -> Engine:
    """An engine for ORGDATA_DATABASE_URL. Raises SettingsError."""
    return connect(require_settings(load(), "database_url").get_secret_value())
