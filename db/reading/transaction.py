"""First statement of every transaction: it sets the role, the organization or the key, and the limits.

All settings are local to the transaction, because a pooler may run the next transaction in another session, and the
session's next transaction may be another client's. The statement takes the server 3 microseconds.

Where the tables are distributed (Citus), rows are read on other nodes, and row-level security is effective there. What
`set_config()` sets stays on the node that was asked; `SET LOCAL` goes to the others, inside a transaction block and
with `citus.propagate_set_commands`. So such a transaction begins with BEGIN and ends with COMMIT, in one round trip,
too. A plain server does not pay for it.
"""

from collections.abc import Mapping, Sequence
from uuid import UUID

from psycopg.errors import QueryCanceled

from db.reading.connection import BoundSql, Command
from db.reading.data_as_of import DATA_AS_OF, DATA_AS_OF_ON_PRIMARY
from db.reading.distribution.shards import IS_LOCAL

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
    "timezone": "UTC",
    # JIT compilation of a report takes seconds, its execution tenths of a second.
    "jit": "off",
    # One plan for all values: the planner would plan most statements anew at each execution, which costs up to four
    # times their execution. Tests prove the plans that this makes (`tests/test_plans.py`).
    "plan_cache_mode": "force_generic_plan",
    # A cancelled read closes its connection; the server notices within this time and stops the statement.
    "client_connection_check_interval": "1s",
}


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


class TransactionStart:
    """What transactions begin with that share an `expression`: SET_ORGANIZATION_ID, SET_PUBLIC_ID or a constant.

    `then`: SQL of further statements on plain tables. `shows_moment`: the first statement returns the moment of
    `db.reading.data_as_of`.
    """

    def __init__(
        self, expression: str, statement_timeout: float, *, then: Sequence[str] = (), shows_moment: bool = False
    ) -> None:
        self._plain: dict[bool, list[str]] = {}
        self._on_shard: dict[bool, str] = {}
        self._distributed: dict[bool, Sequence[BoundSql | Command]] = {}
        # On a replica the moment takes four functions, which cost more than the rest of the statement.
        for is_primary, moment in ((True, DATA_AS_OF_ON_PRIMARY), (False, DATA_AS_OF)):
            column = moment if shows_moment else ""
            self._plain[is_primary] = [transaction_start(expression, statement_timeout, column=column), *then]
            if shows_moment:
                # Null says that the node does not have the shard.
                column_on_shard = f"CASE WHEN {IS_LOCAL} THEN {moment} END"
                self._on_shard[is_primary] = transaction_start(expression, statement_timeout, column=column_on_shard)
            self._distributed[is_primary] = [
                b"BEGIN READ ONLY",
                (transaction_start(PROPAGATE, statement_timeout, column=column, is_block=True), {}),
                *(f"SET LOCAL {name} = {value}".encode() for name, value in PROPAGATED_SETTINGS.items()),
            ]

    def queries(self, values: Mapping[str, str], *, is_primary: bool) -> list[BoundSql | Command]:
        """The first queries of a transaction on a plain server. `values` are the parameters of the expression."""
        return [(sql, values) for sql in self._plain[is_primary]]

    def shard_queries(self, values: Mapping[str, str], shard: int, *, is_primary: bool) -> list[BoundSql | Command]:
        """The same over shards of the node that is asked. The moment is null if it does not have the shard."""
        return [(self._on_shard[is_primary], {**values, "shard": shard})]

    def block_queries(self, values: Mapping[str, str], *, is_primary: bool) -> list[BoundSql | Command]:
        """The same over distributed tables: a block, which ends with COMMIT.

        A value stands in a command: it must not need quotes, like a UUID, letters and digits.
        """
        return [
            *self._distributed[is_primary],
            *(f"SET LOCAL app.{name} = '{value}'".encode() for name, value in values.items()),
        ]


def transaction_start(expression: str, statement_timeout: float, *, column: str = "", is_block: bool = False) -> str:
    """SQL that applies the settings and evaluates `expression`: SET_ORGANIZATION_ID, SET_PUBLIC_ID or a constant.

    `column`: an expression whose value is the result. `is_block`: the tables are distributed, and a BEGIN came before,
    which made the transaction read-only.
    """
    settings = TRANSACTION_SETTINGS | {"statement_timeout": f"{int(statement_timeout * 1000)}ms"}
    if is_block:
        # Citus finds the node of a statement by the values of its parameters, which a generic plan does not have.
        del settings["transaction_read_only"], settings["plan_cache_mode"]
    set_local = [f"set_config('{name}', '{value}', true)" for name, value in settings.items()]
    # A WHERE evaluates them as well as columns would, and the answer has no more columns.
    return f"SELECT {column} WHERE {' AND '.join(f'{each} IS NOT NULL' for each in [expression, *set_local])}"
