"""States of the checks of the database: commands that a superuser runs before a check, in one transaction."""

from typing import NamedTuple


class DatabaseState(NamedTuple):
    """Commands that make a fault, the examples that its check shows, and similar commands that make none."""

    fault: str
    examples: tuple[str, ...]
    sound: str


def setting(name: str, wrong: str, right: str) -> DatabaseState:
    """Values of a setting, as a table shows them that hides PostgreSQL's own: a server has one value in all tests."""
    shown = (
        "CREATE TEMP TABLE pg_settings AS SELECT '{name}' AS name, '{value}' AS setting;"
        " SET LOCAL search_path = pg_temp, public, pg_catalog"
    )
    return DatabaseState(shown.format(name=name, value=wrong), (wrong,), shown.format(name=name, value=right))


def inserted(table: str, number: int) -> str:
    """Commands that insert so many rows of almost one kilobyte."""
    own = "'00000000-0000-4000-8000-000000000000'"
    return (
        "INSERT INTO organizations (organization_id, name, timezone, currency)"
        f" VALUES ({own}, 'A', 'UTC', 'EUR');"
        f" INSERT INTO {table} (organization_id, id, name)"
        f" SELECT {own}, gen_random_uuid(), repeat('x', 900) || n FROM generate_series(1, {number}) n"
    )


TEAMS_INDEX = (
    "CREATE INDEX teams_organization_id_created_at_id_idx ON teams (organization_id, created_at, id)"
    " WHERE deleted_at IS NULL"
)
TASK_KEY = (
    "ALTER TABLE task_members ADD CONSTRAINT task_members_organization_id_task_id_fkey"
    " FOREIGN KEY(organization_id, task_id) REFERENCES tasks (organization_id, id)"
)

REPLICA_FOLLOWS = setting("wal_receiver_timeout", "60000", "15000").fault + (
    "; CREATE TEMP TABLE pg_stat_replication AS SELECT 1 AS pid"
)

