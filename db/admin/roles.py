"""Database roles: the owner migrates and creates keys, the service only reads, a writer feeds one organization.

Neither the service's nor the writer's role owns anything, is a superuser or bypasses row-level security. `orgdata
serve` switches to the service's role in every transaction, also when it logs in as the owner.
"""

from collections.abc import Mapping, Sequence

import psycopg
from sqlalchemy import Connection, Table, inspect, text
from sqlalchemy.exc import ProgrammingError

from db.errors import OperatorError
from db.reading.transaction import SERVICE_ROLE
from db.tables.areas import metadata
from db.tables.keys import quota_overrides
from db.tables.people import OPERATOR_COLUMNS, erasures, organizations
from db.tables.reference import PINNED_LISTS
from db.tables.remembered import REPORT_CHANGED_AT

WRITER_ROLE = "orgdata_writer"
"""The role that writes the rows of the organization of its transaction, and neither keys nor quotas."""

OWN_DATABASE = text(
    "SELECT quote_ident(datname), pg_has_role(datdba, 'USAGE') FROM pg_database WHERE datname = current_database()"
)
"""The name of the database, and whether this user may change its privileges."""

OWNERS_POLICIES = {"organizations": "FOR SELECT ", "api_keys": "", "quota_overrides": ""}
"""The tables whose rows their owner reads without an organization, and for which commands their policy `owner` is."""

MISSING_POLICIES = f"""
SELECT relname, quote_ident(pg_get_userbyid(relowner)) FROM pg_class
WHERE relnamespace = to_regnamespace('public') AND relname IN ({", ".join(f"'{name}'" for name in OWNERS_POLICIES)})
  AND NOT EXISTS (
    SELECT FROM pg_policy WHERE polrelid = pg_class.oid AND polname = 'owner' AND relowner = ANY (polroles)
  )
"""
"""Those without a policy for their owner, and the owner. A policy keeps its role when a table gets another owner."""

MAY_USE_SCHEMA = text("""
SELECT has_schema_privilege(own, 'CREATE') AND (has_schema_privilege(own, 'USAGE WITH GRANT OPTION')
  OR has_schema_privilege(:service, own, 'USAGE') AND has_schema_privilege(:writer, own, 'USAGE'))
FROM CAST(to_regnamespace('public') AS oid) own
""")
"""Whether this user may make tables, and the roles may use their schema, or be let; null: there is no schema."""

SCHEMA_OWNER = text("""
SELECT quote_ident(pg_get_userbyid(coalesce(nullif(nspowner, to_regrole('pg_database_owner')), datdba))),
       quote_ident(current_user)
FROM pg_database LEFT JOIN pg_namespace ON nspname = 'public' WHERE datname = current_database()
""")
"""The owner of the schema public, or of the database, and this user."""

OPERATED_COLUMNS = ("organization_id", "created_at", *OPERATOR_COLUMNS, REPORT_CHANGED_AT)
"""Columns of organizations that operators or triggers set: a writer must not resume a suspended organization."""

MADE_FOR_OWNER = text("""
SELECT format('ALTER %s OWNER TO %I', made.object, owner.rolname)
FROM pg_class version JOIN pg_roles owner ON owner.oid = relowner JOIN pg_roles own ON own.rolname = current_user,
  LATERAL (
    SELECT 'TABLE ' || oid::regclass FROM pg_class
    WHERE relnamespace = version.relnamespace AND relname = ANY (:tables) AND relowner = own.oid
    UNION ALL
    SELECT 'FUNCTION ' || oid::regprocedure FROM pg_proc
    WHERE pronamespace = version.relnamespace AND xmin = pg_current_xact_id()::xid AND proowner = own.oid
  ) made (object)
WHERE version.oid = to_regclass('public.alembic_version') AND owner.oid <> own.oid
""")
"""Commands for tables of this user, and functions that its transaction made, if another role owns the tables."""

