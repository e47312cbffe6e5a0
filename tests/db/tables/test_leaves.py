"""Constraints of the leave tables."""

from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy.exc import IntegrityError

from tests.factories.base import THEN
from tests.factories.rows import Rows

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)


@pytest.fixture
def own(rows: Rows) -> UUID:
    return rows.organization()


def test_second_live_balance_is_refused(rows: Rows, own: UUID) -> None:
    user, policy, period = rows.member(own), rows.leave_policy(own, rows.leave_type(own)), rows.leave_period(own)
    rows.leave_balance(own, policy, period, user, deleted_at=THEN)
    rows.leave_balance(own, policy, period, user)
    with pytest.raises(IntegrityError, match="leave_balances_live_key"):
        rows.leave_balance(own, policy, period, user)


def test_second_live_day_of_leave_is_refused(rows: Rows, own: UUID) -> None:
    leave = rows.leave_application(own, rows.leave_type(own), rows.member(own))
    rows.leave_day(own, leave, deleted_at=THEN)
    rows.leave_day(own, leave)
    with pytest.raises(IntegrityError, match="leave_application_days_live_key"):
        rows.leave_day(own, leave)


@pytest.mark.parametrize(
    ("columns", "constraint"),
    [
        ({"start_date": date(2026, 1, 6), "end_date": date(2026, 1, 5)}, "dates_check"),
        ({"started_at": NOON}, "hours_check"),
        ({"ended_at": NOON}, "hours_check"),
        ({"started_at": NOON, "ended_at": NOON}, "hours_check"),
        ({"amount": "-0.01"}, "no_negative_parts_check"),
        ({"status": "granted"}, "status_check"),
        ({"start_day_part": "morning"}, "start_day_part_check"),
    ],
)
def test_contradictory_application_is_refused(columns: dict[str, Any], constraint: str, rows: Rows, own: UUID) -> None:
    type_, user = rows.leave_type(own), rows.member(own)
    with pytest.raises(IntegrityError, match=f"leave_applications_{constraint}"):
        rows.leave_application(own, type_, user, **columns)


@pytest.mark.parametrize(("text", "is_day"), [("02-29", True), ("12-31", True), ("13-01", False), ("1-5", False)])
def test_carry_over_expires_on_a_valid_day(text: str, is_day: bool, rows: Rows, own: UUID) -> None:
    type_ = rows.leave_type(own)
    if is_day:
        assert rows.leave_policy(own, type_, carry_over_expires_on_month_day=text)
        return
    with pytest.raises(IntegrityError, match="leave_policies_carry_over_expires_check"):
        rows.leave_policy(own, type_, carry_over_expires_on_month_day=text)


def test_end_before_start_is_refused(rows: Rows, own: UUID) -> None:
    days = (date(2026, 2, 1), date(2026, 1, 31))
    with pytest.raises(IntegrityError, match="leave_periods_dates_check"):
        rows.leave_period(own, start_date=days[0], end_date=days[1])
    policy, user = rows.leave_policy(own, rows.leave_type(own)), rows.member(own)
    with pytest.raises(IntegrityError, match="leave_assignments_dates_check"):
        rows.leave_assignment(own, policy, user, effective_from=days[0], effective_to=days[1])


def test_reference_to_another_organization_is_refused(rows: Rows, own: UUID) -> None:
    other = rows.organization()
    type_, user = rows.leave_type(other), rows.member(own)
    with pytest.raises(IntegrityError, match="leave_applications_organization_id_leave_type_id_fkey"):
        rows.leave_application(own, type_, user)
    with pytest.raises(IntegrityError, match="leave_policies_organization_id_leave_type_id_fkey"):
        rows.leave_policy(own, type_)
