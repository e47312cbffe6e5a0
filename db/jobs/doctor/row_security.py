"""Checks for row-level security that is not as migrations left it."""

from collections.abc import Iterator, Sequence

from db.jobs.doctor.check import DECLARED_TABLES, Check, Severity

API_KEYS_TABLE = "api_keys"
"""The table whose rows are shown by public id and not by organization."""

# As PostgreSQL prints the conditions of the policies. Colons are escaped: they would begin a parameter.
ORGANIZATION_SETTING = "(NULLIF(current_setting('app.organization_id'\\:\\:text, true), ''\\:\\:text))\\:\\:uuid"
OWN_ROWS = f"(organization_id = COALESCE({ORGANIZATION_SETTING}, organization_not_set()))"
BY_PUBLIC_ID = "(public_id = current_setting('app.public_id'\\:\\:text, true))"

ADMINISTERED = {API_KEYS_TABLE: "ALL", "quota_overrides": "ALL", "organizations": "SELECT"}
"""The tables of which the owner sees all rows, and the command for which it does."""


def protected_tables() -> list[str]:
    """The tables with row-level security."""
    return [name for name, table in DECLARED_TABLES.items() if table.info.get("tenant") or name == API_KEYS_TABLE]


def _policies() -> Iterator[tuple[str, str, str, str]]:
    """Table, name, command and condition of each policy."""
    for table in protected_tables():
        yield table, "tenant", "ALL", BY_PUBLIC_ID if table == API_KEYS_TABLE else OWN_ROWS
        if table in ADMINISTERED:
            yield table, "owner", ADMINISTERED[table], "true"


def _literals(row: Sequence[str]) -> str:
    """A row of literals."""
    return "(" + ", ".join("'" + word.replace("'", "''") + "'" for word in row) + ")"


def row_security() -> Iterator[Check]:
    tables = ", ".join(f"'{name}'" for name in protected_tables())
    policies = ",\n  ".join(map(_literals, _policies()))
    yield Check(
        "row-security-off",
        Severity.error,
        "Row-level security is not enabled and forced: one of two checks keeps organizations apart, not both.",
        "Run ALTER TABLE ... ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY.",
        f"""
SELECT relname AS example FROM pg_class
WHERE relnamespace = current_schema()::regnamespace AND relname IN ({tables})
  AND NOT (relrowsecurity AND relforcerowsecurity)
ORDER BY relname""",
    )
    yield Check(
        "changed-policies",
        Severity.error,
        "Policies of row-level security are missing, were added, or have other conditions than migrations give them.",
        "Drop the policies that were added; create the others again as db/migrations/versions/0025_baseline.sql does.",
        f"""
SELECT coalesce(declared.table_name || ' ' || declared.name, found.tablename || ' ' || found.policyname) AS example
FROM (VALUES
  {policies}) declared (table_name, name, command, condition)
FULL JOIN (SELECT * FROM pg_policies WHERE schemaname = current_schema()) found
  ON (found.tablename, found.policyname) = (declared.table_name, declared.name)
WHERE (found.cmd, found.qual, found.permissive, found.roles = '{{public}}', found.with_check IS NULL)
      IS DISTINCT FROM (declared.command, declared.condition, 'PERMISSIVE', declared.name = 'tenant', true)
ORDER BY 1""",
    )