OWNERS_FUNCTION = "public.organizations_of_token(text, text, uuid, int)"
"""The function that runs as the owner of the tables (`db/admin/functions.sql`)."""

OTHER_THAN_OWNER = """
SELECT current_user, quote_ident(current_user), pg_get_userbyid(relowner)
FROM pg_class JOIN pg_roles ON rolname = current_user
WHERE relnamespace = to_regnamespace('public') AND relname = 'alembic_version'
  AND NOT (pg_has_role(relowner, 'USAGE') OR rolbypassrls)
"""
"""The user, twice, and the tables' owner, if the user has not its rights, and row-level security hides rows of it."""


def require_owner(connection: psycopg.Connection, *, migrates: bool = False) -> None:
    """Raise OperatorError for a user from whom row-level security hides rows: lists would be empty, and not refused.

    `migrates`: what `ensure_policies` makes may be missing.
    """
    found = connection.execute(OTHER_THAN_OWNER).fetchone()
    policies = connection.execute(MISSING_POLICIES).fetchone()
    connection.rollback()
    if found is None and policies is not None and not migrates:
        raise OperatorError(
            "The tables have another owner than the one that their policies name, and hide their rows from it, as after"
            " a restore: run orgdata migrate, which makes the policies again."
        )
    if found is not None:
        # Tables that a superuser restored are the superuser's, and must never become the service's.
        may_own = migrates and found[0] not in (SERVICE_ROLE, WRITER_ROLE)
        remedy = f" After a restore: {owner_remedy(found[1])}" if may_own else ""
        raise OperatorError(
            f"ORGDATA_DATABASE_URL is the address of {found[0]}, which does not own the tables."
            f" Use that of their owner, {found[2]}.{remedy}"
        )


def ensure_roles(connection: Connection) -> None:
    """Create the roles that are missing, and let the caller's role switch to them. Raises OperatorError."""
    user = connection.scalar(text("SELECT quote_ident(current_user)"))
    problems, remedies = [], []
    for role, settings in ((SERVICE_ROLE, {"default_transaction_read_only": "on"}), (WRITER_ROLE, {})):
        grant = f"GRANT {role} TO {user};"
        if not _is_created(connection, role, settings):
            problems.append(f"The role {role} does not exist and this user may not create it.")
            remedies.append(f"CREATE ROLE {role} LOGIN; {grant}")
        elif not _is_granted(connection, role):
            problems.append(f"This user may not act as the role {role}.")
            remedies.append(grant)
    if problems:
        raise OperatorError(f"{' '.join(problems)} Let an administrator run: {' '.join(remedies)}")


def require_schema(connection: Connection) -> None:
    """Raise OperatorError if this user may not make tables in their schema, or not let the roles use it."""
    if connection.scalar(MAY_USE_SCHEMA, {"service": SERVICE_ROLE, "writer": WRITER_ROLE}):
        return
    owner, user = connection.execute(SCHEMA_OWNER).one()
    raise OperatorError(
        "This user may not make tables in the schema public, or not let other roles use it. Let its owner, "
        f"{owner}, or a superuser run in this database: CREATE SCHEMA IF NOT EXISTS public;"
        f" GRANT ALL ON SCHEMA public TO {user} WITH GRANT OPTION;"
    )


def owner_remedy(user: str) -> str:
    """A sentence for a user, whose name is quoted, who does not own all tables and functions."""
    made = "NOT EXISTS (SELECT FROM pg_depend WHERE objid = o.oid AND deptype = 'e')"
    return (
        f"Who migrates owns all tables and functions. Let a superuser, or a member of {user} and of their owner, run"
        f" in this database with psql: SELECT format('ALTER TABLE %s OWNER TO {user}', o.oid::regclass) FROM pg_class o"
        f" WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND {made} UNION ALL SELECT"
        f" format('ALTER FUNCTION %s OWNER TO {user}', o.oid::regprocedure) FROM pg_proc o"
        f" WHERE pronamespace = 'public'::regnamespace AND prokind = 'f' AND {made} \\gexec"
    )


