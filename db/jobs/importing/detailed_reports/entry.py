"""An entry of a report: who and what its time is of, and when; or why a line has none. A survey has what all name."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

LineOfFile = tuple[str, int]
"""A file and a line."""


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

    place: LineOfFile
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

    place: LineOfFile
    reason: Omission


@dataclass
class Omitted:
    """Lines that were left out for one reason."""

    count: int
    first_place: LineOfFile


@dataclass
class SurveyedPerson:
    person: ReportedPerson
    place: LineOfFile
    first_started_at: datetime


@dataclass
class Survey:
    """The people and the work that a report names, each with the place that named it first."""

    people: dict[str, SurveyedPerson] = field(default_factory=dict)
    """By what they are known by: e-mail address or name."""
    clients: dict[str, LineOfFile] = field(default_factory=dict)
    projects: dict[ReportedProject, LineOfFile] = field(default_factory=dict)
    billable: dict[ReportedProject, bool | None] = field(default_factory=dict)
    """Whether any entry of the project is; None if the report does not say."""
    tasks: dict[tuple[ReportedProject, str], LineOfFile] = field(default_factory=dict)
    memberships: dict[tuple[ReportedProject, str], tuple[LineOfFile, datetime]] = field(default_factory=dict)
    """By project and person: when the person's first entry on the project began."""
    omitted: dict[Omission, Omitted] = field(default_factory=dict)

    def add(self, person: ReportedPerson, work: ReportedWork, first: datetime, place: LineOfFile) -> None:
        """Add entries of one person and one work: when the first of them began, and where it is."""
        surveyed = self.people.setdefault(person.who, SurveyedPerson(person, place, first))
        surveyed.first_started_at = min(surveyed.first_started_at, first)
        project = work.project
        if project is None:
            return
        if project.client:
            self.clients.setdefault(project.client, place)
        self.projects.setdefault(project, place)
        self.billable[project] = self.billable.get(project) or work.is_billable
        if work.task is not None:
            self.tasks.setdefault((project, work.task), place)
        place, joined_at = self.memberships.get((project, person.who), (place, first))
        self.memberships[project, person.who] = (place, min(joined_at, first))

    def omit(self, line: OmittedLine) -> None:
        """Count a line that has no time to import."""
        self.omitted.setdefault(line.reason, Omitted(0, line.place)).count += 1
