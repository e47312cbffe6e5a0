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
    columns: Mapping[str, Field]
    """Headers and what they hold. Case is ignored; of several with one field, the first is read."""
    optional: frozenset[Field]
    """Columns without which the report can be read, besides note, tags and billable."""
    placeholder: str = ""
    """Text that stands for an empty value."""

    @property
    def needed(self) -> Mapping[Field, Sequence[str]]:
        """The fields that a report must have, each with its headers."""
        others = {*self.optional, Field.billable, Field.note, Field.tags}
        fields = dict.fromkeys(field for field in self.columns.values() if field not in others)
        return {field: [name for name, each in self.columns.items() if each is field] for field in fields}


_WORK = {
    "Client": Field.client,
    "Project": Field.project,
    "Task": Field.task,
    "Billable": Field.billable,
    "Description": Field.note,
    "Tags": Field.tags,
}
_START = {"Start date": Field.start_date, "Start time": Field.start_time}
_END = {"End date": Field.end_date, "End time": Field.end_time}

# Columns of the newer report can be left out, and plans without cost have no tasks and no billable time.
TOGGL = ReportFormat(
    tracker=Tracker.toggl,
    title="Toggl Track",
    columns={
        "User": Field.person,
        "Member": Field.person,
        "Email": Field.email,
        **_WORK,
        **_START,
        **_END,
        "Stop date": Field.end_date,
        "Stop time": Field.end_time,
        "Duration": Field.duration,
    },
    optional=frozenset({Field.task}),
    placeholder="-",
)

# It writes headers in the language of the person who exports: in German, Spanish, or in English. A company can call its
# tasks activities.
CLOCKIFY = ReportFormat(
    tracker=Tracker.clockify,
    title="Clockify",
    columns={
        "User": Field.person,
        "Benutzer": Field.person,
        "Usuario": Field.person,
        "Email": Field.email,
        "Correo electrónico": Field.email,
        **_WORK,
        "Kunde": Field.client,
        "Cliente": Field.client,
        "Projekt": Field.project,
        "Proyecto": Field.project,
        "Activity": Field.task,
        "Aufgabe": Field.task,
        "Tarea": Field.task,
        "Abrechenbar": Field.billable,
        "Facturable": Field.billable,
        "Beschreibung": Field.note,
        "Descripción": Field.note,
        "Etiquetas": Field.tags,
        **_START,
        "Startdatum": Field.start_date,
        "Startzeit": Field.start_time,
        "Fecha de inicio": Field.start_date,
        "Hora de inicio": Field.start_time,
        **_END,
        "Enddatum": Field.end_date,
        "Endzeit": Field.end_time,
        "Fecha de finalización": Field.end_date,
        "Hora de finalización": Field.end_time,
        "Duration (h)": Field.duration,
        "Dauer (h)": Field.duration,
        "Duración (h)": Field.duration,
        "Duración (decimal)": Field.duration,
        "Type": Field.type,
        "Typ": Field.type,
        "Tipo": Field.type,
        "Date of creation": Field.created,
    },
    optional=frozenset({Field.type, Field.created}),
)

# It has no times of day, and people without addresses.
HARVEST = ReportFormat(
    tracker=Tracker.harvest,
    title="Harvest",
    columns={
        **_WORK,
        "Date": Field.start_date,
        "Notes": Field.note,
        "Hours": Field.duration,
        "Billable?": Field.billable,
        "First Name": Field.first_name,
        "Last Name": Field.last_name,
        "Email": Field.email,
    },
    optional=frozenset({Field.email}),
)

# Its activity is the task here. An end has no date: it is the first one after the start that fits the duration.
KIMAI = ReportFormat(
    tracker=Tracker.kimai,
    title="Kimai",
    columns={
        "Date": Field.start_date,
        "From": Field.start_time,
        "To": Field.end_time,
        "Duration": Field.duration,
        "Name": Field.person,
        "Alias": Field.person,
        "User": Field.person,
        "Username": Field.person,
        "E-mail": Field.email,
        "Email": Field.email,
        "Customer": Field.client,
        "Activity": Field.task,
        **{name: _WORK[name] for name in ("Project", "Billable", "Description", "Tags")},
    },
    optional=frozenset({Field.email}),
)

SOLIDTIME = ReportFormat(
    tracker=Tracker.solidtime,
    title="solidtime",
    columns={
        **_WORK,
        "User": Field.person,
        "Start": Field.start,
        "End": Field.end,
        "Duration": Field.duration,
    },
    optional=frozenset(),
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
