"""Averages and percentages of groups, and computed values that are compared: as Python makes them of the rows."""

from datetime import UTC, date, datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID

import pytest

from rest_facade.composition import Service
from tests.factories.rows import Rows
from tests.resolvers.answers import data_of, field_of
from tests.resolvers.lists.summed_rows import rows_of

DAYS = 'start_date: "2026-03-01", end_date: "2026-03-28"'
NOW = datetime(2026, 3, 29, 12, tzinfo=UTC)
FIRST = datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.fixture(scope="module")
def own(rows: Rows) -> UUID:
    """Clock records with breaks that overlap, last, or begin outside; requests and leave that were reviewed or wait."""
    made, random = rows.organization(timezone="UTC"), Random(7)
    people, reviewer = [rows.member(made) for _ in range(3)], rows.member(made)
    type_ = rows.leave_type(made)

    def minutes(most: int) -> timedelta:
        return timedelta(minutes=random.randrange(most))

    for number in range(24):
        start, user = FIRST + timedelta(days=number), people[number % 3]
        end = None if number % 8 == 7 else start + timedelta(hours=6) + minutes(300)
        scheduled = None if number % 5 == 4 else start - minutes(30) + timedelta(minutes=10)
        status = "open" if end is None else "closed"
        times = {"clock_in_at": start, "clock_out_at": end, "scheduled_start_at": scheduled, "status": status}
        record = rows.clock_record(made, user, **times)
        for _ in range(random.randrange(4)):
            begin = start - timedelta(minutes=20) + minutes(500)
            until = None if random.random() < 0.2 else begin + timedelta(minutes=1) + minutes(60)
            is_paid = random.random() < 0.4
            columns = {"clock_record_id": record, "started_at": begin, "ended_at": until, "is_paid": is_paid}
            rows.break_time(made, user, **columns)
        reviewed: dict[str, Any] = {"status": "pending"}
        if number % 3:
            decided = {"reviewed_by_user_id": reviewer, "reviewed_at": start + timedelta(days=1) + minutes(900)}
            reviewed = {"status": "approved", **decided}
        # They last an hour.
        rows.manual_request(made, user, started_at=start, requested_at=start, **reviewed)
        rows.leave_application(made, type_, user, start_date=start.date(), applied_at=start, **reviewed)
    return made


def average(values: list[Any]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) // len(known) if known else None


@pytest.mark.parametrize(
    ("name", "totals", "values"),
    [
        ("clockinouts", "clockinout_totals", ["elapsed_seconds", "late_seconds", "break_seconds", "worked_seconds"]),
        ("manual_timesheet_reports", "manual_timesheet_totals", ["duration_seconds", "review_seconds"]),
        ("leave_applications", "leave_application_totals", ["review_seconds"]),
    ],
)
async def test_averages_are_those_of_the_rows_with_a_value(
    service: Service, own: UUID, name: str, totals: str, values: list[str]
) -> None:
    rows = await rows_of(service, own, name, DAYS, ["user { user_id }", *values])
    shown = " ".join(f"{value} average_{value}" for value in values)
    found = await field_of(service, own, f"{totals}({DAYS}, group_by: [member]) {{ user_id {shown} }}")
    assert len(found) == 3
    for group in found:
        of_group = [row for row in rows if row["user"]["user_id"] == group["user_id"]]
        for value in values:
            known = [row[value] for row in of_group]
            assert (group[value], group[f"average_{value}"]) == (sum(filter(None, known)), average(known)), value


async def test_share_of_late_records_is_of_those_with_a_schedule(service: Service, own: UUID) -> None:
    late = [row["late_seconds"] for row in await rows_of(service, own, "clockinouts", DAYS, ["late_seconds"])]
    scheduled = [each for each in late if each is not None]
    (found,) = await field_of(service, own, f"clockinout_totals({DAYS}) {{ late_percent }}")
    assert 0 < found["late_percent"] == 100 * sum(each > 0 for each in scheduled) // len(scheduled) < 100
    order = f"clockinout_totals({DAYS}, group_by: [day], order_by: late_percent_desc) {{ late_percent }}"
    shares = [row["late_percent"] for row in await field_of(service, own, order)]
    assert shares == sorted(shares, key=lambda share: (share is None, -(share or 0)))
    assert None in shares


