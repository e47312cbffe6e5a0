"""An entry of a report: who and what its time is of, and when; or why a line has none."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple


class Omission(StrEnum):
    """Why a line has no time to import."""

    running = "is still running"
    without_length = "has no length"
    time_off = "is a holiday or time off"


class ReportedPerson(NamedTuple):
    email: str | None
    name: str
    """The e-mail address if there is none."""

    @property
    def who(self) -> str:
        """What the person is known by: the e-mail address, or the name where the report has no addresses."""
        return self.email or self.name


UNKNOWN_CLIENT = ""
"""The client of a project in a report that does not name clients."""


class ReportedProject(NamedTuple):
    """A project by its name and that of its client; None: it has none."""

    client: str | None
    name: str


class ReportedWork(NamedTuple):
    """What an entry is of."""

    project: ReportedProject | None
    task: str | None
    is_billable: bool | None
    """None if the report does not say."""
    is_break: bool
    is_manual: bool
    """Whether the report has no times of day."""


class Entry(NamedTuple):
    """A tracked interval, or a break. Times are seconds of Unix time."""

    line: int
    person: ReportedPerson
    work: ReportedWork
    started_at: int
    ended_at: int
    note: str
    tags: Sequence[str]
    day_end: int | None = None
    """The end of its day, if it has no time of day: it starts after the earlier entries, and not with the day."""


class OmittedLine(NamedTuple):
    """A line that has no time to import."""

    line: int
    reason: Omission


class NamedWork(NamedTuple):
    """A person and work that entries name, when the first of them began, and the line that is first in the files."""

    person: ReportedPerson
    work: ReportedWork
    first_started_at: datetime
    file: int
    line: int
