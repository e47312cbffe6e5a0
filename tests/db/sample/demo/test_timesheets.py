"""Timesheets, idle times, attendance and manual time of the demo: which values occur, and that rows are consistent.

Covers `db/sample/demo/totals.py`.
"""

from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta
from itertools import pairwise, product
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from tests.db.sample.demo.demo_rows import NOW, DemoRows, Row, alive, loaded

ACTIONS = ("added", "edited", "deleted")
STATUSES = ("pending", "approved", "rejected", "cancelled")
COUNTERS = ("input_seconds", "active_seconds", "keyboard_seconds", "mouse_seconds")


def seconds(row: Row) -> int:
    return int((row["ended_at"] - row["started_at"]).total_seconds())


# The organization of 24 members.


def test_every_enum_value_occurs(studio: DemoRows) -> None:
    timesheets = alive(studio.rows.timesheets)
    assert {row["kind"] for row in timesheets} == {"automatic", "manual"}
    assert {row["source"] for row in timesheets} == {"desktop", "web", "mobile", "api", "admin"}
    assert {row["is_billable"] for row in timesheets} == {row["is_locked"] for row in timesheets} == {True, False}
    assert any(row["project_id"] is None for row in timesheets)
    assert any(row["project_id"] and row["task_id"] is None for row in timesheets)
    assert len(alive(studio.rows.timesheets)) < len(studio.rows.timesheets)
    idle = alive(studio.rows.idle_times)
    assert {row["action"] for row in idle} == {"kept", "discarded", "reassigned", "pending"}
    assert any(row["reassigned_task_id"] for row in idle)
    assert {row["reason"] is None for row in idle} == {True, False}
    assert len(idle) < len(studio.rows.idle_times)


def test_timesheets_cover_sixty_days(studio: DemoRows, practice: DemoRows) -> None:
    for demo in (studio, practice):
        started = [row["started_at"] for row in demo.rows.timesheets]
        assert NOW - timedelta(days=67) <= min(started) < NOW - timedelta(days=57)


def test_two_to_five_timers_run(studio: DemoRows, practice: DemoRows) -> None:
    for demo, most in ((studio, 5), (practice, 5)):
        running = [row for row in demo.rows.timesheets if row["ended_at"] is None]
        assert 2 <= len(running) <= most
        for row in running:
            assert timedelta(minutes=1) <= NOW - row["tracked_until"] < timedelta(minutes=25)
            assert row["kind"] == "automatic" and row["deleted_at"] is None


def test_night_shifts_cross_local_midnight(studio: DemoRows) -> None:
    (nightly,) = (row for row in studio.rows.members if row["job_title"] == "DevOps Engineer")
    zone = ZoneInfo("Asia/Kathmandu")
    assert nightly["timezone"] == "Asia/Kathmandu"
    user_rows = [row for row in studio.rows.timesheets if row["user_id"] == nightly["user_id"]]
    over = [
        row
        for row in user_rows
        if row["started_at"].astimezone(zone).date() < row["tracked_until"].astimezone(zone).date()
    ]
    assert len(user_rows) > 60 and len(over) > 20


def test_few_days_are_on_weekends_and_part_timers_have_fewer(studio: DemoRows) -> None:
    days = {
        (row["user_id"], row["started_at"].astimezone(ZoneInfo("Europe/Berlin")).date())
        for row in studio.rows.timesheets
    }
    weekend = sum(day.weekday() >= 5 for _, day in days)
    assert 0 < weekend < len(days) / 20
    name = {row["user_id"]: row["full_name"] for row in studio.rows.members}
    worked = Counter(name[user_id] for user_id, _ in days)
    assert worked["Chloé Dubois"] < 22
    assert worked["Jonas Brückner"] > 30


def test_manual_requests_have_every_action_and_status(studio: DemoRows, practice: DemoRows) -> None:
    for demo in (studio, practice):
        requests = demo.rows.manual_requests
        assert {(row["action"], row["status"]) for row in requests} == set(product(ACTIONS, STATUSES))
        assert any(row["requested_by_user_id"] != row["user_id"] for row in requests)
        assert any(row["deleted_at"] for row in requests) and alive(requests)


