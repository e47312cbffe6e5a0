"""Databases of the test server: their names, a superuser's sessions in them, and migrations."""

from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from db.admin.engine import connect
from db.admin.migrate import migrate
from db.sample.embedded.server import Server


def database_name(url: str) -> str:
    return str(conninfo_to_dict(url)["dbname"])


def superuser_of(server: Server, url: str, *, autocommit: bool = True, **options: Any) -> psycopg.Connection[Any]:
    """A superuser's session in the database of a URL."""
    return psycopg.connect(server.url("postgres", database_name(url)), autocommit=autocommit, **options)


def migrate_at(url: str, **options: Any) -> str:
    """Migrate a database as its owner; returns its revision."""
    with connect(url).connect() as connection:
        return migrate(connection, **options)
