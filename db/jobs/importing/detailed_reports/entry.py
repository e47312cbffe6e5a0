"""An entry of a report: who and what its time is of, and when; or why a line has none."""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

LineOfFile = tuple[str, int]
"""A file and a line."""


class Omission(StrEnum):
    """Why a line has no time to import."""

    running = "is still running"
    without_length = "has no length"
    time_off = "is a holiday or time off"


class ReportedProject(NamedTuple):
    """A project by its name and that of its client."""

    client: str | None
    name: str


class EntryNames(NamedTuple):
    """Who and what an entry is of."""

    email: str | None
    person: str
    """The name; the e-mail address if there is none."""
    project: ReportedProject | None
    task: str | None
    is_billable: bool
    is_break: bool

    @property
    def who(self) -> str:
        """What the person is known by: the e-mail address, or the name where the report has no addresses."""
        return self.email or self.person


class Entry(NamedTuple):
    """A tracked interval, or a break. Times are seconds of Unix time."""

    place: LineOfFile
    names: EntryNames
    started_at: int
    ended_at: int
    note: str
    tags: Sequence[str]
    day_start: int | None
    """The start of the day of an entry without times of day; these follow each other from then on."""


class OmittedLine(NamedTuple):
    """A line that has no time to import."""

    place: LineOfFile
    reason: Omission