def _is_created(connection: Connection, role: str, settings: Mapping[str, str]) -> bool:
    """Whether the role exists now."""
    if connection.scalar(text("SELECT 1 FROM pg_roles WHERE rolname = :role"), {"role": role}) is not None:
        return True
    commands = [f"ALTER ROLE {role} SET {name} = {value}" for name, value in settings.items()]
    return _can_run(connection, [f"CREATE ROLE {role} LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB", *commands])


def _is_granted(connection: Connection, role: str) -> bool:
    """Whether the caller's role can switch to the role now."""
    # Before PostgreSQL 16, every member of a role may switch to it.
    version = connection.scalar(text("SELECT current_setting('server_version_num')::int"))
    privilege = {"role": role, "privilege": "SET" if version >= 160000 else "MEMBER"}
    if connection.scalar(text("SELECT pg_has_role(current_user, :role, :privilege)"), privilege):
        return True
    return _can_run(connection, [f"GRANT {role} TO CURRENT_USER"])


def _can_run(connection: Connection, commands: Sequence[str]) -> bool:
    """Run the commands; False, and no change, if this user may not."""
    try:
        with connection.begin_nested():
            for command in commands:
                connection.execute(text(command))
    except ProgrammingError:
        return False
    return True


def give_to_owner(connection: Connection) -> None:
    """Give the owner of the tables what another user, such as a member of it, made: its next run would be refused."""
    _can_run(connection, connection.scalars(MADE_FOR_OWNER, {"tables": [*metadata.tables]}).all())


def ensure_policies(connection: Connection) -> None:
    """Let the owner of the tables read the rows of OWNERS_POLICIES. Where the policies are right, it locks nothing."""
    for table, owner in connection.execute(text(MISSING_POLICIES)).all():
        connection.execute(text(f"DROP POLICY IF EXISTS owner ON {table}"))
        connection.execute(text(f"CREATE POLICY owner ON {table} {OWNERS_POLICIES[table]}TO {owner} USING (true)"))


def written_tables() -> list[Table]:
    """The tables whose rows a writer may insert, update and delete."""
    operated = (organizations, quota_overrides, erasures)
    return [table for table in metadata.sorted_tables if table.info.get("tenant") and table not in operated]


def grant_rights(connection: Connection) -> None:
    """Give the roles their rights on all tables. Row-level security restricts them to one organization."""
    migrated = set(inspect(connection).get_table_names())
    writable = ", ".join(table.name for table in written_tables() if table.name in migrated)
    stored = {column["name"] for column in inspect(connection).get_columns(organizations.name)}
    written = [each.name for each in organizations.columns if each.name in stored and each.name not in OPERATED_COLUMNS]
    for command in (
        f"GRANT USAGE ON SCHEMA public TO {SERVICE_ROLE}, {WRITER_ROLE}",
        f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {SERVICE_ROLE}",
        f"GRANT SELECT, INSERT, UPDATE, DELETE ON {writable} TO {WRITER_ROLE}",
        f"GRANT SELECT, UPDATE ({', '.join(written)}) ON {organizations.name} TO {WRITER_ROLE}",
        f"GRANT SELECT ON {', '.join(table.name for table in PINNED_LISTS)} TO {WRITER_ROLE}",
        f"REVOKE EXECUTE ON FUNCTION {OWNERS_FUNCTION} FROM PUBLIC",
        f"GRANT EXECUTE ON FUNCTION {OWNERS_FUNCTION} TO {SERVICE_ROLE}",
    ):
        connection.execute(text(command))
    database, is_owned = connection.execute(OWN_DATABASE).one()
    if is_owned:
        # The service makes no temporary tables and functions; a writer loads rows into one.
        connection.execute(text(f"REVOKE TEMPORARY ON DATABASE {database} FROM PUBLIC"))
        connection.execute(text(f"GRANT TEMPORARY ON DATABASE {database} TO {WRITER_ROLE}"))
