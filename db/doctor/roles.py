"""Checks for roles with other rights than migrations give them."""

from collections.abc import Iterator

from db.doctor.check import Check, Scope, Severity
from db.doctor.declared import TABLES

NAMES = ", ".join(f"'{name}'" for name in TABLES)


def roles() -> Iterator[Check]:
    yield Check(
        "service-role-attributes",
        Severity.error,
        "The service's role is missing or may do more than read: it passes row-level security, or administers.",
        "Run ALTER ROLE ... NOSUPERUSER NOBYPASSRLS NOCREATEROLE NOCREATEDB NOREPLICATION, and"
        " ALTER ROLE ... SET default_transaction_read_only = on.",
        """
SELECT wrong AS example
FROM (SELECT :service_role AS name) declared LEFT JOIN pg_roles role ON role.rolname = declared.name,
  LATERAL (VALUES ('is missing', role.oid IS NULL), ('SUPERUSER', rolsuper), ('BYPASSRLS', rolbypassrls),
                  ('CREATEROLE', rolcreaterole), ('CREATEDB', rolcreatedb), ('REPLICATION', rolreplication),
                  ('default_transaction_read_only is not on',
                   NOT 'default_transaction_read_only=on' = ANY (coalesce(rolconfig, '{}')))) fault (wrong, holds)
WHERE holds""",
        Scope.database,
    )
    yield Check(
        "service-role-memberships",
        Severity.error,
        "The service's role is a member of other roles, or owns tables: it has more rights than SELECT.",
        "Run REVOKE ... FROM the service's role, and ALTER TABLE ... OWNER TO the role that migrates.",
        """
SELECT 'member of ' || roleid::regrole AS example FROM pg_auth_members WHERE member = to_regrole(:service_role)
UNION ALL
SELECT 'owns ' || oid::regclass FROM pg_class
WHERE relowner = to_regrole(:service_role) AND relkind IN ('r', 'p', 'v', 'm')""",
        Scope.database,
    )
    yield Check(
        "missing-grants",
        Severity.error,
        "The service's role may not read tables, so that requests fail.",
        "Run orgdata migrate as the owner of the tables.",
        f"""
SELECT relname AS example FROM pg_class
WHERE relnamespace = current_schema()::regnamespace AND relname IN ({NAMES})
  AND to_regrole(:service_role) IS NOT NULL AND NOT has_table_privilege(to_regrole(:service_role), oid, 'SELECT')
ORDER BY relname""",
        Scope.database,
    )
    yield Check(
        "unexpected-grants",
        Severity.error,
        "The service's role, or every role, has rights on tables that migrations do not grant.",
        "Run REVOKE ... ON ... FROM the role shown.",
        f"""
SELECT grantee.name || '\\: ' || acl.privilege_type || ' on ' || relname AS example
FROM pg_class, aclexplode(relacl) acl,
  LATERAL (SELECT CASE acl.grantee WHEN 0 THEN 'PUBLIC' ELSE acl.grantee::regrole::text END AS name) grantee
WHERE relnamespace = current_schema()::regnamespace AND relname IN ({NAMES})
  AND (acl.grantee = 0 OR acl.grantee = to_regrole(:service_role) AND acl.privilege_type <> 'SELECT')
ORDER BY 1""",
        Scope.database,
    )
    yield Check(
        "owner-without-row-security",
        Severity.warning,
        "The role of ORGDATA_DATABASE_URL is a superuser or has BYPASSRLS: commands are not held to one organization.",
        "Let a role without these attributes own the tables, and use it for orgdata migrate and the other commands.",
        """
SELECT rolname AS example FROM pg_roles WHERE rolname = session_user AND (rolsuper OR rolbypassrls)""",
        Scope.database,
    )