def test_every_attendance_enum_value_occurs(studio: DemoRows) -> None:
    records = studio.rows.clock_records
    assert {row["status"] for row in records} == {"open", "closed", "auto_closed"}
    assert {row["auto_clock_out_reason"] for row in records} == {
        *(None, "shift_ended", "daily_limit", "inactivity", "midnight", "geofence_exit", "system")
    }
    assert {row["clock_out_source"] for row in records} == {
        *(None, "desktop", "web", "mobile", "kiosk", "api", "admin", "system")
    }
    assert any(row["is_edited"] for row in records)
    assert any(row["clock_in_location"] for row in records) and any(row["clock_out_note"] for row in records)
    assert {studio.person[row["user_id"]]["department"] for row in records} == {"Operations", "Delivery"}
    open_since = [row["clock_in_at"] for row in records if row["status"] == "open"]
    assert open_since and min(open_since) > NOW - timedelta(hours=12)
    breaks = studio.rows.break_times
    assert {(row["is_paid"], row["clock_record_id"] is None) for row in breaks} == {
        *((True, False), (False, False), (False, True))
    }


def test_only_practice_exceeds_report_limit(studio: DemoRows, practice: DemoRows) -> None:
    # These are 60 days: more than any range that a report may have.
    assert max(Counter(row["user_id"] for row in studio.rows.timesheets).values()) <= 1000
    zone = ZoneInfo("America/New_York")
    of_month = Counter(
        (row["user_id"], f"{row['started_at'].astimezone(zone):%Y-%m}") for row in alive(practice.rows.timesheets)
    )
    ((caller, _), most) = of_month.most_common(1)[0]
    assert most > 1000
    assert practice.person[caller]["full_name"] == "Dolores Quintana"


def test_practice_exceeds_report_limit_on_any_day(owner_url: str) -> None:
    zone = ZoneInfo("America/New_York")
    for month, day in ((1, 30), (3, 1), (8, 31)):
        _, demo = loaded(owner_url, datetime(2026, month, day, 12, tzinfo=UTC), members=1)
        of_month = Counter(
            (row["user_id"], f"{row['started_at'].astimezone(zone):%Y-%m}") for row in alive(demo.rows.timesheets)
        )
        assert max(of_month.values()) > 1000


# Any size and time.


def test_intervals_of_a_person_do_not_overlap(demo: DemoRows, practice: DemoRows) -> None:
    for each in (demo, practice):
        for rows, start, end, last in (
            (each.rows.timesheets, "started_at", "ended_at", "tracked_until"),
            (each.rows.idle_times, "started_at", "ended_at", "ended_at"),
            (each.rows.break_times, "started_at", "ended_at", "started_at"),
            (each.rows.clock_records, "clock_in_at", "clock_out_at", "clock_in_at"),
        ):
            by_person: dict[UUID, list[Row]] = defaultdict(list)
            for row in alive(rows):
                by_person[row["user_id"]].append(row)
            for user_rows in by_person.values():
                for before, after in pairwise(sorted(user_rows, key=lambda row: row[start])):
                    assert before[end] is not None, "only the last is open"
                    assert before[end] <= after[start]
            for row in rows:
                assert row[start] < (row[end] or each.now)
                assert (row[end] or row[last]) - row[start] <= timedelta(hours=24)


def test_timesheets_lie_in_membership_and_past(demo: DemoRows) -> None:
    for row in demo.rows.timesheets:
        person = demo.person[row["user_id"]]
        assert person["is_tracking_enabled"]
        assert person["joined_at"] <= row["started_at"] <= row["tracked_until"] <= demo.now
        assert row["ended_at"] in (None, row["tracked_until"])
        assert person["removed_at"] is None or row["tracked_until"] <= person["removed_at"]


