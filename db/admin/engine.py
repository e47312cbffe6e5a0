"""Engine of the owner of the tables: for migrations, keys, quotas, imports and seeding, not for requests."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from sqlalchemy import Connection, Engine, NullPool, create_engine, event

from db.admin.key_format import without_secrets
from db.reading.hosts.address import SessionTarget, parse_address
from db.reading.transaction import NO_TRANSACTION_TIMEOUT, TRANSACTION_SETTINGS

CONNECT_TIMEOUT = 5
"""Seconds for each of several hosts, unless the address has `connect_timeout`. psycopg's default is two minutes."""

COMMAND_SETTINGS = {
    # The server ends the statement of a client that is gone, and so the locks of its transaction.
    "client_connection_check_interval": TRANSACTION_SETTINGS["client_connection_check_interval"],
    # Whatever the role, the database or the environment sets: tables are made and found in the same schema, with the
    # patterns that are written, rows of several organizations are no error, and psycopg can read times.
    "search_path": "public",
    "standard_conforming_strings": "on",
    "row_security": "on",
    "datestyle": "ISO",
    # Managed servers limit both for programs that hang; an import lasts longer.
    "statement_timeout": "0",
    "idle_in_transaction_session_timeout": "0",
}
"""Settings of each transaction."""

APPLY_COMMAND_SETTINGS = "; ".join(
    [*(f"SET LOCAL {name} = '{value}'" for name, value in COMMAND_SETTINGS.items()), f"SELECT {NO_TRANSACTION_TIMEOUT}"]
)

MAX_COMMAND = 2_000
"""Characters of a command that are logged."""

DESCRIBE_COMMAND = """
SELECT set_config('orgdata.audit',
                  json_build_object('operator', %s::text, 'role', session_user, 'command', %s::text)::text, true)
"""

LOG_COMMAND = "DO $$ BEGIN RAISE LOG 'orgdata audit %', current_setting('orgdata.audit'); END $$"


def connect(url: str, *, prepares: bool = True) -> Engine:
    """An engine without a pool. Each connection logs in anew. Raises ValueError.

    `prepares`: whether the server keeps repeated statements prepared, which PgBouncer may not allow.

    Of an address with several hosts, or with `target_session_attrs`, the primary is used: commands write, and read what
    was just written.
    """
    address = parse_address(url)
    if len(address.hosts) > 1 or address.target is not SessionTarget.any:
        parameters = {"connect_timeout": CONNECT_TIMEOUT, **conninfo_to_dict(url)}
        conninfo = make_conninfo("", **{**parameters, "target_session_attrs": SessionTarget.primary.value})
    else:
        conninfo = url
    # A database of another encoding, or a role's setting, would make text of another kind.
    creator = partial(psycopg.connect, conninfo, client_encoding="UTF8", prepare_threshold=5 if prepares else None)
    engine = create_engine("postgresql+psycopg://", creator=creator, poolclass=NullPool)
    # Of the transaction, since a pooler may give the session to another client.
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql(APPLY_COMMAND_SETTINGS))
    return engine


@contextmanager
def copying(connection: Connection, command: str, values: Mapping[str, object] | None = None) -> Iterator[psycopg.Copy]:
    """A COPY by psycopg. After an error the connection is closed, and the server rolls back its transaction.

    The COPY may still be under way then, and a rollback would fail.
    """
    driver = connection.connection.driver_connection
    assert isinstance(driver, psycopg.Connection)
    try:
        with driver.cursor() as cursor, cursor.copy(command.encode(), values) as copy:
            yield copy
    except BaseException:
        connection.invalidate()
        raise


def log_command(connection: psycopg.Connection, operator: str, command: str) -> None:
    """Log who runs a command, as which role, and its arguments without secrets, in PostgreSQL's log.

    Changes are made there; what a command logs by itself is on the terminal of whoever runs it. Called when a command
    connects: the line also names what is refused or interrupted later.
    """
    connection.execute(DESCRIBE_COMMAND, [operator, without_secrets(command)[:MAX_COMMAND]])
    connection.execute(LOG_COMMAND)
    connection.rollback()
