"""All checks of `orgdata doctor`: of SQL files, definitions, amounts, and rows that belong or refer to others."""

import re
from collections.abc import Iterator, Sequence
from importlib.resources import files

from db.jobs.doctor.amounts import amounts
from db.jobs.doctor.check import Check, Severity
from db.jobs.doctor.definitions import definitions
from db.jobs.doctor.deleted import deleted, older_rows
from db.jobs.doctor.orphans import orphans

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


def unique(checks: Sequence[Check]) -> Sequence[Check]:
    """The checks. Raises ValueError if two have the same name."""
    names = [check.name for check in checks]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(f"Several checks are called {', '.join(repeated)}.")
    return checks


DATABASE_CHECKS = [*written_checks("role_checks.sql"), *definitions(), *written_checks("database_checks.sql")]
ORGANIZATION_CHECKS = [*written_checks("organization_checks.sql"), *amounts(), *deleted(), *older_rows(), *orphans()]
CHECKS = unique([*DATABASE_CHECKS, *ORGANIZATION_CHECKS])

for check in CHECKS:
    if check.is_of_organization != (check in ORGANIZATION_CHECKS):
        raise ValueError(f"{check.name}: a check of an organization, and no other, uses :organization_id.")
