"""The time of the demo: what a reader sees, and that it holds together for any size and moment."""

from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta
from itertools import pairwise, product
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from db.demo.area import Row
from db.demo.scenarios.practice import PRACTICE
from tests.db.demo.made import NOW, Made, alive

ACTIONS = ("added", "edited", "deleted")
STATUSES = ("pending", "approved", "rejected", "cancelled")
COUNTERS = ("input_seconds", "active_seconds", "keyboard_seconds", "mouse_seconds")


def seconds(row: Row) -> int:
    return int((row["ended_at"] - row["started_at"]).total_seconds())


# What a reader sees in the organization of 24.


def test_something_of_every_kind(studio: Made) -> None:
    timesheets = alive(studio.time.timesheets)
    assert {row["kind"] for row in timesheets} == {"automatic", "manual"}
    assert {row["source"] for row in timesheets} == {"desktop", "web", "mobile", "api", "admin"}
    assert {row["is_billable"] for row in timesheets} == {row["is_locked"] for row in timesheets} == {True, False}
    assert any(row["project_id"] is None for row in timesheets)
    assert any(row["project_id"] and row["task_id"] is None for row in timesheets)
    assert len(alive(studio.time.timesheets)) < len(studio.time.timesheets)
    idle = alive(studio.time.idle_times)
    assert {row["action"] for row in idle} == {"kept", "discarded", "reassigned", "pending"}
    assert any(row["reassigned_task_id"] for row in idle)
    assert {row["reason"] is None for row in idle} == {True, False}
    assert len(idle) < len(studio.time.idle_times)


def test_time_reaches_sixty_days_back(studio: Made, practice: Made) -> None:
    for made in (studio, practice):
        started = [row["started_at"] for row in made.time.timesheets]
        assert NOW - timedelta(days=60) <= min(started) < NOW - timedelta(days=57)


def test_a_few_timers_run(studio: Made, practice: Made) -> None:
    for made, most in ((studio, 5), (practice, 5)):
        running = [row for row in made.time.timesheets if row["ended_at"] is None]
        assert 2 <= len(running) <= most
        for row in running:
            assert timedelta(minutes=1) <= NOW - row["tracked_until"] < timedelta(minutes=10)
            assert row["kind"] == "automatic" and row["deleted_at"] is None


def test_night_shifts_go_on_over_local_midnight(studio: Made) -> None:
    (nightly,) = (row for row in studio.people.members if row["job_title"] == "DevOps Engineer")
    zone = ZoneInfo("Asia/Kathmandu")
    assert nightly["timezone"] == "Asia/Kathmandu"
    own = [row for row in studio.time.timesheets if row["user_id"] == nightly["user_id"]]
    over = [
        row for row in own if row["started_at"].astimezone(zone).date() < row["tracked_until"].astimezone(zone).date()
    ]
    assert len(own) > 60 and len(over) > 20


def test_people_work_on_weekdays_mostly_and_part_timers_less(studio: Made) -> None:
    days = {
        (row["user_id"], row["started_at"].astimezone(ZoneInfo("Europe/Berlin")).date())
        for row in studio.time.timesheets
    }
    weekend = sum(day.weekday() >= 5 for _, day in days)
    assert 0 < weekend < len(days) / 20
    name = {row["user_id"]: row["full_name"] for row in studio.people.members}
    worked = Counter(name[user_id] for user_id, _ in days)
    assert worked["Chloé Dubois"] < 22
    assert worked["Jonas Brückner"] > 30


def test_manual_time_in_every_action_and_status(studio: Made, practice: Made) -> None:
    for made in (studio, practice):
        requests = made.time.manual_requests
        assert {(row["action"], row["status"]) for row in requests} == set(product(ACTIONS, STATUSES))
        assert any(row["requested_by_user_id"] != row["user_id"] for row in requests)
        assert any(row["deleted_at"] for row in requests) and alive(requests)


def test_attendance_of_every_kind(studio: Made) -> None:
    records = studio.time.clock_records
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
    breaks = studio.time.break_times
    assert {(row["is_paid"], row["clock_record_id"] is None) for row in breaks} == {
        *((True, False), (False, False), (False, True))
    }


def test_no_report_of_the_first_organization_meets_a_cap_and_one_of_the_second_does(
    studio: Made, practice: Made
) -> None:
    # Of 60 days: more than any range that a report may have.
    assert max(Counter(row["user_id"] for row in studio.time.timesheets).values()) <= 1000
    zone = ZoneInfo("America/New_York")
    of_month = Counter(
        (row["user_id"], f"{row['started_at'].astimezone(zone):%Y-%m}") for row in alive(practice.time.timesheets)
    )
    ((caller, _), most) = of_month.most_common(1)[0]
    assert most > 1000
    assert practice.person[caller]["full_name"] == "Dolores Quintana"


