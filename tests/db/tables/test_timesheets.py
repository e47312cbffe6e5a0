"""Constraints of the time tables."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy.exc import IntegrityError

from tests.factories.base import THEN
from tests.factories.rows import Rows

SECOND, DAY = timedelta(seconds=1), timedelta(days=1)


@pytest.fixture
def own(rows: Rows) -> UUID:
    return rows.organization()


@pytest.fixture
def user(rows: Rows, own: UUID) -> UUID:
    return rows.member(own)


@pytest.mark.parametrize("kind", ["timesheet", "break_time", "manual_request"])
def test_interval_lasts_a_second_to_a_day(rows: Rows, own: UUID, user: UUID, kind: str) -> None:
    make = getattr(rows, kind)
    make(own, user, ended_at=THEN + SECOND)
    make(own, user, ended_at=THEN + DAY)
    for end in (THEN, THEN - SECOND):
        with pytest.raises(IntegrityError, match="_interval_check"):
            make(own, user, ended_at=end)
    with pytest.raises(IntegrityError, match="_longest_check"):
        make(own, user, ended_at=THEN + DAY + SECOND)


def test_running_timesheet_lasts_a_day_at_most(rows: Rows, own: UUID, user: UUID) -> None:
    rows.timesheet(own, user, ended_at=None, tracked_until=THEN)
    with pytest.raises(IntegrityError, match="longest_check"):
        rows.timesheet(own, user, ended_at=None, tracked_until=THEN + DAY + SECOND)
    with pytest.raises(IntegrityError, match="tracked_until_check"):
        rows.timesheet(own, user, ended_at=None, tracked_until=THEN - SECOND)


@pytest.mark.parametrize("name", ["active_seconds", "keyboard_seconds", "mouse_seconds"])
def test_active_seconds_above_input_are_refused(rows: Rows, own: UUID, user: UUID, name: str) -> None:
    rows.timesheet(own, user, input_seconds=10, **{name: 10})
    for count in (-1, 11):
        with pytest.raises(IntegrityError, match=f"{name}_check"):
            rows.timesheet(own, user, input_seconds=10, **{name: count})


def test_invalid_activity_slot_is_refused(rows: Rows, own: UUID, user: UUID) -> None:
    sheet = rows.timesheet(own, user)
    rows.activity_slot(own, sheet, user, THEN, input_seconds=900)
    with pytest.raises(IntegrityError, match="slot_at_check"):
        rows.activity_slot(own, sheet, user, THEN + SECOND)
    with pytest.raises(IntegrityError, match="input_seconds_check"):
        rows.activity_slot(own, sheet, user, THEN + timedelta(minutes=15), input_seconds=901)


@pytest.mark.parametrize(
    ("columns", "check"),
    [
        ({"status": "closed", "clock_out_at": None}, "open"),
        ({"status": "open", "clock_out_at": THEN + SECOND}, "open"),
        ({"clock_out_at": THEN}, "interval"),
        ({"auto_clock_out_reason": "midnight"}, "auto_closed"),
        ({"clock_in_source": "fax"}, "clock_in_source"),
    ],
)
def test_contradictory_clock_record_is_refused(
    rows: Rows, own: UUID, user: UUID, columns: dict[str, Any], check: str
) -> None:
    with pytest.raises(IntegrityError, match=f"clock_records_{check}_check"):
        rows.clock_record(own, user, **columns)


@pytest.mark.parametrize(
    ("columns", "check"),
    [
        ({"action": "edited"}, "edited"),
        ({"original_started_at": THEN}, "edited"),
        ({"original_started_at": THEN, "original_ended_at": THEN}, "original"),
    ],
)
def test_edited_manual_time_needs_the_original(
    rows: Rows, own: UUID, user: UUID, columns: dict[str, Any], check: str
) -> None:
    with pytest.raises(IntegrityError, match=f"manual_requests_{check}_check"):
        rows.manual_request(own, user, **columns)


def test_only_reassigned_idle_time_has_a_project(rows: Rows, own: UUID, user: UUID) -> None:
    sheet, project = rows.timesheet(own, user), rows.project(own)
    rows.idle_time(own, sheet, user, action="reassigned", reassigned_project_id=project)
    with pytest.raises(IntegrityError, match="reassigned_check"):
        rows.idle_time(own, sheet, user, action="kept", reassigned_project_id=project)


def test_reference_to_another_organization_is_refused(rows: Rows, own: UUID, user: UUID) -> None:
    other = rows.organization()
    stranger, sheet = rows.member(other), rows.timesheet(own, user)
    with pytest.raises(IntegrityError, match="timesheets_organization_id_user_id_fkey"):
        rows.timesheet(own, stranger)
    with pytest.raises(IntegrityError, match="idle_times_organization_id_timesheet_id_fkey"):
        rows.idle_time(other, sheet, stranger)
    with pytest.raises(IntegrityError, match="timesheets_organization_id_project_id_fkey"):
        rows.timesheet(own, user, project_id=rows.project(other))
