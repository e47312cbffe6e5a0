-- Checks of orgdata doctor. Each begins with its name and its severity; then come what is wrong, what to do, and a
-- statement with a row for each fault, whose `example` leads to it. Below a table it is a check for each row, whose
-- columns are in braces. These run once.


-- == The version and the settings of the server. The tests of this version run on PostgreSQL 15 to 18.

-- old-postgresql: error
-- PostgreSQL is older than 15, which statements of the service need.
-- Remedy: Upgrade PostgreSQL.
SELECT setting AS example FROM pg_settings WHERE name = 'server_version_num' AND CAST(setting AS integer) < 150000;

-- untested-postgresql: info
-- PostgreSQL is newer than the versions that this version was tested with.
-- Remedy: Run the tests with it, or upgrade the service.
SELECT setting AS example FROM pg_settings WHERE name = 'server_version_num' AND CAST(setting AS integer) > 189999;

-- | setting                  | severity | value  | allowed           | consequence                                            |
-- | fsync                    | error    | on     | 'on'              | A crash of the machine damages the database.           |
-- | full_page_writes         | error    | on     | 'on'              | A crash of the machine damages the database.           |
-- | server_encoding          | error    | UTF8   | 'UTF8'            | Names in some languages cannot be stored.              |
-- | session_replication_role | error    | origin | 'origin', 'local' | Triggers and foreign keys do not run.                  |
-- | row_security             | error    | on     | 'on'              | Statements that row-level security restricts fail.     |
-- | autovacuum               | warning  | on     | 'on'              | Statistics grow old, and index-only scans become slow. |
-- | track_counts             | warning  | on     | 'on'              | Autovacuum does not run without it.                    |
-- | track_activities         | info     | on     | 'on'              | Running statements cannot be seen.                     |
-- setting-{setting}: {severity}
-- The setting {setting} is not {value}. {consequence}
-- Remedy: Set {setting} = {value}.
SELECT setting AS example FROM pg_settings WHERE name = '{setting}' AND setting NOT IN ({allowed});

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

-- ascii-only-letters: warning
-- The locale of the database (LC_CTYPE) knows no letters but those of ASCII: search tells É from é, and leaves rows out.
-- Remedy: Restore a dump into a database made with LOCALE 'C.UTF-8' ENCODING 'UTF8' TEMPLATE template0.
SELECT format('lower(%L) is %L', U&'\00C4', lower(CAST(U&'\00C4' AS text))) AS example
WHERE lower(CAST(U&'\00C4' AS text)) <> U&'\00E4';

-- blind-replicas: warning
-- Replicas follow this server, and X-Data-As-Of counts one whose network hangs as up to date for wal_receiver_timeout.
-- Remedy: Set wal_receiver_timeout = 15s on each replica and here, or run GRANT pg_read_all_stats TO orgdata_service.
SELECT setting || ' ms' AS example FROM pg_settings
WHERE name = 'wal_receiver_timeout' AND CAST(setting AS integer) NOT BETWEEN 1 AND 15000
  AND NOT coalesce(pg_has_role(to_regrole(:service_role), 'pg_read_all_stats', 'usage'), false)
  AND (pg_is_in_recovery() OR EXISTS (SELECT 1 FROM pg_stat_replication));

-- missing-statistics: warning
-- Tables were never analyzed, so that PostgreSQL guesses its plans.
-- Remedy: Run ANALYZE, and let autovacuum run; after pg_upgrade, statistics start empty.
SELECT relname AS example FROM pg_stat_user_tables
WHERE schemaname = current_schema() AND coalesce(last_analyze, last_autoanalyze) IS NULL
  AND pg_relation_size(relid) >= 1048576
ORDER BY relname;

-- no-cascades: info
-- Triggers that write what belongs to a changed row, or shows it, are missing: it is the duty of those who write.
-- Remedy: Run orgdata migrate --cascades, unless the tables are distributed.
SELECT 'cascade_deletion' AS example WHERE NOT EXISTS (SELECT 1 FROM pg_trigger WHERE tgname = 'cascade_deletion');
