"""How changes of a list are noticed: a sentence in the description of each operation that returns rows."""

from collections.abc import Mapping

from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.envelopes import SINGLE

POLL_OVERLAP = (
    "Send the earliest `X-Data-As-Of` of the last walk, less a minute: a row may become visible after rows with a "
    "later `updated_at`, because its transaction commits later."
)
"""The rule of `updated_since`, in the description of that parameter."""

NAMES = (
    "A new name of another row (`client_name`, `project_name`, `user.full_name` ...) does not return the rows that "
    "show it: join names by the id beside them."
)
DERIVED = "`{}` changes without `updated_at`: read it again when you need it."
OF_TODAY = "`{}` follows from today's date in the organization's zone: compute it yourself."
SIGNED = "URLs of images are signed anew in each response."
DELETED_PEOPLE = (
    "When a person is deleted, drop all records of that person, also those that come later: they are not deleted one "
    "by one."
)

COMPLETE = (
    "To poll, send `updated_since` with `include_deleted=true` and no other filter: deleted rows come back with "
    "`deleted_at` set. Filters apply to rows as they are now, so a row that leaves a filter is not returned. "
    f"{NAMES} {DELETED_PEOPLE}"
)
REPORT_POLLING = (
    "To poll, send `updated_since`: each person with a change in the range comes back with the whole row. Replace the "
    "row that you have. Deleted records are changes, too."
)

MOVED = "Send the range that you keep: a record that moved out of it is returned, too, with its new times."

OTHERWISE: Mapping[str, str] = {
    "listMembers": DERIVED.format("last_tracked_at"),
    "listProjects": DERIVED.format("tracked_seconds_total"),
    "listInvoices": OF_TODAY.format("is_overdue"),
    "listLeavePeriods": OF_TODAY.format("is_current"),
    "listClientProjects": (
        "A project that moved to another client is not returned: poll listProjects. "
        f"{DERIVED.format('tracked_seconds_total')}"
    ),
    "listProjectTasks": "A task that moved to another project is not returned: poll listTasks.",
    "listMemberProjects": (
        "To poll, send `updated_since`, which also finds old projects that the person joined. A membership that was "
        "deleted is not returned: poll listProjectMemberships with `user_id` and `include_deleted=true`. "
        f"{NAMES} {DERIVED.format('tracked_seconds_total')}"
    ),
    "listManualTimesheetReports": MOVED,
    "listClockInOut": MOVED,
    "listTimesheetIdleTime": (
        "To poll, send `updated_since`: each person with a changed or deleted timesheet or idle time in the range "
        "comes back with all of them. Replace those that you have. People have no `updated_at` here."
    ),
    "listScreenshots": (
        "The array has the whole day: a screenshot that is missing was deleted. There is no `updated_since`: "
        "listMembers with `screenshots_updated_since` finds the people whose days to read again. "
        f"{SIGNED}"
    ),
    "listMemberPaymentSettings": (
        "The array has the whole history: a setting that is missing was deleted. listMembers with "
        "`payroll_updated_since` finds the people whose settings to read again. "
        f"{OF_TODAY.format('is_current')}"
    ),
}
"""What an operation cannot show to a poller, and where that is seen."""

RETAINED = (
    "Rows that are older than `data_retention_days` of the organization are dropped, and no poll shows that: drop your "
    "copies by the same rule."
)
RETAINED_OPERATIONS = frozenset({"listAppReports", "listUrlReports", "listScreenshots"})
"""Operations with rows of the tables that `orgdata retain` drops from."""


def polling_text(endpoint: Endpoint) -> str | None:
    """How to notice changes of the rows of an operation; None for a single object, which is read again."""
    if endpoint.envelope == SINGLE:
        return None
    sentences = []
    if "include_deleted" in endpoint.query_names:
        sentences.append(COMPLETE)
    elif "updated_since" in endpoint.query_names and endpoint.operation not in OTHERWISE:
        sentences.append(REPORT_POLLING)
    sentences.append(OTHERWISE.get(endpoint.operation, ""))
    if endpoint.operation in RETAINED_OPERATIONS:
        sentences.append(RETAINED)
    return " ".join(filter(None, sentences))
