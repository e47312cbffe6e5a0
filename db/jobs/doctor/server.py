"""Checks for the version and the settings of the PostgreSQL server, and the revision of the database."""

from collections.abc import Iterator

from db.jobs.doctor.check import Check, Severity

OLDEST, NEWEST = 150000, 189999
"""The versions of PostgreSQL that the tests of this version run on."""

SERVER_SETTINGS = {
    # Each setting with the values that are right, how grave another one is, and what it would do.
    "fsync": (("on",), Severity.error, "A crash of the machine damages the database."),
    "full_page_writes": (("on",), Severity.error, "A crash of the machine damages the database."),
    "server_encoding": (("UTF8",), Severity.error, "Names in some languages cannot be stored."),
    "session_replication_role": (("origin", "local"), Severity.error, "Triggers and foreign keys do not run."),
    "row_security": (("on",), Severity.error, "Statements that row-level security restricts fail."),
    "autovacuum": (("on",), Severity.warning, "Statistics grow old, and index-only scans become slow."),
    "track_counts": (("on",), Severity.warning, "Autovacuum does not run without it."),
    "track_activities": (("on",), Severity.info, "Running statements cannot be seen."),
}


def _setting(name: str, right: tuple[str, ...], severity: Severity, consequence: str) -> Check:
    values = ", ".join(f"'{value}'" for value in right)
    return Check(
        f"setting-{name.replace('_', '-')}",
        severity,
        f"The setting {name} is not {right[0]}. {consequence}",
        f"Set {name} = {right[0]}.",
        f"SELECT setting AS example FROM pg_settings WHERE name = '{name}' AND setting NOT IN ({values})",
    )


def server() -> Iterator[Check]:
    yield Check(
        "old-postgresql",
        Severity.error,
        "PostgreSQL is older than 15, which statements of the service need.",
        "Upgrade PostgreSQL.",
        f"""
SELECT setting AS example FROM pg_settings WHERE name = 'server_version_num' AND CAST(setting AS integer) < {OLDEST}""",
    )
    yield Check(
        "untested-postgresql",
        Severity.info,
        "PostgreSQL is newer than the versions that this version was tested with.",
        "Run the tests with it, or upgrade the service.",
        f"""
SELECT setting AS example FROM pg_settings WHERE name = 'server_version_num' AND CAST(setting AS integer) > {NEWEST}""",
    )
    for name, (right, severity, consequence) in SERVER_SETTINGS.items():
        yield _setting(name, right, severity, consequence)
    yield Check(
        "small-shared-buffers",
        Severity.info,
        "The database is more than ten times as large as shared_buffers, which are at the default of 128 MB or below.",
        "Set shared_buffers to a quarter of the machine's memory.",
        """
SELECT setting || ' pages' AS example FROM pg_settings
WHERE name = 'shared_buffers' AND CAST(setting AS bigint) <= 16384
  AND pg_database_size(current_database()) > 10 * CAST(setting AS bigint) * 8192""",
    )
    yield Check(
        "few-connections",
        Severity.warning,
        "The server accepts fewer connections than one worker with the default settings may open.",
        "Raise max_connections, or lower ORGDATA_POOL_SIZE and ORGDATA_GRAPHQL_POOL_SIZE.",
        """
SELECT setting AS example FROM pg_settings WHERE name = 'max_connections' AND CAST(setting AS integer) < 20""",
    )
