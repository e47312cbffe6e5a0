"""The engine of commands that administer the database: as the owner of its tables."""

import os
import shlex
import sys
from getpass import getuser
from socket import gethostname
from typing import Any

from sqlalchemy import Engine, event

from db.admin.engine import connect, log_command
from db.admin.roles import require_owner
from rest_facade.settings import load, require_settings


def owner_engine(*, migrates: bool = False) -> Engine:
    """An engine for ORGDATA_DATABASE_URL. Raises OperatorError, also when it connects as another role.

    `migrates`: for `orgdata migrate`, which also repairs what other commands need.

    Its first connection leaves a line about the command in PostgreSQL's log.
    """
    settings = load()
    url = require_settings(settings, "database_url").get_secret_value()
    engine = connect(url, prepares=settings.prepare_threshold is not None)

    def check(driver: Any, _record: object) -> None:
        require_owner(driver, migrates=migrates)
        log_command(driver, _operator(), shlex.join(sys.argv[1:]))

    event.listen(engine, "connect", check, once=True)
    return engine


def _operator() -> str:
    """The user of the operating system, before sudo, and the machine."""
    try:
        user = getuser()
    except (KeyError, OSError):
        # In a container a user may have no name.
        user = str(os.getuid())
    return f"{os.environ.get('SUDO_USER', user)}@{gethostname()}"
