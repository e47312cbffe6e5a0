"""All checks of `orgdata doctor`: of SQL files, definitions, amounts, and rows that belong or refer to others."""

import re
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any

from db.admin.roles import WRITER_ROLE
from db.jobs.doctor.amounts import amounts
from db.jobs.doctor.check import Check, Severity
from db.jobs.doctor.definitions import definitions
from db.jobs.doctor.related_rows import deleted, older_rows, orphans
from db.reading.hosts.distribution import keys_to_distributed, reference_tables
from db.reading.transaction import SERVICE_ROLE

DECLARED: Mapping[str, Any] = {
    "service_role": SERVICE_ROLE,
    "writer_role": WRITER_ROLE,
    "new_database": files(__package__).joinpath("new_database.json").read_text(),
    "undistributed_keys": [str(key.name) for table in reference_tables() for key in keys_to_distributed(table)],
}
"""Values of parameters that are the same for every database."""

WRITTEN_CHECK = re.compile(
    r"-- (?P<name>[a-z-]+): (?P<severity>\w+)\n"
    r"-- (?P<sentence>.+(?:\n-- .+)*?)\n"
    r"-- Remedy: (?P<remedy>.+(?:\n-- .+)*)\n"
    r"(?P<statement>[^;]+);"
)


def written_checks(file: str) -> Iterator[Check]:
    """The checks of an SQL file. Raises ValueError if a part of it is none."""
    for part in re.split(r"\n{2,}", files(__package__).joinpath(file).read_text().strip("\n"))[1:]:
        if part.startswith("-- == "):
            continue
        match = WRITTEN_CHECK.fullmatch(part)
        if match is None:
            raise ValueError(f"{file} has a part that is no check: {part.splitlines()[0]}")
        sentence, remedy = (match[name].replace("\n-- ", " ") for name in ("sentence", "remedy"))
        yield Check(match["name"], Severity(match["severity"]), sentence, remedy, match["statement"])


DATABASE_CHECKS = [*written_checks("role_checks.sql"), *definitions(), *written_checks("database_checks.sql")]
ORGANIZATION_CHECKS = [*written_checks("organization_checks.sql"), *amounts(), *deleted(), *older_rows(), *orphans()]
CHECKS = [*DATABASE_CHECKS, *ORGANIZATION_CHECKS]
