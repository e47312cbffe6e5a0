"""Checks of definitions: the catalogue of the database is compared with that of a new one, kind by kind.

`new_database.json` has the catalogue that migrations make, by kind and name: `make generated` writes it.
`definitions.toml` says what follows where a kind of objects differs.
"""

import tomllib
from collections.abc import Iterator
from importlib.resources import files

from db.admin.triggers.declared import SECOND_KIND
from db.jobs.doctor.check import Check, Severity

CASCADES = rf"(^|[. ])({'|'.join(sorted(SECOND_KIND))}|touch_of)"
"""Triggers that change other rows, and their functions: a database may have none of them."""

MISSING_OR_CHANGED = f"""
SELECT name || coalesce(' is ' || found.definition || ' instead of ', ' is missing: ') || expected.definition AS example
{{compared}} AND expected.definition IS NOT NULL
  AND NOT (split_part(name, '.', 2) = ANY (:undistributed_keys)
           AND to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL)
  AND NOT (name ~ '{CASCADES}' AND NOT EXISTS (SELECT FROM pg_trigger WHERE tgname = 'cascade_deletion'))
ORDER BY name"""

# An added table stands for its columns, constraints, indexes and triggers, and for the rights of who made it.
UNMIGRATED = """
SELECT name || '\\: ' || found.definition AS example
{compared} AND expected.definition IS NULL AND name NOT LIKE 'the owner on %'
  AND (name NOT LIKE '%.%' OR CAST(:new_database AS jsonb) -> 'table' -> substring(name FROM '(\\w+)[.]') IS NOT NULL)
ORDER BY name"""


def definitions() -> Iterator[Check]:
    """Checks of the objects of a new database, and of those that it does not have."""
    folder = files(__package__)
    catalogue = folder.joinpath("catalogue.sql").read_text()
    words = tomllib.loads(folder.joinpath("definitions.toml").read_text())
    for prefix, statement in (("changed", MISSING_OR_CHANGED), ("added", UNMIGRATED)):
        for kind, said in words[prefix].items():
            compared = f"""
FROM jsonb_each_text(CAST(:new_database AS jsonb) -> '{kind}') expected (name, definition)
FULL JOIN (SELECT name, definition FROM ({catalogue}) c WHERE kind = '{kind}') found USING (name)
WHERE found.definition IS DISTINCT FROM expected.definition"""
            name, severity = f"{prefix}-{kind}".replace(" ", "-"), Severity(said["severity"])
            yield Check(name, severity, said["sentence"], said["remedy"], statement.format(compared=compared))
