"""All checks of `orgdata doctor`: of SQL files, definitions, amounts, and rows that belong or refer to others."""

import json
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
from db.tables.reference import MINOR_UNIT_DIGITS

DECLARED: Mapping[str, Any] = {
    "service_role": SERVICE_ROLE,
    "writer_role": WRITER_ROLE,
    "new_database": files(__package__).joinpath("new_database.json").read_text(),
    "minor_units": json.dumps({currency: 10**-digits for currency, digits in MINOR_UNIT_DIGITS.items()}),
    "undistributed_keys": [str(key.name) for table in reference_tables() for key in keys_to_distributed(table)],
}
"""Values of parameters that are the same for every database."""

WRITTEN_CHECK = re.compile(
    r"-- (?P<name>[a-z_-]+): (?P<severity>\w+)\n"
    r"-- (?P<sentence>.+(?:\n-- .+)*?)\n"
    r"-- Remedy: (?P<remedy>.+(?:\n-- .+)*)\n"
    r"(?P<statement>[^;]+);"
)


def written_checks(file: str) -> Iterator[Check]:
    """The checks of an SQL file. Raises ValueError if a part of it is none."""
    for part in re.split(r"\n{2,}", files(__package__).joinpath(file).read_text().strip("\n"))[1:]:
        if part.startswith("-- == "):
            continue
        for written in _for_each_row(part):
            match = WRITTEN_CHECK.fullmatch(written)
            if match is None:
                raise ValueError(f"{file} has a part that is no check: {written.splitlines()[0]}")
            name, severity = match["name"].replace("_", "-"), Severity(match["severity"])
            sentence, remedy = (match[each].replace("\n-- ", " ") for each in ("sentence", "remedy"))
            yield Check(name, severity, sentence, remedy, match["statement"])


def _for_each_row(part: str) -> Iterator[str]:
    """A part as it is, or for each row of the table above it, with the values in place of the names in braces."""
    lines = part.splitlines()
    table = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line.startswith("-- |")]
    if not table:
        yield part
    for row in table[1:]:
        yield "\n".join(lines[len(table) :]).format_map(dict(zip(table[0], row, strict=True)))


DATABASE_CHECKS = [*written_checks("role_checks.sql"), *definitions(), *written_checks("database_checks.sql")]
ORGANIZATION_CHECKS = [*written_checks("organization_checks.sql"), *amounts(), *deleted(), *older_rows(), *orphans()]
CHECKS = [*DATABASE_CHECKS, *ORGANIZATION_CHECKS]