def test_calls_meet_the_cap_in_some_month_whatever_the_day() -> None:
    zone = ZoneInfo("America/New_York")
    for month, day in ((1, 30), (3, 1), (3, 17), (8, 31)):
        made = Made(6, datetime(2026, month, day, 12, tzinfo=UTC), PRACTICE)
        of_month = Counter(
            (row["user_id"], f"{row['started_at'].astimezone(zone):%Y-%m}") for row in alive(made.time.timesheets)
        )
        assert max(of_month.values()) > 1000


# What holds for every size and moment.


def test_intervals_of_a_person_do_not_overlap(made: Made, practice: Made) -> None:
    for crowd in (made, practice):
        for rows, start, end, last in (
            (crowd.time.timesheets, "started_at", "ended_at", "tracked_until"),
            (crowd.time.idle_times, "started_at", "ended_at", "ended_at"),
            (crowd.time.break_times, "started_at", "ended_at", "started_at"),
            (crowd.time.clock_records, "clock_in_at", "clock_out_at", "clock_in_at"),
        ):
            by_person: dict[UUID, list[Row]] = defaultdict(list)
            for row in alive(rows):
                by_person[row["user_id"]].append(row)
            for own in by_person.values():
                for before, after in pairwise(sorted(own, key=lambda row: row[start])):
                    assert before[end] is not None, "only the last is open"
                    assert before[end] <= after[start]
            for row in rows:
                assert row[start] < (row[end] or crowd.now)
                assert (row[end] or row[last]) - row[start] <= timedelta(hours=24)


def test_people_track_while_they_are_members_and_not_in_the_future(made: Made) -> None:
    for row in made.time.timesheets:
        person = made.person[row["user_id"]]
        assert person["is_tracking_enabled"]
        assert person["joined_at"] <= row["started_at"] <= row["tracked_until"] <= made.now
        assert row["ended_at"] in (None, row["tracked_until"])
        assert person["removed_at"] is None or row["tracked_until"] <= person["removed_at"]


def test_time_is_of_projects_and_tasks_on_which_the_person_was(made: Made) -> None:
    places: dict[tuple[UUID, UUID], list[Row]] = defaultdict(list)
    for place in alive(made.work.project_members):
        places[place["project_id"], place["user_id"]].append(place)
    assigned = {
        (row["task_id"], row["user_id"]): row for row in alive(made.work.task_members) if row["role"] == "assignee"
    }
    for row in made.time.timesheets:
        if row["project_id"] is None:
            assert (row["task_id"], row["is_billable"]) == (None, False)
            continue
        project = made.project[row["project_id"]]
        assert project["deleted_at"] is None
        assert project["completed_at"] is None or row["tracked_until"] <= project["completed_at"]
        (place,) = places[row["project_id"], row["user_id"]]
        assert place["role"] != "viewer" and place["joined_at"] <= row["started_at"]
        assert place["removed_at"] is None or row["tracked_until"] <= place["removed_at"]
        billable = project["is_billable"]
        if row["task_id"] is not None:
            task = made.task[row["task_id"]]
            assert task["project_id"] == row["project_id"]
            assert assigned[row["task_id"], row["user_id"]]["assigned_at"] <= row["started_at"]
            assert task["completed_at"] is None or row["tracked_until"] <= task["completed_at"]
            billable = billable if task["is_billable"] is None else task["is_billable"]
        assert row["is_billable"] == billable


def test_weeks_are_locked_once_they_are_paid(made: Made) -> None:
    ended = {
        locked: [row["tracked_until"] for row in made.time.timesheets if row["is_locked"] is locked]
        for locked in (True, False)
    }
    if ended[True]:
        assert max(ended[True]) < min(ended[False]) + timedelta(days=1)
        assert max(ended[True]) < made.now - timedelta(days=6)


def test_idle_time_lies_in_its_timesheet(made: Made) -> None:
    for row in made.time.idle_times:
        timesheet = made.timesheet[row["timesheet_id"]]
        assert row["user_id"] == timesheet["user_id"]
        assert timesheet["started_at"] <= row["started_at"] < row["ended_at"] <= timesheet["tracked_until"]
        assert (row["action"] == "reassigned") == (row["reassigned_project_id"] is not None)
        assert row["reassigned_project_id"] is None or row["reassigned_project_id"] != timesheet["project_id"]
        if row["reassigned_task_id"] is not None:
            assert made.task[row["reassigned_task_id"]]["project_id"] == row["reassigned_project_id"]


def test_slots_are_quarters_and_add_up_to_their_timesheets(made: Made) -> None:
    sums: dict[UUID, Counter[str]] = defaultdict(Counter)
    seen = set()
    for slot in made.time.activity_slots:
        timesheet = made.timesheet[slot["timesheet_id"]]
        sums[timesheet["id"]].update({name: slot[name] for name in COUNTERS})
        seen.add((slot["slot_at"], slot["timesheet_id"]))
        assert slot["slot_at"].timestamp() % 900 == 0
        assert slot["input_seconds"] <= covered(slot, timesheet)
        assert slot["keyboard_seconds"] + slot["mouse_seconds"] >= slot["active_seconds"] <= slot["input_seconds"]
        assert max(slot["keyboard_seconds"], slot["mouse_seconds"]) <= slot["active_seconds"]
        assert (slot["user_id"], slot["deleted_at"]) == (timesheet["user_id"], timesheet["deleted_at"])
    assert len(seen) == len(made.time.activity_slots)
    for row in made.time.timesheets:
        if row["kind"] == "automatic":
            assert {name: row[name] for name in COUNTERS} == {name: sums[row["id"]][name] for name in COUNTERS}


