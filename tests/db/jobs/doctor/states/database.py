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


REPLICA_FOLLOWS = setting("wal_receiver_timeout", "60000", "15000").fault + (
    "; CREATE TEMP TABLE pg_stat_replication AS SELECT 1 AS pid"
)

LOWER = (
    "CREATE FUNCTION public.lower(text) RETURNS text LANGUAGE sql AS 'SELECT {}';"
    " SET LOCAL search_path = public, pg_catalog"
)
"""A function in place of PostgreSQL's: all databases of a server have one locale in all tests."""

STATES = {
    "ascii-only-letters": DatabaseState(
        LOWER.format("$1"), ("lower('Ä') is 'Ä'",), LOWER.format("translate($1, U&''\\00C4'', U&''\\00E4'')")
    ),
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
    "owner-without-row-security": DatabaseState(
        "SELECT 1", ("postgres",), "CREATE ROLE other; SET SESSION AUTHORIZATION other"
    ),
    "views-without-row-security": DatabaseState(
        "CREATE VIEW everything AS SELECT * FROM tasks; CREATE MATERIALIZED VIEW kept AS SELECT * FROM tasks;"
        " CREATE FUNCTION counted() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'SELECT 1'",
        ("counted", "everything", "kept"),
        "CREATE VIEW own WITH (security_invoker = true) AS SELECT * FROM tasks;"
        " CREATE FUNCTION one() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    ),
    "missing-statistics": DatabaseState(
        inserted("apps", 1200), ("apps",), "TRUNCATE apps CASCADE; " + inserted("apps", 500)
    ),
}