def test_timesheets_lie_in_project_and_task_memberships(demo: DemoRows) -> None:
    memberships: dict[tuple[UUID, UUID], list[Row]] = defaultdict(list)
    for membership in alive(demo.rows.project_members):
        memberships[membership["project_id"], membership["user_id"]].append(membership)
    assigned = {
        (row["task_id"], row["user_id"]): row for row in alive(demo.rows.task_members) if row["role"] == "assignee"
    }
    for row in demo.rows.timesheets:
        if row["project_id"] is None:
            assert (row["task_id"], row["is_billable"]) == (None, False)
            continue
        project = demo.project[row["project_id"]]
        assert project["deleted_at"] is None
        assert project["completed_at"] is None or row["tracked_until"] <= project["completed_at"]
        (membership,) = memberships[row["project_id"], row["user_id"]]
        assert membership["role"] != "viewer" and membership["joined_at"] <= row["started_at"]
        assert membership["removed_at"] is None or row["tracked_until"] <= membership["removed_at"]
        billable = project["is_billable"]
        if row["task_id"] is not None:
            task = demo.task[row["task_id"]]
            assert task["project_id"] == row["project_id"]
            assert assigned[row["task_id"], row["user_id"]]["assigned_at"] <= row["started_at"]
            assert task["completed_at"] is None or row["tracked_until"] <= task["completed_at"]
            billable = billable if task["is_billable"] is None else task["is_billable"]
        assert row["is_billable"] == billable


def test_paid_weeks_are_locked(demo: DemoRows) -> None:
    ended = {
        locked: [row["tracked_until"] for row in demo.rows.timesheets if row["is_locked"] is locked]
        for locked in (True, False)
    }
    if ended[True]:
        assert max(ended[True]) < min(ended[False]) + timedelta(days=1)
        assert max(ended[True]) < demo.now - timedelta(days=6)


def test_idle_time_lies_in_its_timesheet(demo: DemoRows) -> None:
    for row in demo.rows.idle_times:
        timesheet = demo.timesheet[row["timesheet_id"]]
        assert row["user_id"] == timesheet["user_id"]
        assert timesheet["started_at"] <= row["started_at"] < row["ended_at"] <= timesheet["tracked_until"]
        assert (row["action"] == "reassigned") == (row["reassigned_project_id"] is not None)
        assert row["reassigned_project_id"] is None or row["reassigned_project_id"] != timesheet["project_id"]
        if row["reassigned_task_id"] is not None:
            assert demo.task[row["reassigned_task_id"]]["project_id"] == row["reassigned_project_id"]


def test_slots_are_15_minutes_and_sum_to_timesheets(demo: DemoRows) -> None:
    sums: dict[UUID, Counter[str]] = defaultdict(Counter)
    seen = set()
    for slot in demo.rows.activity_slots:
        timesheet = demo.timesheet[slot["timesheet_id"]]
        sums[timesheet["id"]].update({name: slot[name] for name in COUNTERS})
        seen.add((slot["slot_at"], slot["timesheet_id"]))
        assert slot["slot_at"].timestamp() % 900 == 0
        assert slot["input_seconds"] <= covered(slot, timesheet)
        assert slot["keyboard_seconds"] + slot["mouse_seconds"] >= slot["active_seconds"] <= slot["input_seconds"]
        assert max(slot["keyboard_seconds"], slot["mouse_seconds"]) <= slot["active_seconds"]
        assert (slot["user_id"], slot["deleted_at"]) == (timesheet["user_id"], timesheet["deleted_at"])
    assert len(seen) == len(demo.rows.activity_slots)
    for row in demo.rows.timesheets:
        if row["kind"] == "automatic":
            assert {name: row[name] for name in COUNTERS} == {name: sums[row["id"]][name] for name in COUNTERS}


def covered(slot: Row, timesheet: Row) -> int:
    """The seconds of a slot that its timesheet covers."""
    after = slot["slot_at"] + timedelta(minutes=15)
    part = min(after, timesheet["tracked_until"]) - max(slot["slot_at"], timesheet["started_at"])
    return int(part.total_seconds())


