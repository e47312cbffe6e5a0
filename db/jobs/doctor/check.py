"""A check of `orgdata doctor`: a statement that finds what is wrong, and what to do about it."""

import re
from dataclasses import dataclass
from enum import StrEnum

from db.jobs.doctor.declared import DECLARED

NAME = re.compile(r"[a-z]+(-[a-z]+)*")
PARAMETER = re.compile(r"(?<![:\w\\]):([a-z_]+)")

CHECK_PARAMETERS = {
    *DECLARED,
    *("organization_id", "revision", "head", "timesheets_cap", "logs_cap", "screenshots_cap"),
}
"""The values that statements may use; `db.jobs.doctor.examination` passes them."""


class Severity(StrEnum):
    """error: clients get wrong or no data, or tenancy is at risk. warning: this is likely soon. info: worth knowing."""

    error = "error"
    warning = "warning"
    info = "info"


@dataclass(frozen=True)
class Check:
    """Raises ValueError for a declaration that contradicts itself.

    `name`: words with hyphens. `sentence`: what is wrong. `remedy`: what to do. `statement`: a SELECT with a row for
    each fault; its column `example` is the id of the row at fault, or another text that leads to it.
    """

    name: str
    severity: Severity
    sentence: str
    remedy: str
    statement: str

    def __post_init__(self) -> None:
        used = set(PARAMETER.findall(self.statement))
        if not NAME.fullmatch(self.name):
            raise ValueError(f"{self.name!r} is not a name: use lower-case words with hyphens.")
        for text in (self.sentence, self.remedy):
            if not (text[:1].isupper() and text.endswith(".")):
                raise ValueError(f"{self.name}: {text!r} is not a sentence.")
        if self.statement.split()[0].upper() not in ("SELECT", "WITH") or ";" in self.statement:
            raise ValueError(f"{self.name}: the statement is not one SELECT.")
        if not re.search(r"\bAS example\b", self.statement):
            raise ValueError(f"{self.name}: the statement has no column `example`.")
        if used - CHECK_PARAMETERS:
            raise ValueError(f"{self.name}: {sorted(used - CHECK_PARAMETERS)} are no parameters of checks.")

    @property
    def is_of_organization(self) -> bool:
        """Whether a run covers one organization, and not the whole database."""
        return "organization_id" in PARAMETER.findall(self.statement)
