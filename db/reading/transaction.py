"""The first statement of every transaction: it sets the role, the organization and the limits."""

SERVICE_ROLE = "orgdata_service"
"""The role that reads: it owns nothing, and may only SELECT. `db.admin.roles` creates it."""

SET_ORGANIZATION = "set_config('app.organization_id', %(organization_id)s, true)"
SET_PUBLIC_ID = "set_config('app.public_id', %(public_id)s, true)"
SETTINGS = {
    # Step down, whoever logged in: what may not be written can't be written.
    "role": SERVICE_ROLE,
    "transaction_read_only": "on",
    "timezone": "UTC",
    # To compile a report costs seconds, to run it a tenth of one.
    "jit": "off",
    # Whoever gives up closes the connection; the server shall notice, and stop working for nobody.
    "client_connection_check_interval": "1s",
}


def transaction_start(purpose: str, statement_timeout: float) -> str:
    """The first statement of a transaction: for whom or for which key it reads, as whom, and within which limits.

    All of it holds until the end of the transaction. What a session is told would be lost, or met by somebody else,
    behind a pooler that hands the next transaction to another session. It costs the server 3 us.
    """
    settings = SETTINGS | {"statement_timeout": f"{int(statement_timeout * 1000)}ms"}
    local = [f"set_config('{name}', '{value}', true)" for name, value in settings.items()]
    return f"SELECT {', '.join([purpose, *local])}"
