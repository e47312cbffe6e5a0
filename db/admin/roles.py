"""Database roles: the owner migrates and creates keys, the service only reads.

The service's role owns nothing, is not a superuser and does not bypass row-level security. `orgdata serve` switches to
it in every transaction, also when it logs in as the owner.
"""

from sqlalchemy import Connection, text
from sqlalchemy.exc import ProgrammingError

from db.reading.transaction import SERVICE_ROLE


class RoleError(Exception):
    """The service's role cannot be created or used; the message says what an administrator must run."""


def ensure_service_role(connection: Connection) -> None:
    """Create the service's role if it is missing, and let the caller's role switch to it. Raises RoleError."""
    present = connection.scalar(text("SELECT 1 FROM pg_roles WHERE rolname = :role"), {"role": SERVICE_ROLE})
    if present is None:
        try:
            with connection.begin_nested():
                connection.execute(text(f"CREATE ROLE {SERVICE_ROLE} LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB"))
                connection.execute(text(f"ALTER ROLE {SERVICE_ROLE} SET default_transaction_read_only = on"))
        except ProgrammingError as error:
            raise RoleError(
                f"The role {SERVICE_ROLE} does not exist and this user may not create it. Let an administrator run: "
                f"CREATE ROLE {SERVICE_ROLE} LOGIN; {_grant(connection)}"
            ) from error
    # Before PostgreSQL 16, every member of a role may switch to it.
    version = connection.scalar(text("SELECT current_setting('server_version_num')::int"))
    privilege = {"role": SERVICE_ROLE, "privilege": "SET" if version >= 160000 else "MEMBER"}
    if not connection.scalar(text("SELECT pg_has_role(current_user, :role, :privilege)"), privilege):
        try:
            with connection.begin_nested():
                connection.execute(text(f"GRANT {SERVICE_ROLE} TO CURRENT_USER"))
        except ProgrammingError as error:
            raise RoleError(
                f"This user may not act as the role {SERVICE_ROLE}. Let an administrator run: {_grant(connection)}"
            ) from error


def _grant(connection: Connection) -> str:
    """The command that lets the user of this connection switch to the service's role."""
    user = connection.scalar(text("SELECT quote_ident(current_user)"))
    return f"GRANT {SERVICE_ROLE} TO {user};"