STATES = {
    "old-postgresql": setting("server_version_num", "140018", "150000"),
    "untested-postgresql": setting("server_version_num", "190000", "180004"),
    "setting-fsync": setting("fsync", "off", "on"),
    "setting-full-page-writes": setting("full_page_writes", "off", "on"),
    "setting-server-encoding": setting("server_encoding", "SQL_ASCII", "UTF8"),
    "setting-session-replication-role": setting("session_replication_role", "replica", "local"),
    "setting-row-security": setting("row_security", "off", "on"),
    "setting-autovacuum": setting("autovacuum", "off", "on"),
    "setting-track-counts": setting("track_counts", "off", "on"),
    "setting-track-activities": setting("track_activities", "off", "on"),
    "small-shared-buffers": setting("shared_buffers", "16", "16384")._replace(examples=("16 pages",)),
    "few-connections": setting("max_connections", "19", "20"),
    "blind-replicas": DatabaseState(
        REPLICA_FOLLOWS, ("60000 ms",), f"{REPLICA_FOLLOWS}; GRANT pg_read_all_stats TO orgdata_service"
    ),
    "service-role-attributes": DatabaseState(
        "ALTER ROLE orgdata_service SUPERUSER BYPASSRLS;"
        " ALTER ROLE orgdata_service RESET default_transaction_read_only",
        ("SUPERUSER", "BYPASSRLS", "default_transaction_read_only is not on"),
        "ALTER ROLE orgdata_service CONNECTION LIMIT 10; ALTER ROLE orgdata_service SET statement_timeout = '9s'",
    ),
    "writer-role-attributes": DatabaseState(
        "ALTER ROLE orgdata_writer BYPASSRLS CREATEDB",
        ("BYPASSRLS", "CREATEDB"),
        "ALTER ROLE orgdata_writer CONNECTION LIMIT 10",
    ),
    "role-memberships": DatabaseState(
        "CREATE ROLE other ROLE orgdata_writer; ALTER TABLE tasks OWNER TO orgdata_service",
        ("orgdata_service owns tasks", "orgdata_writer is a member of other"),
        "CREATE ROLE other IN ROLE orgdata_writer; ALTER TABLE tasks OWNER TO other",
    ),
    "missing-grants": DatabaseState(
        "REVOKE SELECT ON tasks FROM orgdata_service; REVOKE DELETE ON teams FROM orgdata_writer",
        ("orgdata_service may not SELECT tasks", "orgdata_writer may not DELETE teams"),
        "REVOKE SELECT ON alembic_version FROM orgdata_service; GRANT SELECT ON tasks TO orgdata_service",
    ),
    "unexpected-grants": DatabaseState(
        "GRANT UPDATE ON tasks TO orgdata_service; GRANT SELECT ON teams TO PUBLIC;"
        " GRANT INSERT ON organizations TO orgdata_writer; GRANT SELECT ON api_keys TO orgdata_writer;"
        " GRANT TRUNCATE ON tasks TO orgdata_writer",
        (
            "PUBLIC: SELECT on teams",
            "orgdata_service: UPDATE on tasks",
            "orgdata_writer: INSERT on organizations",
            "orgdata_writer: SELECT on api_keys",
            "orgdata_writer: TRUNCATE on tasks",
        ),
        "CREATE ROLE other; GRANT UPDATE ON tasks TO other",
    ),
    "owner-without-row-security": DatabaseState(
        "SELECT 1", ("postgres",), "CREATE ROLE other; SET SESSION AUTHORIZATION other"
    ),
    "row-security-off": DatabaseState(
        "ALTER TABLE tasks NO FORCE ROW LEVEL SECURITY; ALTER TABLE api_keys DISABLE ROW LEVEL SECURITY",
        ("api_keys", "tasks"),
        "CREATE TABLE other (id int)",
    ),
    "changed-policies": DatabaseState(
        "DROP POLICY tenant ON tasks; CREATE POLICY everything ON teams USING (true);"
        " ALTER POLICY tenant ON projects USING (true); ALTER POLICY owner ON organizations TO PUBLIC",
        ("organizations owner", "projects tenant", "tasks tenant", "teams everything"),
        "DROP POLICY tenant ON tasks; CREATE POLICY tenant ON tasks"
        " USING (organization_id = coalesce(nullif(current_setting('app.organization_id', true), '')::uuid,"
        " organization_not_set()))",
    ),
    "views-without-row-security": DatabaseState(
        "CREATE VIEW everything AS SELECT * FROM tasks; CREATE MATERIALIZED VIEW kept AS SELECT * FROM tasks;"
        " CREATE FUNCTION counted() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'SELECT 1'",
        ("counted", "everything", "kept"),
        "CREATE VIEW own WITH (security_invoker = true) AS SELECT * FROM tasks;"
        " CREATE FUNCTION one() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    ),
    "missing-indexes": DatabaseState(
        "DROP INDEX teams_organization_id_created_at_id_idx;"
        " UPDATE pg_index SET indisvalid = false"
        " WHERE indexrelid = 'tasks_organization_id_external_id_idx'::regclass",
        ("CREATE INDEX tasks_organization_id_external_id_idx ON tasks (organization_id, external_id)", TEAMS_INDEX),
        "CREATE INDEX another ON tasks (name)",
    ),
    "missing-constraints": DatabaseState(
        "ALTER TABLE task_members DROP CONSTRAINT task_members_organization_id_task_id_fkey;"
        " ALTER TABLE quota_overrides DROP CONSTRAINT quota_overrides_request_limit_check",
        (
            "ALTER TABLE quota_overrides ADD CONSTRAINT quota_overrides_request_limit_check CHECK (request_limit > 0)",
            TASK_KEY,
        ),
        "ALTER TABLE tasks ADD CHECK (number > 0)",
    ),
    "missing-statistics": DatabaseState(
        inserted("apps", 1200), ("apps",), "TRUNCATE apps CASCADE; " + inserted("apps", 500)
    ),
    "missing-triggers": DatabaseState(
        "DROP TRIGGER set_updated_at ON teams; DROP TRIGGER set_join_times ON members",
        ("members set_join_times", "teams set_updated_at"),
        "DROP TRIGGER cascade_deletion ON teams",
    ),
    "missing-cascades": DatabaseState(
        "DROP TRIGGER cascade_deletion ON teams", ("teams cascade_deletion",), "DROP TRIGGER set_updated_at ON teams"
    ),
    "disabled-triggers": DatabaseState(
        "ALTER TABLE quota_overrides DISABLE TRIGGER ALL",
        ("quota_overrides quota_overrides_organization_id_fkey",),
        "ALTER TABLE quota_overrides DISABLE TRIGGER ALL; ALTER TABLE quota_overrides ENABLE TRIGGER ALL",
    ),
}
