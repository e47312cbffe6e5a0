"""First statement of every transaction: it sets the role, the organization or the key, and the limits.

All settings are local to the transaction, because a pooler may run the next transaction in another session, and the
session's next transaction may be another client's. The statement takes the server 3 microseconds.
"""

from uuid import UUID

SERVICE_ROLE = "orgdata_service"
"""The role that reads: it owns nothing, and may only SELECT. `db.admin.roles` creates it."""

SET_ORGANIZATION = "set_config('app.organization_id', %(organization_id)s, true)"
SET_PUBLIC_ID = "set_config('app.public_id', %(public_id)s, true)"

SET_ORGANIZATION_OF_KEY = """
SELECT WHERE set_config(
  'app.organization_id',
  coalesce((SELECT organization_id FROM api_keys WHERE public_id = %(public_id)s), %(no_organization)s)::text,
  true) IS NOT NULL
"""
"""A statement of its own after SET_PUBLIC_ID, by which row-level security shows the key."""

NO_ORGANIZATION = UUID(int=0)
"""An id that no organization has."""

TRANSACTION_SETTINGS = {
    # Whatever role logged in, a read can change nothing.
    "role": SERVICE_ROLE,
    "transaction_read_only": "on",
    "timezone": "UTC",
    # JIT compilation of a report takes seconds, its execution tenths of a second.
    "jit": "off",
    # A cancelled read closes its connection; the server notices within this time and stops the statement.
    "client_connection_check_interval": "1s",
}


def transaction_start(expression: str, statement_timeout: float) -> str:
    """SQL that applies the settings and evaluates `expression`: SET_ORGANIZATION, SET_PUBLIC_ID or a constant."""
    settings = TRANSACTION_SETTINGS | {"statement_timeout": f"{int(statement_timeout * 1000)}ms"}
    set_local = [f"set_config('{name}', '{value}', true)" for name, value in settings.items()]
    # A WHERE evaluates them as well as columns would, and the answer has no column.
    return f"SELECT WHERE {' AND '.join(f'{each} IS NOT NULL' for each in [expression, *set_local])}"
