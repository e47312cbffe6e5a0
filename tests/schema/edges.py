"""The expected edges of the graph, written out: the type of each table, and the list of each reference's parent."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from graphql import GraphQLField, GraphQLObjectType, get_named_type, get_nullable_type, is_list_type
from sqlalchemy import Table

from db.tables.columns import metadata
from schema.fields import TYPES_BY_TABLE
from schema.schema import GRAPHQL_SCHEMA

TYPES = {
    table: TYPES_BY_TABLE[table].__name__
    for table in map(str, metadata.sorted_tables)
    if table in TYPES_BY_TABLE and table != "organizations"
}
"""The type that shows the rows of a table, but that of the organization, which has no edges."""

AMBIGUOUS_LISTS = {
    "tasks.created_by_user_id": "created_tasks",
    "timesheets.user_id": "timesheets",
    "manual_requests.user_id": "manual_timesheet_reports",
    "manual_requests.reviewed_by_user_id": "reviewed_manual_timesheet_reports",
    "suspicious_activity_logs.user_id": "suspicious_activity_logs",
    "suspicious_activity_logs.reviewed_by_user_id": "reviewed_suspicious_activity_logs",
    "invoices.created_by_user_id": "created_invoices",
    "leave_applications.user_id": "leave_applications",
    "leave_applications.reviewed_by_user_id": "reviewed_leave_applications",
}
"""The list of the parent for a reference, where the parent has several lists of the type."""

LISTS_THROUGH = dict.fromkeys(
    "invoice_lines.project_id invoice_lines.task_id invoice_lines.user_id".split(), "invoices"
)
"""The list of the parent for references of rows that are shown inside another one: it has those others. An index finds
the rows."""

OVER_ANOTHER_INDEX = {"screenshots.timesheet_id": "the index by person and time, as the timesheet has both"}
"""Lists whose rows another index finds than one that begins with the reference."""

LISTLESS = {
    "break_times.user_id": "a break is shown in its clock record",
    "clock_records.edited_by_user_id": "attendance is checked by person and day, and each record names its editor",
    "hourly_payment_lines.project_id": "a line is shown in its payment; what time of a project costs is a sum",
    "hourly_payment_lines.task_id": "a line is shown in its payment; what time of a task costs is a sum",
    "hourly_payment_logs.paid_by_user_id": "one person pays everybody: the list would be all hourly payments",
    "idle_times.user_id": "idle time is shown in its timesheet, and timesheet_idle_times has that of a person",
    "idle_times.reassigned_project_id": "reassigned idle time is no time of the project; its timesheet shows it",
    "idle_times.reassigned_task_id": "reassigned idle time is no time of the task; its timesheet shows it",
    "leave_assignments.assigned_by_user_id": "policies are looked up by person; who assigned one matters in its row",
    "manual_requests.original_project_id": "the project that the time has after the edit lists the request",
    "manual_requests.requested_by_user_id": "nearly always the person whose time it is, who lists the request",
    "one_time_payment_logs.paid_by_user_id": "one person pays everybody: the list would be all one-time payments",
    "payables.approved_by_user_id": "the payables of a period are approved together: the list would be all payables",
    "screenshots.deleted_by_user_id": "the image is gone: a list of the rows would show nothing",
    "screenshots.project_id": "109 bytes and 18 % more log for each screenshot; timesheets of the project have them",
    "screenshots.task_id": "77 bytes and 14 % more log for each screenshot; timesheets of the task have them",
}
"""References without a list of their parent, each with its own reason. Figures are in `bench/TRIALS.md`."""

SOURCES = [("payables", "source_id", "leave_applications"), ("payables", "source_id", "one_time_payment_logs")]
"""References to a row in one of several tables, which are no foreign keys."""

INSIDE = {
    "idle_times": "timesheet_id",
    "break_times": "clock_record_id",
    "invoice_lines": "invoice_id",
    "invoice_taxes": "invoice_id",
    "hourly_payment_lines": "log_id",
    "leave_application_days": "leave_application_id",
}
"""Tables whose rows are shown inside the row that this column refers to, and nowhere else."""

SHOWN_WITHOUT = {"idle_times.user_id", "break_times.user_id"}
"""References of rows that are shown inside another one, which has the same reference."""

OBJECTLESS = {
    "IdleUser.user_id": "the row has the member beside it",
    "Member.user_id": "it is the id of the member itself",
    "Member.membership_id": "a membership in the organization has no row of its own",
    "Payable.source_id": "it is a leave application or a one-time payment, and each has a field",
}
"""Ids beside which no object stands."""


class Reference(NamedTuple):
    """A foreign key between two published tables: a row of `child` refers to a row of `parent` by `column`."""

    child: Table
    column: str
    parent: Table

    @property
    def name(self) -> str:
        return f"{self.child.name}.{self.column}"


def references() -> Iterator[Reference]:
    for table in metadata.sorted_tables:
        keys = ((list(key.columns), key.referred_table) for key in table.foreign_key_constraints)
        # The constraints are a set, and every process must collect the tests in the same order.
        for columns, parent in sorted(keys, key=lambda each: each[0][-1].name):
            if table.name in TYPES and len(columns) == 2:
                yield Reference(table, columns[1].name, parent)


def listed_references() -> Iterator[Reference]:
    """The references of which the parent could have a list."""
    yield from references()
    for child, column, parent in SOURCES:
        yield Reference(metadata.tables[child], column, metadata.tables[parent])


def type_of(table: Table) -> GraphQLObjectType:
    type_ = GRAPHQL_SCHEMA.type_map[TYPES[table.name]]
    assert isinstance(type_, GraphQLObjectType)
    return type_


def row_type_of(field: GraphQLField) -> Any:
    """The type of the rows of a list, with or without pages."""
    rows: Any = get_named_type(field.type)
    return get_named_type(rows.fields["results"].type) if "results" in getattr(rows, "fields", ()) else rows


def object_name(id_name: str) -> str:
    """The field beside an id: `created_by` of `created_by_user_id`, `leads` of `lead_user_ids`."""
    stem, _, kind = id_name.rpartition("_")
    stem = "user" if stem == "user" else stem.removesuffix("_user")
    return stem if kind == "id" else f"{stem}s"


def _only_lists() -> Iterator[tuple[str, str]]:
    """The references whose parent has one list of their rows, with its name."""
    for reference in listed_references():
        fields = type_of(reference.parent).fields.items()
        names = [name for name, field in fields if is_list(field) and row_type_of(field) is type_of(reference.child)]
        if len(names) == 1 and reference.name not in AMBIGUOUS_LISTS | LISTS_THROUGH | LISTLESS:
            yield reference.name, names[0]


def is_list(field: GraphQLField) -> bool:
    """Whether a field has rows, with or without pages."""
    named: Any = get_named_type(field.type)
    return is_list_type(get_nullable_type(field.type)) or "results" in getattr(named, "fields", ())


LISTS = {**dict(_only_lists()), **AMBIGUOUS_LISTS}
"""The list of the parent for each reference. An index finds its rows."""


def shown_in(reference: Reference) -> Table:
    """The table whose rows the list of the parent has."""
    if reference.name not in LISTS_THROUGH:
        return reference.child
    (table,) = (key.column.table for key in reference.child.c[INSIDE[reference.child.name]].foreign_keys)
    return table
