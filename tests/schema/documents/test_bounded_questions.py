"""The documented questions on rows at their bounds: the answers that a person finds by reading the rows."""

from collections.abc import Sequence
from typing import Any

import pytest

from rest_facade.composition import Service
from schema.execution.operation import Executor, Operation
from tests.factories.rows import Rows
from tests.schema.documents.bounded_company import BoundedCompany
from tests.schema.documents.documented import BOUNDED, QUESTIONS

Answers = dict[str, list[Any]]

EXPECTED: tuple[Answers, ...] = (
    {"members.results.full_name": ["Ada", "Bob"]},
    {"members.results.full_name": ["Ada", "Cyd", "Dan"]},
    {"members.results.full_name": ["Cyd", "Dan", "Fay"]},
    {"members.results.full_name": ["Ada"], "members.results.direct_reports.results.full_name": ["Bob", "Cyd", "Eve"]},
    {"time_totals.results.user.full_name": ["Ada", "Bob"], "time_totals.results.tracked_seconds": [1800, 2100]},
    {
        "time_totals.results.week_start": ["2026-10-26", "2026-10-26", "2026-11-09", "2026-11-16"],
        "time_totals.results.tracked_seconds": [1800, 3600, 3600, 3900],
        "time_totals.results.billable_seconds": [0, 1800, 3600, 3600],
    },
    {"timesheets.results.user.full_name": ["Bob", "Cyd"]},
    {"clockinouts.results.user.full_name": ["Ada", "Bob"]},
    {"clockinouts.results.late_seconds": [601]},
    {"members.results.full_name": ["Fay"]},
    {"manual_timesheet_reports.results.user.full_name": ["Bob", "Fay"]},
    {"members.results.approved.count": [1], "members.results.rejected.count": [1]},
    {
        "time_activity_reports.results.user.full_name": ["Ada", "Bob", "Cyd", "Fay"],
        "time_activity_reports.results.tracked_seconds": [0, 0, 0, 1800],
        "time_activity_reports.results.is_final": [False, True, True, True],
    },
    {"leave_applications.results.user.full_name": ["Cyd", "Fay", "Fay"]},
    {"leave_application_totals.count": [6], "leave_application_totals.amount_in_range": ["9.00"]},
    {"leave_periods.results.leave_balances.results.available": ["15.50", "8.00"]},
    {"tasks.results.name": ["First", "Late", "October"]},
    {"members.results.tasks.count": [0, 0, 2], "members.results.overdue.count": [0, 0, 1]},
    {"time_totals.results.task.name": ["Late"], "time_totals.results.over_estimate_seconds": [1]},
    {"projects.results.name": ["Ops", "Web"], "projects.results.tasks.count": [2, 5]},
    {"projects.results.name": ["Ops", "Past", "Web", "Yen"]},
    {"projects.results.name": ["Ops", "Past", "Web", "Yen"], "projects.results.members.count": [0, 0, 0, 2]},
    {"time_totals.results.project.name": ["Ops"], "time_totals.results.tracked_seconds": [3600]},
    {
        "time_totals.results.billable_seconds": [1800, 3600, 7200],
        "time_totals.results.billable_amounts.amount": ["200.00", "50.00", "501", "501"],
    },
    {
        "time_totals.results.department": ["Design", "Engineering"],
        "time_totals.results.margins.billable_amount": ["50.00", "501"],
    },
    {"timesheets.results.started_at": ["2026-11-15 22:30:00+00:00", "2026-11-22 22:30:00+00:00"]},
    {"invoices.results.number": ["A", "E"], "invoices.results.amount_due": ["100.00", "600"]},
    {"clients.results.invoice_totals.amount_due": ["1.235", "150.00", "600"]},
    {"invoices.results.number": ["A", "B", "D"]},
    {"payable_totals.amount_due": ["110.00", "999"]},
    {"hourly_payment_totals.amount": ["1", "1000.00"], "one_time_payment_totals.amount": ["20.00"]},
    {"app_reports.results.total_seconds": [0, 0, 0, 600]},
    {"suspicious_activity_logs.results.severity": ["high", "medium"]},
    {"invoice_totals.amount_due": ["1.235", "150.00", "600"], "invoice_totals.count": [1, 1, 3]},
    {"clockinout_totals.weekday": ["monday", "sunday", "tuesday"], "clockinout_totals.late_seconds": [600, 601, 3540]},
    {"leave_day_totals.amount": ["1.00", "2.00", "6.00"], "leave_day_totals.people_count": [1, 1, 3]},
    {"app_totals.team.name": ["Crew"], "app_totals.duration_seconds": [600]},
    {
        "time_activity_reports.results.tracked_seconds": [0, 0, 1800, 2100],
        "time_activity_reports.results.expected_seconds": [None, None, None, 7000],
        "time_activity_reports.results.utilization_percent": [None, None, None, 25],
    },
    {"members.results.full_name": ["Fay"]},
    {"members.results.full_name": ["Fay"]},
    {"time_totals.results.tracked_seconds": [1800, 3600, 3600, 3900, 7200]},
    {
        "time_totals.results.billable_seconds": [3600, 7200],
        "time_totals.results.billable_amounts.amount": ["200.00", "50.00", "501"],
    },
    {"projects.results.name": ["Past"], "projects.results.budget_used_percent": [81]},
    {
        "time_totals.results.project.name": ["Ops", "Ops", "Ops", "Web", "Web", "Web"],
        "time_totals.results.tracked_seconds": [300, 1800, 3600, 3600, 3600, 3600],
    },
    {"timesheets.results.user.full_name": ["Bob"], "timesheets.results.task.name": ["October"]},
    {"invoices.results.number": ["E"], "invoices.results.amount_due": ["600"]},
    {"invoice_totals.amount": ["1.235", "10.00", "150.00"], "invoice_totals.count": [1, 1, 2]},
    {
        "leave_periods.results.leave_balance_totals.people_count": [2],
        "leave_periods.results.leave_balance_totals.used": ["2.00"],
        "leave_periods.results.leave_balance_totals.available": ["23.50"],
    },
    {"leave_periods.results.leave_balances.results.user.full_name": ["Bob"]},
    {
        "time_activity_reports.results.tracked_seconds": [0, 0, 1800, 2100],
        "time_activity_reports.results.break_seconds": [0, 0, 0, 0],
    },
    {"clockinout_totals.count": []},
    {"waiting.manager.full_name": ["Dan"], "waiting.count": [1], "for_a_week.count": [1]},
    {"leave_applications.results.user.full_name": ["Fay"]},
    {"members.results.full_name": ["Ada", "Bob", "Fay"]},
    {"clockinouts.results.user.full_name": ["Ada"]},
    {"time_totals.results.user.full_name": ["Ada", "Bob"], "time_totals.results.idle_seconds": [0, 0]},
    {"app_totals.app_name": ["Editor"], "app_totals.people_count": [1], "app_totals.duration_seconds": [600]},
    {"url_totals.domain": []},
    {"hourly_payment_totals.count": [1]},
    {"hourly_payment_totals.amount": ["1000.00", "1100.00", "2", "4"]},
    {"timesheets.results.user.full_name": []},
    {"tasks.results.name": ["Stale"]},
    {"members.results.full_name": ["Bob", "Cyd", "Eve", "Fay"]},
    {"projects.results.name": ["Old", "Past"]},
    {"by_clients.amount_due": ["1.235", "150.00", "600"], "to_people.amount_due": ["110.00", "999"]},
    {"projects.results.name": ["Yen"]},
    {"hourly_payment_totals.amount": ["1000.00", "4"]},
    {"time_totals.results.client.name": ["Acme"], "time_totals.results.margins.billable_amount": ["50.00", "501"]},
    {"time_totals.results.user": []},
    {"time_totals.results.user.full_name": ["Bob"], "time_totals.results.tracked_seconds": [1800]},
    {
        "member_totals.department": ["Design", "Engineering", "Engineering"],
        "member_totals.employment_type": [None, None, "contractor"],
        "member_totals.count": [1, 1, 3],
    },
    {"member_totals.month_start": ["2026-01-01", "2026-02-01", "2026-11-01"], "member_totals.count": [1, 1, 1]},
    {"tasks.results.name": ["December", "First", "October", "Plain", "Stale", "Whenever"]},
    {
        "time_totals.results.project.name": ["Ops", "Web", "Yen"],
        "time_totals.results.billable_amounts.amount": ["50.00", "501"],
    },
    {
        "leave_applications.results.user.full_name": ["Ada", "Cyd", "Fay", "Fay"],
        "leave_applications.results.user.projects.results.name": ["Web"],
    },
    {"payables.results.amount_due": ["50.00", "60.00", "999"]},
    {
        "suspicious_activity_logs.results.severity": ["high", "low"],
        "suspicious_activity_logs.results.project.invoices.results.status": ["draft", "sent", "sent", "void"] * 2,
    },
    {
        "teams.results.members.results.user.full_name": ["Ada", "Bob", "Fay"],
        "teams.results.members.results.user.clockinouts.results.status": ["open"],
        "teams.results.members.results.user.running_timesheets.started_at": ["2026-11-22 10:00:00+00:00"],
    },
)
"""What the answers have at these paths, sorted: those on people, work and gaps, then those of five types."""

