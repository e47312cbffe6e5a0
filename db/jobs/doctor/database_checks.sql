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
-- The server accepts fewer connections than one worker with the default settings may open.
-- Remedy: Raise max_connections, or lower ORGDATA_POOL_SIZE and ORGDATA_GRAPHQL_POOL_SIZE.
SELECT setting AS example FROM pg_settings WHERE name = 'max_connections' AND CAST(setting AS integer) < 20;

-- blind-replicas: warning
-- Replicas follow this server, and X-Data-As-Of counts one whose network hangs as up to date for wal_receiver_timeout.
-- Remedy: Set wal_receiver_timeout = 15s on each replica and here, or run GRANT pg_read_all_stats TO orgdata_service.
SELECT setting || ' ms' AS example FROM pg_settings
WHERE name = 'wal_receiver_timeout' AND CAST(setting AS integer) NOT BETWEEN 1 AND 15000
  AND NOT coalesce(pg_has_role(to_regrole(:service_role), 'pg_read_all_stats', 'usage'), false)
  AND (pg_is_in_recovery() OR EXISTS (SELECT 1 FROM pg_stat_replication));


-- == Roles, row-level security, statistics and triggers.

-- role-memberships: error
-- The service's or the writer's role has further rights: as a member of other roles, or as an owner of tables.
-- Remedy: Run REVOKE ... FROM the role shown, and ALTER TABLE ... OWNER TO the role that migrates.
SELECT member::regrole || ' is a member of ' || roleid::regrole AS example
FROM pg_auth_members WHERE member IN (to_regrole(:service_role), to_regrole(:writer_role))
  AND (member, roleid) <> (to_regrole(:service_role), to_regrole('pg_read_all_stats'))
UNION ALL
SELECT relowner::regrole || ' owns ' || oid::regclass FROM pg_class
WHERE relowner IN (to_regrole(:service_role), to_regrole(:writer_role)) AND relkind IN ('r', 'p', 'v', 'm')
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

-- disabled-triggers: error
-- Triggers are disabled: what they keep true is no longer kept.
-- Remedy: Run ALTER TABLE ... ENABLE TRIGGER ALL as a superuser, and check the rows that were written meanwhile.
SELECT DISTINCT tgrelid::regclass || ' ' || coalesce(conname, tgname) AS example
FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid LEFT JOIN pg_constraint k ON k.oid = t.tgconstraint
WHERE c.relnamespace = current_schema()::regnamespace AND tgenabled NOT IN ('O', 'A')
ORDER BY 1;


-- == What migrations make. The parameters are the declared objects (db/jobs/doctor/declared.py).

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

-- missing-grants: error
-- The service's or the writer's role lacks rights on tables, so that requests or imports fail.
-- Remedy: Run orgdata migrate as the owner of the tables.
SELECT role_name || ' may not ' || privilege || ' ' || relname AS example
FROM pg_class, LATERAL (
  SELECT :service_role AS role_name, 'SELECT' AS privilege
  UNION ALL
  SELECT :writer_role, privilege FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) privilege
  WHERE relname = ANY (:written_tables)) wanted
WHERE relnamespace = current_schema()::regnamespace AND relname = ANY (:declared_tables)
  AND to_regrole(role_name) IS NOT NULL AND NOT has_table_privilege(to_regrole(role_name), pg_class.oid, privilege)
ORDER BY 1;

-- unexpected-grants: error
-- The service's or the writer's role, or every role, has rights on tables that migrations do not grant.
-- Remedy: Run REVOKE ... ON ... FROM the role shown.
SELECT grantee.name || '\: ' || acl.privilege_type || ' on ' || relname AS example
FROM pg_class, aclexplode(relacl) acl,
  LATERAL (SELECT CASE acl.grantee WHEN 0 THEN 'PUBLIC' ELSE acl.grantee::regrole::text END AS name) grantee