@pytest.mark.parametrize("name", ["break_seconds", "worked_seconds"])
async def test_computed_seconds_of_breaks_are_compared_as_shown(service: Service, own: UUID, name: str) -> None:
    rows = await rows_of(service, own, "clockinouts", DAYS, ["id", name])
    middle = sorted(row[name] for row in rows if row[name] is not None)[10]
    found = await rows_of(service, own, "clockinouts", f"{DAYS}, where: {{{name}: {{_lt: {middle}}}}}", ["id"])
    assert {row["id"] for row in found} == {row["id"] for row in rows if row[name] is not None and row[name] < middle}
    assert len(found) == 10 or name == "break_seconds"


async def test_clock_records_are_found_by_their_breaks(service: Service, own: UUID) -> None:
    rows = await rows_of(service, own, "clockinouts", DAYS, ["id", "breaks { is_paid }"])
    for condition, is_found in (
        ("none: {started_at: {_is_null: false}}", lambda paid: not paid),
        ("some: {is_paid: {_eq: true}}", any),
        ("count: {_gte: 2}", lambda paid: len(paid) >= 2),
    ):
        given = f"{DAYS}, where: {{breaks: {{{condition}}}}}"
        found = {row["id"] for row in await rows_of(service, own, "clockinouts", given, ["id"])}
        expected = {row["id"] for row in rows if is_found([each["is_paid"] for each in row["breaks"]])}
        assert found == expected != set()


@pytest.mark.parametrize(
    ("name", "totals", "since"),
    [
        ("manual_timesheet_reports", "manual_timesheet_totals", "requested_at"),
        ("leave_applications", "leave_application_totals", "applied_at"),
    ],
)
async def test_requests_wait_from_their_time_to_that_of_the_call(
    service: Service, own: UUID, monkeypatch: pytest.MonkeyPatch, name: str, totals: str, since: str
) -> None:
    monkeypatch.setattr("resolvers.context.clock", lambda: NOW)
    rows = await rows_of(service, own, name, f"{DAYS}, status: [pending]", [since, "id"])
    waiting = {row["id"]: (NOW - datetime.fromisoformat(row[since])) // timedelta(seconds=1) for row in rows}
    shown = "waiting_seconds average_waiting_seconds"
    (group,) = await field_of(service, own, f"{totals}({DAYS}) {{ {shown} }}")
    assert group == {"waiting_seconds": sum(waiting.values()), "average_waiting_seconds": average([*waiting.values()])}
    given = f"{DAYS}, where: {{waiting_seconds: {{_gt: 864000}}}}"
    found = {row["id"] for row in await rows_of(service, own, name, given, ["id"])}
    assert found == {id_ for id_, seconds in waiting.items() if seconds > 864_000} != set()


async def test_days_overdue_and_to_the_payment_are_compared_and_averaged(
    service: Service, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("resolvers.context.clock", lambda: NOW)
    own = rows.organization(timezone="UTC")
    client, project = rows.client(own), rows.project(own)
    for days in (3, 10):
        due = NOW.date() - timedelta(days=days)
        rows.invoice(own, client, status="sent", issue_date=due, due_date=due, subtotal=10, amount_paid=0)
        rows.task(own, project, status="open", due_date=due)
        paid = {"status": "paid", "paid_at": datetime(2026, 3, 1 + days, 23, tzinfo=UTC)}
        rows.invoice(own, client, issue_date=date(2026, 3, 1), due_date=due, subtotal=10, amount_paid=10, **paid)
    data = await data_of(
        service.database,
        own,
        """{ invoices(where: {days_overdue: {_gt: 3}}) { results { days_overdue } }
          tasks(where: {days_overdue: {_lte: 3}}) { results { days_overdue } }
          invoice_totals { average_days_overdue average_days_to_pay overdue_percent }
          task_totals(group_by: [project]) { days_overdue average_days_overdue overdue_percent } }""",
    )
    assert data == {
        "invoices": {"results": [{"days_overdue": 10}]},
        "tasks": {"results": [{"days_overdue": 3}]},
        "invoice_totals": [{"average_days_overdue": 6, "average_days_to_pay": 6, "overdue_percent": 50}],
        "task_totals": [{"days_overdue": 13, "average_days_overdue": 6, "overdue_percent": 100}],
    }
