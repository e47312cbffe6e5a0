"""Survey of a report: the people and the work that its entries name, found in a first pass over the file."""

from dataclasses import dataclass, field
from datetime import datetime

from db.jobs.importing.detailed_reports.entries import Entry, LineOfFile, Omission, OmittedLine, ReportedProject


@dataclass
class Person:
    """A person of the report, with the time that their entries cover."""

    name: str
    email: str | None
    place: LineOfFile
    first_started_at: datetime
    last_ended_at: datetime


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
    first_start: datetime | None = None
    last_start: datetime | None = None
    entries: int = 0
    omitted: dict[Omission, Omitted] = field(default_factory=dict)

    def add(self, entry: Entry) -> None:
        """Take an entry into account."""
        self.entries += 1
        self.first_start = min(self.first_start or entry.started_at, entry.started_at)
        self.last_start = max(self.last_start or entry.started_at, entry.started_at)
        person = self.people.get(entry.who)
        if person is None:
            self.people[entry.who] = Person(entry.person, entry.email, entry.place, entry.started_at, entry.ended_at)
        else:
            person.first_started_at = min(person.first_started_at, entry.started_at)
            person.last_ended_at = max(person.last_ended_at, entry.ended_at)
        if entry.project is None:
            return
        if entry.project.client is not None:
            self.clients.setdefault(entry.project.client, entry.place)
        self.projects.setdefault(entry.project, entry.place)
        if entry.is_billable:
            self.billable_projects.add(entry.project)
        if entry.task is not None:
            self.tasks.setdefault((entry.project, entry.task), entry.place)
        membership = (entry.project, entry.who)
        place, joined_at = self.memberships.get(membership, (entry.place, entry.started_at))
        self.memberships[membership] = (place, min(joined_at, entry.started_at))

    def omit(self, line: OmittedLine) -> None:
        """Count a line that has no time to import."""
        self.omitted.setdefault(line.reason, Omitted(0, line.place)).count += 1
