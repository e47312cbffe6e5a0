"""Survey of a report: the people and the work that its entries name."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from db.jobs.importing.detailed_reports.entry import EntryNames, LineOfFile, Omission, OmittedLine, ReportedProject


class ReportedWork(NamedTuple):
    """What an entry is of."""

    project: ReportedProject | None
    task: str | None
    is_billable: bool
    is_break: bool
    is_manual: bool


@dataclass
class Person:
    """A person of the report."""

    name: str
    email: str | None
    place: LineOfFile
    first_started_at: datetime


@dataclass
class Omitted:
    """Lines that were left out for one reason."""

    count: int
    first_place: LineOfFile


@dataclass
class Survey:
    """What a report names, each with the place that named it first."""

    people: dict[str, Person] = field(default_factory=dict)
    """By what they are known by: e-mail address or name."""
    clients: dict[str, LineOfFile] = field(default_factory=dict)
    projects: dict[ReportedProject, LineOfFile] = field(default_factory=dict)
    billable_projects: set[ReportedProject] = field(default_factory=set)
    tasks: dict[tuple[ReportedProject, str], LineOfFile] = field(default_factory=dict)
    memberships: dict[tuple[ReportedProject, str], tuple[LineOfFile, datetime]] = field(default_factory=dict)
    """By project and person: when the person's first entry on the project began."""
    omitted: dict[Omission, Omitted] = field(default_factory=dict)

    def add(self, names: EntryNames, work: ReportedWork, first: datetime, place: LineOfFile) -> None:
        """Add entries of one person and one work: when the first of them began, and where it is."""
        person = self.people.setdefault(names.who, Person(names.person, names.email, place, first))
        person.first_started_at = min(person.first_started_at, first)
        project = work.project
        if project is None:
            return
        if project.client is not None:
            self.clients.setdefault(project.client, place)
        self.projects.setdefault(project, place)
        if work.is_billable:
            self.billable_projects.add(project)
        if work.task is not None:
            self.tasks.setdefault((project, work.task), place)
        place, joined_at = self.memberships.get((project, names.who), (place, first))
        self.memberships[project, names.who] = (place, min(joined_at, first))

    def omit(self, line: OmittedLine) -> None:
        """Count a line that has no time to import."""
        self.omitted.setdefault(line.reason, Omitted(0, line.place)).count += 1
