"""The engine of commands that administer the database: as the owner of its tables."""

from typing import Any

from sqlalchemy import Engine, event

from db.admin.engine import connect
from db.admin.roles import require_owner
from rest_facade.settings import load, require_settings


def owner_engine() -> Engine:
    """An engine for ORGDATA_DATABASE_URL. Raises SettingsError, and RoleError when it connects as another role."""
    engine = connect(require_settings(load(), "database_url").get_secret_value())

    def check(driver: Any, _record: object) -> None:
        require_owner(driver)

    event.listen(engine, "connect", check)
    return engine