def test_clock_record_columns_match_status(demo: DemoRows) -> None:
    records = {row["id"]: row for row in demo.rows.clock_records}
    for row in records.values():
        assert (row["status"] == "open") == (row["clock_out_at"] is None) == (row["clock_out_source"] is None)
        assert (row["status"] == "auto_closed") == (row["auto_clock_out_reason"] is not None)
        assert row["is_edited"] == (row["edited_by_user_id"] is not None)
        assert (row["clock_out_at"] or row["clock_in_at"]) <= demo.now
    for row in demo.rows.break_times:
        assert (row["ended_at"] or row["started_at"]) <= demo.now
        if row["clock_record_id"] is not None:
            record = records[row["clock_record_id"]]
            assert record["user_id"] == row["user_id"]
            assert record["clock_in_at"] < row["started_at"]
            assert record["clock_out_at"] is None or row["ended_at"] < record["clock_out_at"]


def test_approved_manual_requests_have_timesheets(demo: DemoRows) -> None:
    for row in demo.rows.manual_requests:
        manager = demo.person[row["user_id"]]["manager_user_id"]
        assert row["requested_by_user_id"] in (row["user_id"], manager)
        assert (row["status"] in ("approved", "rejected")) == (row["reviewed_by_user_id"] == manager)
        assert (row["reviewed_at"] is not None) == (row["reviewed_by_user_id"] is not None)
        assert row["ended_at"] <= row["requested_at"] < (row["reviewed_at"] or demo.now) <= demo.now
        assert (row["action"] == "edited") == (row["original_started_at"] is not None)
        has_made = row["status"] == "approved" and row["action"] != "deleted"
        assert (row["timesheet_id"] is not None) == has_made
        if has_made:
            timesheet = demo.timesheet[row["timesheet_id"]]
            shared = ("user_id", "project_id", "task_id", "started_at", "ended_at", "is_billable")
            assert [timesheet[name] for name in shared] == [row[name] for name in shared]
            assert (timesheet["kind"], timesheet["created_at"]) == ("manual", row["reviewed_at"])
            assert [timesheet[name] for name in COUNTERS] == [0, 0, 0, 0]
    made_by = [row["timesheet_id"] for row in demo.rows.manual_requests if row["timesheet_id"]]
    manual = [row["id"] for row in demo.rows.timesheets if row["kind"] == "manual"]
    assert sorted(made_by) == sorted(manual)


def test_tracked_totals_match_timesheets(demo: DemoRows, practice: DemoRows) -> None:
    for each in (demo, practice):
        timesheets = alive(each.rows.timesheets)
        last: dict[UUID, Any] = {}
        for row in sorted(timesheets, key=lambda row: row["tracked_until"]):
            last[row["user_id"]] = row["tracked_until"]
        assert {row["user_id"]: row["last_tracked_at"] for row in each.rows.members if row["last_tracked_at"]} == last
        pauses: dict[UUID, set[tuple[datetime, datetime]]] = defaultdict(set)
        for row in alive(each.rows.idle_times):
            if row["action"] in ("discarded", "reassigned"):
                pauses[row["user_id"]].add((row["started_at"], row["ended_at"]))
        for row in each.rows.break_times:
            pauses[row["user_id"]].add((row["started_at"], row["ended_at"] or each.now))
        totals: Counter[UUID | None] = Counter()
        for row in timesheets:
            if row["ended_at"] is not None and row["ended_at"] <= each.end:
                totals[row["project_id"]] += seconds(row)
                for begin, end in pauses[row["user_id"]]:
                    overlap = min(end, row["ended_at"]) - max(begin, row["started_at"])
                    totals[row["project_id"]] -= max(0, int(overlap.total_seconds()))
        for project in each.rows.projects:
            assert (project["tracked_seconds_total"] or 0) == totals[project["id"]]


def test_only_finished_projects_have_no_total(studio: DemoRows) -> None:
    without = [row for row in studio.rows.projects if row["tracked_seconds_total"] is None]
    assert without and all(row["completed_at"] or row["deleted_at"] for row in without)
    assert sum(bool(row["tracked_seconds_total"]) for row in studio.rows.projects) >= 8