def covered(slot: Row, timesheet: Row) -> int:
    """The seconds of a slot that its timesheet covers."""
    after = slot["slot_at"] + timedelta(minutes=15)
    part = min(after, timesheet["tracked_until"]) - max(slot["slot_at"], timesheet["started_at"])
    return int(part.total_seconds())


def test_clock_records_end_as_their_status_says(made: Made) -> None:
    records = {row["id"]: row for row in made.time.clock_records}
    for row in records.values():
        assert (row["status"] == "open") == (row["clock_out_at"] is None) == (row["clock_out_source"] is None)
        assert (row["status"] == "auto_closed") == (row["auto_clock_out_reason"] is not None)
        assert row["is_edited"] == (row["edited_by_user_id"] is not None)
        assert (row["clock_out_at"] or row["clock_in_at"]) <= made.now
    for row in made.time.break_times:
        assert (row["ended_at"] or row["started_at"]) <= made.now
        if row["clock_record_id"] is not None:
            record = records[row["clock_record_id"]]
            assert record["user_id"] == row["user_id"]
            assert record["clock_in_at"] < row["started_at"]
            assert record["clock_out_at"] is None or row["ended_at"] < record["clock_out_at"]


def test_requests_are_reviewed_by_managers_and_made_their_timesheets(made: Made) -> None:
    for row in made.time.manual_requests:
        manager = made.person[row["user_id"]]["manager_user_id"]
        assert row["requested_by_user_id"] in (row["user_id"], manager)
        assert (row["status"] in ("approved", "rejected")) == (row["reviewed_by_user_id"] == manager)
        assert (row["reviewed_at"] is not None) == (row["reviewed_by_user_id"] is not None)
        assert row["ended_at"] <= row["requested_at"] < (row["reviewed_at"] or made.now) <= made.now
        assert (row["action"] == "edited") == (row["original_started_at"] is not None)
        has_made = row["status"] == "approved" and row["action"] != "deleted"
        assert (row["timesheet_id"] is not None) == has_made
        if has_made:
            timesheet = made.timesheet[row["timesheet_id"]]
            shared = ("user_id", "project_id", "task_id", "started_at", "ended_at", "is_billable")
            assert [timesheet[name] for name in shared] == [row[name] for name in shared]
            assert (timesheet["kind"], timesheet["created_at"]) == ("manual", row["reviewed_at"])
            assert [timesheet[name] for name in COUNTERS] == [0, 0, 0, 0]
    made_by = [row["timesheet_id"] for row in made.time.manual_requests if row["timesheet_id"]]
    manual = [row["id"] for row in made.time.timesheets if row["kind"] == "manual"]
    assert sorted(made_by) == sorted(manual)


def test_members_and_projects_know_what_was_tracked(made: Made, practice: Made) -> None:
    for crowd in (made, practice):
        timesheets = alive(crowd.time.timesheets)
        last: dict[UUID, Any] = {}
        for row in sorted(timesheets, key=lambda row: row["tracked_until"]):
            last[row["user_id"]] = row["tracked_until"]
        assert {
            row["user_id"]: row["last_tracked_at"] for row in crowd.people.members if row["last_tracked_at"]
        } == last
        away: dict[UUID, set[tuple[datetime, datetime]]] = defaultdict(set)
        for row in alive(crowd.time.idle_times):
            if row["action"] in ("discarded", "reassigned"):
                away[row["user_id"]].add((row["started_at"], row["ended_at"]))
        for row in crowd.time.break_times:
            away[row["user_id"]].add((row["started_at"], row["ended_at"] or crowd.now))
        totals: Counter[UUID | None] = Counter()
        for row in timesheets:
            if row["ended_at"] is not None and row["ended_at"] <= crowd.end:
                totals[row["project_id"]] += seconds(row)
                for begin, end in away[row["user_id"]]:
                    lost = min(end, row["ended_at"]) - max(begin, row["started_at"])
                    totals[row["project_id"]] -= max(0, int(lost.total_seconds()))
        for project in crowd.work.projects:
            assert (project["tracked_seconds_total"] or 0) == totals[project["id"]]


def test_only_finished_projects_may_be_without_a_total(studio: Made) -> None:
    without = [row for row in studio.work.projects if row["tracked_seconds_total"] is None]
    assert without and all(row["completed_at"] or row["deleted_at"] for row in without)
    assert sum(bool(row["tracked_seconds_total"]) for row in studio.work.projects) >= 8