DOCUMENTS = {question: document for question, *_, document in BOUNDED} | {
    document.split()[1]: document for document in QUESTIONS
}


@pytest.fixture(scope="module")
def company(rows: Rows) -> BoundedCompany:
    return BoundedCompany(rows)


def found(data: Any, path: Sequence[str]) -> list[Any]:
    """The values at a path, those of lists one by one."""
    if isinstance(data, list):
        return [each for item in data for each in found(item, path)]
    return [data] if data is None or not path else found(data[path[0]], path[1:])


def plain(value: Any) -> Any:
    """A value as it is compared: numbers and flags as they are, others as text."""
    return value if value is None or isinstance(value, int) else str(value)


@pytest.mark.parametrize(("question", "expected"), list(zip(DOCUMENTS, EXPECTED, strict=True)))
async def test_question_counts_what_lies_inside_its_bounds(
    service: Service, company: BoundedCompany, question: str, expected: Answers
) -> None:
    result = await Executor(service.database).execute(Operation(DOCUMENTS[question]), company.own, {})
    assert result.errors is None
    answers = {path: [plain(each) for each in found(result.data, path.split("."))] for path in expected}
    assert {path: sorted(values, key=str) for path, values in answers.items()} == {
        path: sorted(values, key=str) for path, values in expected.items()
    }
