"""Locks of tables, and the statements that wait for one: reads that the database does not answer for a while."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg


@contextmanager
def locked(url: str, table: str) -> Iterator[None]:
    """Hold an exclusive lock on a table."""
    with psycopg.connect(url) as connection:
        connection.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE".encode())
        yield


def waiting(url: str) -> int:
    """The number of statements in this database that wait for a lock."""
    query = """SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND pid <> pg_backend_pid()"""
    with psycopg.connect(url, autocommit=True) as connection:
        (number,) = connection.execute(query).fetchone() or (0,)
        return int(number)
