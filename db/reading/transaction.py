"""First statement of every transaction: it sets the role, the organization or the key, and the limits.

All settings are local to the transaction, because a pooler may run the next transaction in another session, and the
session's next transaction may be another client's. The statement takes the server 3 microseconds.

Where the tables are distributed (Citus), rows are read on other nodes, and row-level security is effective there. What
`set_config()` sets stays on the node that was asked; `SET LOCAL` goes to the others, inside a transaction block and
with `citus.propagate_set_commands`. So such a transaction begins with BEGIN and ends with COMMIT, in one round trip,
too. A plain server does not pay for it.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple
from uuid import UUID

from psycopg.errors import QueryCanceled

from db.reading.fair_queue import ANY_TENANT, Ticket
from db.reading.statement import Statement

BoundStatement = tuple[Statement, Mapping[str, Any]]
"""A statement and the values of its parameters, without those that `Database` adds."""

SERVICE_ROLE = "orgdata_service"
"""The role that reads: it owns nothing, and may only SELECT. `db.admin.roles` creates it."""

NO_ORGANIZATION = UUID(int=0)
"""An id that no organization has."""

SET_ROLE = f"SELECT WHERE set_config('role', '{SERVICE_ROLE}', true) IS NOT NULL"

SET_ORGANIZATION_ID = "set_config('app.organization_id', %(organization_id)s, true)"
SET_PUBLIC_ID = "set_config('app.public_id', %(public_id)s, true)"

SET_ORGANIZATION_OF_KEY = f"""
SELECT WHERE set_config(
  'app.organization_id',
  coalesce((SELECT organization_id FROM api_keys WHERE public_id = %(public_id)s), '{NO_ORGANIZATION}')::text,
  true) IS NOT NULL
"""
"""A statement of its own after SET_PUBLIC_ID, by which row-level security shows the key."""

TRANSACTION_SETTINGS = {
    # Whatever role logged in, a read can change nothing.
    "role": SERVICE_ROLE,
    "transaction_read_only": "on",
    # Whatever the role, the database or the server sets: statements find their tables, and see the rows of the
    # organization instead of an error.
    "search_path": "public",
    "row_security": "on",
    "timezone": "UTC",
    # JIT compilation of a report takes seconds, its execution tenths of a second.
    "jit": "off",
    # One plan for all values: the planner would plan most statements anew at each execution, which costs up to four
    # times their execution. Tests prove the plans that this makes (`tests/test_plans.py`).
    "plan_cache_mode": "force_generic_plan",
    # A cancelled read closes its connection; the server notices within this time and stops the statement.
    "client_connection_check_interval": "1s",
}

NO_TRANSACTION_TIMEOUT = """CASE WHEN current_setting('transaction_timeout', true) IS NOT NULL
THEN set_config('transaction_timeout', '0', true) ELSE '0' END"""
"""A limit of the role, shorter than that of a statement, would end the connection. PostgreSQL 17 introduced it."""

PROPAGATED_SETTINGS = {"timezone": "'UTC'", "jit": "off"}
"""What the other nodes need as well. Their role is that of the transaction, which is read-only there, too."""

PROPAGATE = "set_config('citus.propagate_set_commands', 'local', true)"

CANCELLED_FOR_TIMEOUT = "canceling statement due to statement timeout"
CANCELLED_BY_USER = "canceling statement due to user request"


class StatementTimeout(QueryCanceled):
    """PostgreSQL cancelled a statement that ran longer than the limit of a statement, which is `seconds`."""

    def __init__(self, message: str, seconds: float) -> None:
        super().__init__(message)
        self.seconds = seconds


def is_statement_timeout(error: QueryCanceled, seconds: float, statement_timeout: float) -> bool:
    """Whether the limit of a statement cancelled it, and not a user. `seconds`: how long its transaction took."""
    message = error.diag.message_primary
    # The server may write in another language (lc_messages). Then only the time tells the causes apart.
    return message == CANCELLED_FOR_TIMEOUT or (message != CANCELLED_BY_USER and seconds >= statement_timeout)


class Transaction(NamedTuple):
    """A read-only transaction: its first statement evaluates `expression` with the values `settings`.

    `expression`: SET_ORGANIZATION_ID, SET_PUBLIC_ID or a constant. `then`: SQL of further statements with these values,
    on plain tables. `is_dated`: the first statement returns the moment of `db.reading.data_as_of`.
    """

    expression: str
    settings: Mapping[str, str]
    statements: Sequence[BoundStatement] = ()
    ticket: Ticket = ANY_TENANT
    then: Sequence[str] = ()
    is_dated: bool = False


@cache
def transaction_start(expression: str, statement_timeout: float, columns: str = "", *, is_block: bool = False) -> str:
    """SQL that applies the settings and evaluates `expression`: SET_ORGANIZATION_ID, SET_PUBLIC_ID or a constant.

    `columns`: expressions whose values are the result. `is_block`: the tables are distributed, and a BEGIN came before,
    which made the transaction read-only.
    """
    settings = TRANSACTION_SETTINGS | {"statement_timeout": f"{int(statement_timeout * 1000)}ms"}
    if is_block:
        # Citus finds the node of a statement by the values of its parameters, which a generic plan does not have.
        del settings["transaction_read_only"], settings["plan_cache_mode"]
    set_local = [f"set_config('{name}', '{value}', true)" for name, value in settings.items()]
    # A WHERE evaluates them as well as columns would, and the answer has no more columns.
    conditions = [f"{each} IS NOT NULL" for each in [expression, *set_local, NO_TRANSACTION_TIMEOUT]]
    return f"SELECT {columns} WHERE {' AND '.join(conditions)}"
