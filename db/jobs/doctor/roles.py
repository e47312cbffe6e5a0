"""Checks for roles with other rights than migrations give them."""

from collections.abc import Iterable, Iterator

from db.admin.roles import written_tables
from db.jobs.doctor.check import DECLARED_TABLES, Check, Severity
from db.tables.people import organizations
from db.tables.reference import PINNED_LISTS


def _names(tables: Iterable[str]) -> str:
    return ", ".join(f"'{name}'" for name in tables)


TABLE_NAMES = _names(DECLARED_TABLES)
WRITTEN = _names(table.name for table in written_tables())
READ = _names([organizations.name, *(table.name for table in PINNED_LISTS)])
"""The tables that the writer's role reads, besides those that it writes."""


def _attributes(role: str, others: str = "") -> str:
    """Finds attributes that a role should not have. `others`: further faults, as pairs of words and a condition."""
    return f"""
SELECT wrong AS example
FROM (SELECT :{role} AS name) declared LEFT JOIN pg_roles role ON role.rolname = declared.name,
  LATERAL (VALUES ('is missing', role.oid IS NULL), ('SUPERUSER', rolsuper), ('BYPASSRLS', rolbypassrls),
                  ('CREATEROLE', rolcreaterole), ('CREATEDB', rolcreatedb), ('REPLICATION', rolreplication)
                  {others}) fault (wrong, holds)
WHERE holds"""


def roles() -> Iterator[Check]:
    yield Check(
        "service-role-attributes",
        Severity.error,
        "The service's role is missing or may do more than read: it passes row-level security, or administers.",
        "Run ALTER ROLE ... NOSUPERUSER NOBYPASSRLS NOCREATEROLE NOCREATEDB NOREPLICATION, and"
        " ALTER ROLE ... SET default_transaction_read_only = on.",
        _attributes(
            "service_role",
            ", ('default_transaction_read_only is not on',"
            " NOT 'default_transaction_read_only=on' = ANY (coalesce(rolconfig, '{}')))",
        ),
    )
    yield Check(
        "writer-role-attributes",
        Severity.error,
        "The role orgdata_writer is missing, passes row-level security, or may administer.",
        "Run orgdata migrate, or ALTER ROLE ... NOSUPERUSER NOBYPASSRLS NOCREATEROLE NOCREATEDB NOREPLICATION.",
        _attributes("writer_role"),
    )
    yield Check(
        "missing-grants",
        Severity.error,
        "The service's or the writer's role lacks rights on tables, so that requests or imports fail.",
        "Run orgdata migrate as the owner of the tables.",
        f"""
SELECT role_name || ' may not ' || privilege || ' ' || relname AS example
FROM pg_class, LATERAL (
  SELECT :service_role AS role_name, 'SELECT' AS privilege
  UNION ALL
  SELECT :writer_role, privilege FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) privilege
  WHERE relname IN ({WRITTEN})) wanted
WHERE relnamespace = current_schema()::regnamespace AND relname IN ({TABLE_NAMES}) AND to_regrole(role_name) IS NOT NULL
  AND NOT has_table_privilege(to_regrole(role_name), pg_class.oid, privilege)
ORDER BY 1""",
    )
    yield Check(
        "unexpected-grants",
        Severity.error,
        "The service's or the writer's role, or every role, has rights on tables that migrations do not grant.",
        "Run REVOKE ... ON ... FROM the role shown.",
        f"""
SELECT grantee.name || '\\: ' || acl.privilege_type || ' on ' || relname AS example
FROM pg_class, aclexplode(relacl) acl,
  LATERAL (SELECT CASE acl.grantee WHEN 0 THEN 'PUBLIC' ELSE acl.grantee::regrole::text END AS name) grantee
WHERE relnamespace = current_schema()::regnamespace AND relname IN ({TABLE_NAMES})
  AND (acl.grantee = 0 OR acl.grantee = to_regrole(:service_role) AND acl.privilege_type <> 'SELECT'
       OR acl.grantee = to_regrole(:writer_role)
          AND NOT (relname IN ({WRITTEN}) AND acl.privilege_type IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
                   OR relname IN ({READ}) AND acl.privilege_type = 'SELECT'))
ORDER BY 1""",
    )
