-- Checks of orgdata doctor, in the form of database_checks.sql: roles and what passes row-level security. These run
-- first: they are about tenancy. What migrations make is compared by definition (db/jobs/doctor/definitions.toml).

-- views-without-row-security: error
-- Views and functions read with their owner's rights, and so past row-level security of their reader.
-- Remedy: Give views security_invoker = true, and functions SECURITY INVOKER.
SELECT relname AS example FROM pg_class
WHERE relnamespace = current_schema()::regnamespace
  AND (relkind = 'm' OR relkind = 'v' AND NOT coalesce('security_invoker=true' = ANY (reloptions), false))
  AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = pg_class.oid AND d.deptype = 'e')
UNION ALL
SELECT proname FROM pg_proc WHERE pronamespace = current_schema()::regnamespace AND prosecdef
  -- It is of this version, and names the organizations of an internal token: only the service may call it.
  AND NOT (proname = 'organizations_of_token' AND NOT has_function_privilege('public', oid, 'EXECUTE'))
  AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = pg_proc.oid AND d.deptype = 'e')
ORDER BY 1;

-- service-role-attributes: error
-- The service's role is missing or may do more than read: it passes row-level security, or administers.
-- Remedy: Run ALTER ROLE ... NOSUPERUSER NOBYPASSRLS NOCREATEROLE NOCREATEDB NOREPLICATION, and
-- ALTER ROLE ... SET default_transaction_read_only = on.
SELECT wrong AS example
FROM (SELECT :service_role AS name) declared LEFT JOIN pg_roles role ON role.rolname = declared.name,
  LATERAL (VALUES ('is missing', role.oid IS NULL), ('SUPERUSER', rolsuper), ('BYPASSRLS', rolbypassrls),
                  ('CREATEROLE', rolcreaterole), ('CREATEDB', rolcreatedb), ('REPLICATION', rolreplication),
                  ('default_transaction_read_only is not on',
                   NOT 'default_transaction_read_only=on' = ANY (coalesce(rolconfig, '{}')))) fault (wrong, holds)
WHERE holds;

-- writer-role-attributes: error
-- The role orgdata_writer is missing, passes row-level security, or may administer.
-- Remedy: Run orgdata migrate, or ALTER ROLE ... NOSUPERUSER NOBYPASSRLS NOCREATEROLE NOCREATEDB NOREPLICATION.
SELECT wrong AS example
FROM (SELECT :writer_role AS name) declared LEFT JOIN pg_roles role ON role.rolname = declared.name,
  LATERAL (VALUES ('is missing', role.oid IS NULL), ('SUPERUSER', rolsuper), ('BYPASSRLS', rolbypassrls),
                  ('CREATEROLE', rolcreaterole), ('CREATEDB', rolcreatedb), ('REPLICATION', rolreplication))
                 fault (wrong, holds)
WHERE holds;

-- role-memberships: error
-- The service's or the writer's role has further rights, as a member of other roles.
-- Remedy: Run REVOKE ... FROM the role shown.
SELECT DISTINCT member::regrole || ' is a member of ' || roleid::regrole AS example
FROM pg_auth_members WHERE member IN (to_regrole(:service_role), to_regrole(:writer_role))
  AND (member, roleid) <> (to_regrole(:service_role), to_regrole('pg_read_all_stats'))
ORDER BY 1;

-- owner-memberships: info
-- The owner of the tables has further rights, as a member of other roles.
-- Remedy: Run REVOKE ... FROM the role shown, unless commands need it.
SELECT DISTINCT member::regrole || ' is a member of ' || roleid::regrole AS example
FROM pg_auth_members JOIN pg_class ON relowner = member
WHERE pg_class.oid = to_regclass('public.alembic_version')
  AND roleid NOT IN (to_regrole(:service_role), to_regrole(:writer_role))
ORDER BY 1;

-- other-readers: info
-- Other roles that may log in read every organization: they pass row-level security, or may act as a role of the service.
-- Remedy: Run ALTER ROLE ... NOBYPASSRLS or REVOKE ... FROM the role shown, unless it is yours.
SELECT rolname || ' has BYPASSRLS' AS example FROM pg_roles WHERE rolbypassrls AND rolcanlogin AND NOT rolsuper
-- Not UNION ALL: from PostgreSQL 16 on, each grantor's membership is a row.
UNION
SELECT rolname || ' is a member of ' || roleid::regrole
FROM pg_auth_members JOIN pg_roles ON pg_roles.oid = member
  LEFT JOIN pg_class ON pg_class.oid = to_regclass('public.alembic_version')
WHERE rolcanlogin AND NOT rolsuper AND member IS DISTINCT FROM relowner
  AND (roleid IN (relowner, to_regrole(:service_role), to_regrole(:writer_role))
       OR roleid::regrole::text IN ('pg_read_all_data', 'pg_write_all_data'))
ORDER BY 1;

-- role-cannot-log-in: warning
-- A role cannot log in or connect; the service's role needs to, unless the owner of the tables serves.
-- Remedy: Run ALTER ROLE ... LOGIN VALID UNTIL 'infinity', or GRANT CONNECT ON DATABASE ... TO the role shown.
SELECT wrong AS example FROM pg_roles,
  LATERAL (VALUES (rolname || ' has NOLOGIN', NOT rolcanlogin),
                  ('the password of ' || rolname || ' has ended', rolvaliduntil < now()),
                  (rolname || ' may not CONNECT',
                   NOT has_database_privilege(pg_roles.oid, current_database(), 'CONNECT'))) fault (wrong, holds)
WHERE rolname IN (:service_role, :writer_role) AND holds
ORDER BY 1;

-- settings-of-roles: warning
-- Roles or the database have settings of their own: commands and your own SQL may read or write other rows, or fail.
-- Remedy: Run ALTER ROLE ... RESET, ALTER ROLE ... IN DATABASE ... RESET or ALTER DATABASE ... RESET, unless it is yours.
SELECT setting || ' of ' || CASE setrole WHEN 0 THEN 'all roles' ELSE setrole::regrole::text END AS example
FROM pg_db_role_setting JOIN pg_class ON pg_class.oid = to_regclass('public.alembic_version'), unnest(setconfig) setting
WHERE setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
  AND setrole IN (0, to_regrole(:service_role), to_regrole(:writer_role), relowner)
  -- The service sets its limits in each transaction.
  AND NOT (setrole = to_regrole(:service_role) AND setting ~ '^(default_transaction_read_only=on|[a-z_]+_timeout=.*)$')
ORDER BY 1;

-- owner-without-row-security: warning
-- The role of ORGDATA_DATABASE_URL is a superuser or has BYPASSRLS: commands are not held to one organization.
-- Remedy: Let a role without these attributes own the tables, and use it for orgdata migrate and the other commands.
SELECT rolname AS example FROM pg_roles WHERE rolname = session_user AND (rolsuper OR rolbypassrls);