WHERE relnamespace = current_schema()::regnamespace AND relname = ANY (:declared_tables)
  AND (acl.grantee = 0 OR acl.grantee = to_regrole(:service_role) AND acl.privilege_type <> 'SELECT'
       OR acl.grantee = to_regrole(:writer_role)
          AND NOT (relname = ANY (:written_tables) AND acl.privilege_type IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
                   OR relname = ANY (:read_tables) AND acl.privilege_type = 'SELECT'))
ORDER BY 1;

-- row-security-off: error
-- Row-level security is not enabled and forced: one of two checks keeps organizations apart, not both.
-- Remedy: Run ALTER TABLE ... ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY.
SELECT relname AS example FROM pg_class
WHERE relnamespace = current_schema()::regnamespace AND relname = ANY (:protected_tables)
  AND NOT (relrowsecurity AND relforcerowsecurity)
ORDER BY relname;

-- changed-policies: error
-- Policies of row-level security are missing, were added, or have other conditions than migrations give them.
-- Remedy: Drop the policies that were added; create the others again as db/migrations/versions/0025_baseline.sql does.
SELECT coalesce(declared.table_name || ' ' || declared.name, found.tablename || ' ' || found.policyname) AS example
FROM jsonb_to_recordset(CAST(:policies AS jsonb)) declared (table_name text, name text, command text, condition text)
FULL JOIN (SELECT * FROM pg_policies WHERE schemaname = current_schema()) found
  ON (found.tablename, found.policyname) = (declared.table_name, declared.name)
WHERE (found.cmd, found.qual, found.permissive, found.roles = '{public}', found.with_check IS NULL)
      IS DISTINCT FROM (declared.command, declared.condition, 'PERMISSIVE', declared.name = 'tenant', true)
ORDER BY 1;

-- missing-indexes: error
-- Indexes are missing or are not valid, so that lists and reports read whole tables.
-- Remedy: Drop what is not valid, and run the commands shown; CREATE INDEX CONCURRENTLY does not block writers.
SELECT command AS example
FROM jsonb_to_recordset(CAST(:indexes AS jsonb)) declared (table_name text, name text, command text)
WHERE NOT EXISTS (SELECT 1 FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
                  WHERE c.relname = declared.name AND i.indrelid = to_regclass(declared.table_name) AND i.indisvalid)
ORDER BY table_name, name;

-- missing-constraints: error
-- Constraints are missing or were never validated: rows may break what readers rely on.
-- Remedy: Correct the rows, and run the commands shown, or ALTER TABLE ... VALIDATE CONSTRAINT.
SELECT command AS example
FROM jsonb_to_recordset(CAST(:constraints AS jsonb)) declared (table_name text, name text, command text)
WHERE NOT EXISTS (SELECT 1 FROM pg_constraint c
                  WHERE c.conname = declared.name AND c.conrelid = to_regclass(declared.table_name) AND c.convalidated)
  AND NOT (name = ANY (:undistributed_keys) AND to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL)
ORDER BY table_name, name;

-- missing-triggers: error
-- Triggers on a row itself are missing: updated_at does not move, or slots move, and pollers miss changes.
-- Remedy: Run orgdata migrate, and update the rows that were written meanwhile.
SELECT table_name || ' ' || name AS example
FROM jsonb_to_recordset(CAST(:row_triggers AS jsonb)) declared (table_name text, name text)
WHERE NOT EXISTS (SELECT 1 FROM pg_trigger t
                  WHERE t.tgname = declared.name AND t.tgrelid = to_regclass(declared.table_name))
ORDER BY 1;

-- missing-cascades: info
-- Triggers that write what belongs to a changed row, or shows it, are missing: it is the duty of those who write.
-- Remedy: Run orgdata migrate --cascades, unless the tables are distributed.
SELECT table_name || ' ' || name AS example
FROM jsonb_to_recordset(CAST(:cascade_triggers AS jsonb)) declared (table_name text, name text)
WHERE NOT EXISTS (SELECT 1 FROM pg_trigger t
                  WHERE t.tgname = declared.name AND t.tgrelid = to_regclass(declared.table_name))
ORDER BY 1;
