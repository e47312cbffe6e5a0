"""The formats of detailed reports: a table of headers for each time tracker."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum


class Field(IntEnum):
    """What a column holds. Its number is the position of its text in a line."""

    email = 0
    person = 1
    type = 2
    client = 3
    project = 4
    task = 5
    billable = 6
    note = 7
    tags = 8
    start_date = 9
    start_time = 10
    end_date = 11
    end_time = 12
    duration = 13
    first_name = 14
    last_name = 15
    start = 16
    end = 17
    created = 18


class Tracker(StrEnum):
    """A time tracker."""

    toggl = "toggl"
    clockify = "clockify"
    harvest = "harvest"
    kimai = "kimai"
    solidtime = "solidtime"


COMBINED_FIELDS: Mapping[Field, Field] = {
    Field.start_date: Field.start,
    Field.start_time: Field.start,
    Field.end_date: Field.end,
    Field.end_time: Field.end,
    Field.person: Field.first_name,
}
"""Fields that another column has where they have none of their own."""


@dataclass(frozen=True)
class ReportFormat:
    """A detailed report as one time tracker exports it."""

    tracker: Tracker
    title: str
    headers: Mapping[Field, str]
    """The headers of each field, divided by bars. Case is ignored; the first of them that a file has is read."""
    optional: Sequence[Field] = ()
    """Columns without which the report can be read, besides note, tags and billable."""
    placeholder: str = ""
    """Text that stands for an empty value."""

    @property
    def columns(self) -> Mapping[str, Field]:
        """Headers, and what they hold."""
        return {name: field for field, names in self.headers.items() for name in names.split(" | ")}

    @property
    def needed(self) -> Mapping[Field, Sequence[str]]:
        """The fields that a report must have, each with its headers."""
        others = {*self.optional, Field.billable, Field.note, Field.tags}
        return {field: names.split(" | ") for field, names in self.headers.items() if field not in others}


_WORK = {
    Field.client: "Client",
    Field.project: "Project",
    Field.task: "Task",
    Field.billable: "Billable",
    Field.note: "Description",
    Field.tags: "Tags",
}

# Columns of the newer report can be left out, and plans without cost have no tasks and no billable time.
TOGGL = ReportFormat(
    tracker=Tracker.toggl,
    title="Toggl Track",
    headers={
        Field.person: "User | Member",
        Field.email: "Email",
        **_WORK,
        Field.start_date: "Start date",
        Field.start_time: "Start time",
        Field.end_date: "End date | Stop date",
        Field.end_time: "End time | Stop time",
        Field.duration: "Duration",
    },
    optional=[Field.task],
    placeholder="-",
)

# It writes headers in the language of the person who exports: English, German or Spanish here. A company can call its
# tasks activities.
CLOCKIFY = ReportFormat(
    tracker=Tracker.clockify,
    title="Clockify",
    headers={
        Field.person: "User | Benutzer | Usuario",
        Field.email: "Email | Correo electrónico",
        Field.client: "Client | Kunde | Cliente",
        Field.project: "Project | Projekt | Proyecto",
        Field.task: "Task | Activity | Aufgabe | Tarea",
        Field.billable: "Billable | Abrechenbar | Facturable",
        Field.note: "Description | Beschreibung | Descripción",
        Field.tags: "Tags | Etiquetas",
        Field.start_date: "Start date | Startdatum | Fecha de inicio",
        Field.start_time: "Start time | Startzeit | Hora de inicio",
        Field.end_date: "End date | Enddatum | Fecha de finalización",
        Field.end_time: "End time | Endzeit | Hora de finalización",
        Field.duration: "Duration (h) | Dauer (h) | Duración (h) | Duración (decimal)",
        Field.type: "Type | Typ | Tipo",
        Field.created: "Date of creation",
    },
    optional=[Field.type, Field.created],
)

# It has no times of day, and people without addresses.
HARVEST = ReportFormat(
    tracker=Tracker.harvest,
    title="Harvest",
    headers={
        **_WORK,
        Field.start_date: "Date",
        Field.note: "Description | Notes",
        Field.duration: "Hours",
        Field.billable: "Billable | Billable?",
        Field.first_name: "First Name",
        Field.last_name: "Last Name",
        Field.email: "Email",
    },
    optional=[Field.email],
)

# Its activity is the task here. An end has no date: it is the first one after the start that fits the duration.
KIMAI = ReportFormat(
    tracker=Tracker.kimai,
    title="Kimai",
    headers={
        Field.start_date: "Date",
        Field.start_time: "From",
        Field.end_time: "To",
        Field.duration: "Duration",
        Field.person: "Name | Alias | User | Username",
        Field.email: "E-mail | Email",
        Field.client: "Customer",
        Field.task: "Activity",
        **{field: _WORK[field] for field in (Field.project, Field.billable, Field.note, Field.tags)},
    },
    optional=[Field.email],
)

SOLIDTIME = ReportFormat(
    tracker=Tracker.solidtime,
    title="solidtime",
    headers={**_WORK, Field.person: "User", Field.start: "Start", Field.end: "End", Field.duration: "Duration"},
)

FORMATS = {each.tracker: each for each in (TOGGL, CLOCKIFY, HARVEST, KIMAI, SOLIDTIME)}


def format_of(names: Sequence[str]) -> ReportFormat | None:
    """The format of a report with columns of these names; None if there is none, or more than one."""
    known = {name.strip().lower() for name in names}
    found = [
        each
        for each in FORMATS.values()
        if all(known & {name.lower() for name in headers} for headers in each.needed.values())
    ]
    return found[0] if len(found) == 1 else None
