"""Database on the embedded server, with an owner who is not a superuser."""

import psycopg
from psycopg import sql

from db.sample.embedded.server import Server

OWNER = "orgdata_owner"
DATABASE = "orgdata"


def ensure_database(server: Server, database: str = DATABASE) -> str:
    """Create the owner and its database if they are missing; returns the owner's URL."""
    with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
        if connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [OWNER]).fetchone() is None:
            connection.execute(sql.SQL("CREATE ROLE {} LOGIN CREATEROLE").format(sql.Identifier(OWNER)))
        if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [database]).fetchone() is None:
            connection.execute(
                sql.SQL("CREATE DATABASE {} OWNER {}").format(sql.Identifier(database), sql.Identifier(OWNER))
            )
    return server.url(OWNER, database)
