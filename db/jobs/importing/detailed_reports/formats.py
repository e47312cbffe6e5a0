"""The formats of detailed reports: their columns, by what they hold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum


class Field(StrEnum):
    """What a column holds."""

    person = "person"
    email = "email"
    client = "client"
    project = "project"
    task = "task"
    billable = "billable"
    type = "type"
    start_date = "start_date"
    start_time = "start_time"
    end_date = "end_date"
    end_time = "end_time"
    duration = "duration"
    created = "created"


class Tracker(StrEnum):
    """A time tracker."""

    toggl = "toggl"
    clockify = "clockify"


@dataclass(frozen=True)
class ReportFormat:
    """A detailed report as one time tracker exports it."""

    tracker: Tracker
    title: str
    columns: Mapping[Field, Sequence[str]]
    """The names that a column has had, newest last. Case is ignored."""
    optional: frozenset[Field]
    """Columns without which the report can be read."""
    placeholder: str = ""
    """Text that stands for an empty value."""

    @property
    def needed(self) -> Sequence[Field]:
        return [field for field in self.columns if field not in self.optional]


_TIMES = {Field.start_date: ("Start date",), Field.start_time: ("Start time",)}
_WORK = {Field.client: ("Client",), Field.project: ("Project",), Field.task: ("Task",), Field.billable: ("Billable",)}

TOGGL = ReportFormat(
    tracker=Tracker.toggl,
    title="Toggl Track",
    columns={
        Field.person: ("User", "Member"),
        Field.email: ("Email",),
        **_WORK,
        **_TIMES,
        Field.end_date: ("End date", "Stop date"),
        Field.end_time: ("End time", "Stop time"),
        Field.duration: ("Duration",),
    },
    # Columns of the newer report can be left out, and plans without cost have no tasks and no billable time.
    optional=frozenset({Field.task, Field.billable}),
    placeholder="-",
)

CLOCKIFY = ReportFormat(
    tracker=Tracker.clockify,
    title="Clockify",
    columns={
        Field.person: ("User",),
        Field.email: ("Email",),
        **_WORK,
        **_TIMES,
        Field.end_date: ("End date",),
        Field.end_time: ("End time",),
        Field.duration: ("Duration (h)",),
        Field.type: ("Type",),
        Field.created: ("Date of creation",),
    },
    optional=frozenset({Field.billable, Field.type, Field.created}),
)


def format_of(names: Sequence[str]) -> ReportFormat | None:
    """The format of a report with columns of these names; None if there is none, or more than one."""
    known = {name.strip().lower() for name in names}
    found = [
        report_format
        for report_format in FORMATS.values()
        if all(known & {name.lower() for name in report_format.columns[field]} for field in report_format.needed)
    ]
    return found[0] if len(found) == 1 else None


FORMATS = {report_format.tracker: report_format for report_format in (TOGGL, CLOCKIFY)}
