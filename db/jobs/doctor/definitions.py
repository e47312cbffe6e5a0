"""Checks of definitions: the catalogue of the database is compared with that of a new one, kind by kind.

`new_database.json` has the catalogue that migrations make, by kind and name: `make generated` writes it.
"""

from collections.abc import Iterator
from importlib.resources import files

from db.admin.triggers.declared import SECOND_KIND
from db.jobs.doctor.check import Check, Severity

SHOWN_COMMAND = "Drop what is not valid or has changed, and run the command that the finding shows."

CHANGED_OBJECTS = {
    "policy": (
        Severity.error,
        "Policies are missing or have changed: row-level security shows other rows, or none.",
        "Drop a changed policy, and create it as db/migrations/versions/0025_baseline.sql does.",
    ),
    "row security": (
        Severity.error,
        "Row-level security is not enabled and forced: one of two checks keeps organizations apart, not both.",
        "Run ALTER TABLE ... ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY.",
    ),
    "owner": (
        Severity.error,
        "Objects have another owner, who is not held to rights and row-level security; migrations of them fail.",
        "Run ALTER ... OWNER TO the role that migrates.",
    ),
    "right": (
        Severity.error,
        "Rights are missing or have changed: requests, imports or commands fail, or may do more than they need.",
        "Run orgdata migrate as the owner of the tables, and REVOKE what migrations do not grant.",
    ),
    "table": (
        Severity.error,
        "Tables are missing or unlogged: requests and imports fail, or a crash empties them.",
        "Restore a missing table from a backup; for an unlogged one run ALTER TABLE ... SET LOGGED.",
    ),
    "column": (
        Severity.error,
        "Columns are missing or have changed: writers are refused, or readers get values that they cannot have.",
        "Run ALTER TABLE until the column is as the finding shows; restore the values of a missing one from a backup.",
    ),
    "constraint": (
        Severity.error,
        "Constraints are missing, have changed, or were never validated: rows may break what readers rely on.",
        f"Correct the rows. {SHOWN_COMMAND} A superuser enables triggers with ALTER TABLE ... ENABLE TRIGGER ALL.",
    ),
    "index": (
        Severity.error,
        "Indexes are missing, have changed or are not valid: lists and reports read whole tables.",
        f"{SHOWN_COMMAND} CREATE INDEX CONCURRENTLY does not block writers.",
    ),
    "trigger": (
        Severity.error,
        "Triggers are missing, disabled or have changed: pollers miss changes, or what belongs to a deleted row lives.",
        "Enable a disabled trigger, drop a changed one, run orgdata migrate, and update what was written meanwhile.",
    ),
    "function": (
        Severity.error,
        "Functions are missing or have changed: triggers and policies do something else than this version expects.",
        "Run orgdata migrate as the owner of the tables.",
    ),
    "storage": (
        Severity.warning,
        "Settings of tables are missing or have changed: vacuum runs too rarely or never.",
        "Run ALTER TABLE ... SET with what the finding shows.",
    ),
}
"""By kind: what follows where objects of a new database are missing or differ, and what to do. Tenancy is first."""

ADDED_OBJECTS = {
    "policy": (Severity.error, "There are other policies: row-level security shows other rows.", "Run DROP POLICY."),
    "row security": (
        Severity.error,
        "Row-level security is enabled for other tables: readers get no rows of them.",
        "Run ALTER TABLE ... DISABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY.",
    ),
    "right": (
        Severity.error,
        "The service, the writer or every role may do more than it needs.",
        "Run REVOKE ... ON ... FROM the role that the finding shows.",
    ),
    "other right": (
        Severity.warning,
        "Other roles have rights: they read or write every organization that they name in app.organization_id.",
        "Run REVOKE ... ON ... FROM the role that the finding shows, unless it is yours.",
    ),
    "table": (
        Severity.warning,
        "There are other tables or views: orgdata migrate lets the service read every table of the schema public.",
        "Keep them in another schema.",
    ),
    "column": (
        Severity.warning,
        "There are other columns: exports leave them out, and writers are refused where they have no default.",
        "Drop the column, or keep it in a table of another schema.",
    ),
    "constraint": (
        Severity.info,
        "There are other constraints, which may refuse rows that the API can answer.",
        "Drop the constraint, unless it is yours.",
    ),
    "index": (
        Severity.info,
        "There are other indexes: writers become slower, and unique ones refuse rows.",
        "Drop the index, unless it is yours.",
    ),
    "statistics": (
        Severity.info,
        "There are other statistics: plans may differ from those that were tested.",
        "Drop the statistics, unless they are yours.",
    ),
    "trigger": (
        Severity.warning,
        "There are other triggers, which may change or refuse rows that are written.",
        "Run DROP TRIGGER, unless it is yours.",
    ),
    "function": (
        Severity.info,
        "There are other functions, which every role may call.",
        "Keep them in another schema.",
    ),
    "rule": (Severity.error, "There are rules: statements become other ones.", "Run DROP RULE."),
    "storage": (
        Severity.warning,
        "Tables or columns have settings: vacuum runs too rarely or never, or values are stored in another way.",
        "Run ALTER TABLE ... RESET, unless the setting is yours.",
    ),
}
"""By kind: what follows where a new database does not have an object, and what to do."""

CASCADES = rf"(^|[. ])({'|'.join(sorted(SECOND_KIND))}|touch_of)"
"""Triggers that change other rows, and their functions: a database may have none of them."""

MISSING_OR_CHANGED = f"""
SELECT name || coalesce(' is ' || found.definition || ' instead of ', ' is missing: ') || expected.definition AS example
{{compared}} AND expected.definition IS NOT NULL
  AND NOT (split_part(name, '.', 2) = ANY (:undistributed_keys)
           AND to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL)
  AND NOT (name ~ '{CASCADES}' AND NOT EXISTS (SELECT FROM pg_trigger WHERE tgname = 'cascade_deletion'))
ORDER BY name"""

# An added table stands for its columns, constraints, indexes and triggers.
UNMIGRATED = """
SELECT name || '\\: ' || found.definition AS example
{compared} AND expected.definition IS NULL
  AND (name NOT LIKE '%.%' OR CAST(:new_database AS jsonb) -> 'table' -> substring(name FROM '(\\w+)[.]') IS NOT NULL)
ORDER BY name"""


def definitions() -> Iterator[Check]:
    """Checks of the objects of a new database, and of those that it does not have."""
    catalogue = files("db.admin").joinpath("catalogue.sql").read_text()
    for prefix, statement, kinds in (
        ("changed", MISSING_OR_CHANGED, CHANGED_OBJECTS),
        ("added", UNMIGRATED, ADDED_OBJECTS),
    ):
        for kind, (severity, sentence, remedy) in kinds.items():
            compared = f"""
FROM jsonb_each_text(CAST(:new_database AS jsonb) -> '{kind}') expected (name, definition)
FULL JOIN (SELECT name, definition FROM ({catalogue}) c WHERE kind = '{kind}') found USING (name)
WHERE found.definition IS DISTINCT FROM expected.definition"""
            name = f"{prefix}-{kind}".replace(" ", "-")
            yield Check(name, severity, sentence, remedy, statement.format(compared=compared))
