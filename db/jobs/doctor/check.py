"""A check of `orgdata doctor`: a statement that finds what is wrong, and what to do about it."""

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """error: clients get wrong or no data, or tenancy is at risk. warning: this is likely soon. info: worth knowing."""

    error = "error"
    warning = "warning"
    info = "info"


@dataclass(frozen=True)
class Check:
    """A search for one kind of fault. `name`: words with hyphens. `sentence`: what is wrong. `remedy`: what to do.

    `statement`: a SELECT with a row for each fault; its column `example` is the id of the row at fault, or another text
    that leads to it.
    """

    name: str
    severity: Severity
    sentence: str
    remedy: str
    statement: str
