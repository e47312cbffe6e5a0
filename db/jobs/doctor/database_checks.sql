-- Checks of orgdata doctor. Each begins with its name and its severity; then come what is wrong, what to do, and a
-- statement with a row for each fault, whose `example` leads to it. These run once.


-- == The version and the settings of the server. The tests of this version run on PostgreSQL 15 to 18.

-- old-postgresql: error
-- PostgreSQL is older than 15, which statements of the service need.
-- Remedy: Upgrade PostgreSQL.
SELECT setting AS example FROM pg_settings WHERE name = 'server_version_num' AND CAST(setting AS integer) < 150000;

-- untested-postgresql: info
-- PostgreSQL is newer than the versions that this version was tested with.
-- Remedy: Run the tests with it, or upgrade the service.
SELECT setting AS example FROM pg_settings WHERE name = 'server_version_num' AND CAST(setting AS integer) > 189999;

-- setting-fsync: error
-- The setting fsync is not on. A crash of the machine damages the database.
-- Remedy: Set fsync = on.
SELECT setting AS example FROM pg_settings WHERE name = 'fsync' AND setting NOT IN ('on');

-- setting-full-page-writes: error
-- The setting full_page_writes is not on. A crash of the machine damages the database.
-- Remedy: Set full_page_writes = on.
SELECT setting AS example FROM pg_settings WHERE name = 'full_page_writes' AND setting NOT IN ('on');

-- setting-server-encoding: error
-- The setting server_encoding is not UTF8. Names in some languages cannot be stored.
-- Remedy: Set server_encoding = UTF8.
SELECT setting AS example FROM pg_settings WHERE name = 'server_encoding' AND setting NOT IN ('UTF8');

-- setting-session-replication-role: error
-- The setting session_replication_role is not origin. Triggers and foreign keys do not run.
-- Remedy: Set session_replication_role = origin.
SELECT setting AS example FROM pg_settings WHERE name = 'session_replication_role' AND setting NOT IN ('origin', 'local');

-- setting-row-security: error
-- The setting row_security is not on. Statements that row-level security restricts fail.
-- Remedy: Set row_security = on.
SELECT setting AS example FROM pg_settings WHERE name = 'row_security' AND setting NOT IN ('on');

-- setting-autovacuum: warning
-- The setting autovacuum is not on. Statistics grow old, and index-only scans become slow.
-- Remedy: Set autovacuum = on.
SELECT setting AS example FROM pg_settings WHERE name = 'autovacuum' AND setting NOT IN ('on');

-- setting-track-counts: warning
-- The setting track_counts is not on. Autovacuum does not run without it.
-- Remedy: Set track_counts = on.
SELECT setting AS example FROM pg_settings WHERE name = 'track_counts' AND setting NOT IN ('on');

-- setting-track-activities: info
-- The setting track_activities is not on. Running statements cannot be seen.
-- Remedy: Set track_activities = on.
SELECT setting AS example FROM pg_settings WHERE name = 'track_activities' AND setting NOT IN ('on');

-- small-shared-buffers: info
-- The database is more than ten times as large as shared_buffers, which are at the default of 128 MB or below.
-- Remedy: Set shared_buffers to a quarter of the machine's memory.
SELECT setting || ' pages' AS example FROM pg_settings
WHERE name = 'shared_buffers' AND CAST(setting AS bigint) <= 16384
  AND pg_database_size(current_database()) > 10 * CAST(setting AS bigint) * 8192;

-- few-connections: warning
-- The server, the database or the service's role has fewer connections than one worker with the default settings may open.
-- Remedy: Raise max_connections or CONNECTION LIMIT, or lower ORGDATA_POOL_SIZE and ORGDATA_GRAPHQL_POOL_SIZE.
SELECT setting AS example FROM pg_settings WHERE name = 'max_connections' AND CAST(setting AS integer) < 20
UNION ALL
SELECT rolconnlimit || ' of the role ' || rolname FROM pg_roles
WHERE rolname = :service_role AND rolconnlimit BETWEEN 0 AND 19
UNION ALL
SELECT datconnlimit || ' of the database' FROM pg_database
WHERE datname = current_database() AND datconnlimit BETWEEN 0 AND 19;

-- old-collation: warning
-- The library by which the database sorts text is not of the version that its indexes were made with.
-- Remedy: Run REINDEX DATABASE, then ALTER DATABASE ... REFRESH COLLATION VERSION.
SELECT coalesce(datcollversion, 'none') || ' instead of ' || coalesce(pg_database_collation_actual_version(oid), 'none') AS example
FROM pg_database
WHERE datname = current_database() AND datcollversion IS DISTINCT FROM pg_database_collation_actual_version(oid);

-- blind-replicas: warning
-- Replicas follow this server, and X-Data-As-Of counts one whose network hangs as up to date for wal_receiver_timeout.
-- Remedy: Set wal_receiver_timeout = 15s on each replica and here, or run GRANT pg_read_all_stats TO orgdata_service.
SELECT setting || ' ms' AS example FROM pg_settings
WHERE name = 'wal_receiver_timeout' AND CAST(setting AS integer) NOT BETWEEN 1 AND 15000
  AND NOT coalesce(pg_has_role(to_regrole(:service_role), 'pg_read_all_stats', 'usage'), false)
  AND (pg_is_in_recovery() OR EXISTS (SELECT 1 FROM pg_stat_replication));


-- == Roles. What migrations make in the database is compared by definition (db/jobs/doctor/definitions.py).

-- role-memberships: error
-- The service's or the writer's role has further rights, as a member of other roles.
-- Remedy: Run REVOKE ... FROM the role shown.
SELECT member::regrole || ' is a member of ' || roleid::regrole AS example
FROM pg_auth_members WHERE member IN (to_regrole(:service_role), to_regrole(:writer_role))
  AND (member, roleid) <> (to_regrole(:service_role), to_regrole('pg_read_all_stats'))
ORDER BY 1;

-- owner-memberships: info
-- The owner of the tables has further rights, as a member of other roles.
-- Remedy: Run REVOKE ... FROM the role shown, unless commands need it.
SELECT member::regrole || ' is a member of ' || roleid::regrole AS example
FROM pg_auth_members JOIN pg_class ON relowner = member
WHERE pg_class.oid = to_regclass('public.alembic_version')
  AND roleid NOT IN (to_regrole(:service_role), to_regrole(:writer_role))
ORDER BY 1;

-- other-readers: info
-- Other roles that may log in read every organization: they pass row-level security, or may act as a role of the service.
-- Remedy: Run ALTER ROLE ... NOBYPASSRLS or REVOKE ... FROM the role shown, unless it is yours.
SELECT rolname || ' has BYPASSRLS' AS example FROM pg_roles WHERE rolbypassrls AND rolcanlogin AND NOT rolsuper
UNION ALL
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

-- missing-statistics: warning
-- Tables were never analyzed, so that PostgreSQL guesses its plans.
-- Remedy: Run ANALYZE, and let autovacuum run; after pg_upgrade, statistics start empty.
SELECT relname AS example FROM pg_stat_user_tables
WHERE schemaname = current_schema() AND coalesce(last_analyze, last_autoanalyze) IS NULL
  AND pg_relation_size(relid) >= 1048576
ORDER BY relname;


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

-- no-cascades: info
-- Triggers that write what belongs to a changed row, or shows it, are missing: it is the duty of those who write.
-- Remedy: Run orgdata migrate --cascades, unless the tables are distributed.
SELECT 'cascade_deletion' AS example WHERE NOT EXISTS (SELECT 1 FROM pg_trigger WHERE tgname = 'cascade_deletion');
