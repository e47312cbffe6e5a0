"""Activity of the demo: which values occur, and that usage and screenshots lie in tracked time."""

from collections import Counter
from datetime import timedelta
from uuid import UUID

from tests.db.sample.demo.demo_rows import NOW, DemoRows, alive
from tests.db.sample.demo.test_timesheets import covered

# The organization of 24 members.


def test_every_enum_value_occurs(studio: DemoRows) -> None:
    activity = studio.rows
    assert {row["productivity"] for row in activity.apps} == {"productive", "neutral", "unproductive", "unrated"}
    assert {row["productivity"] for row in activity.domains} == {"productive", "neutral", "unproductive", "unrated"}
    assert len({row["app_id"] for row in activity.app_usages}) > 10
    assert {row["page_id"] for row in activity.url_usages} == {row["id"] for row in activity.url_pages}
    assert any(row["name"].startswith("xn--") for row in activity.domains)
    assert all(row["name"].endswith(".example") for row in activity.domains)
    shots = activity.screenshots
    assert {row["status"] for row in shots} == {"available", "deleted", "expired", "processing"}
    assert {row["is_blurred"] for row in shots} == {True, False}
    assert {row["screen_index"] for row in shots} == {0, 1}


def test_two_people_have_most_screenshots(studio: DemoRows) -> None:
    of_person = Counter(row["user_id"] for row in studio.rows.screenshots)
    counts = [count for _, count in of_person.most_common()]
    assert len(counts) >= 5
    assert counts[1] > 2 * counts[2]


def test_suspicions_have_every_type_severity_and_status(studio: DemoRows) -> None:
    logs = studio.rows.suspicious_activity_logs
    assert {row["type"] for row in logs} == {
        *("mouse_jiggler", "auto_clicker", "key_repeat", "constant_activity", "single_input_only"),
        *("no_input_while_tracking", "suspicious_app", "remote_or_virtual_machine", "clock_tampering"),
        *("duplicate_screenshot", "location_mismatch", "other"),
    }
    assert {row["severity"] for row in logs} == {"low", "medium", "high"}
    assert {row["status"] for row in logs} == {"open", "confirmed", "dismissed"}
    assert any(row["confidence_percent"] is None for row in logs)
    assert any(row["evidence"]["screenshot_ids"] for row in logs)
    assert any(row["evidence"]["app_names"] for row in logs)


def test_practice_tracks_no_urls(practice: DemoRows) -> None:
    assert practice.rows.organizations[0]["features"]["url_tracking"] is False
    assert practice.rows.domains == practice.rows.url_pages == practice.rows.url_usages == []
    assert practice.rows.app_usages and practice.rows.screenshots


# Any size and time.


def test_usage_fits_in_its_slot(demo: DemoRows) -> None:
    slots = {(row["timesheet_id"], row["slot_at"]): row for row in demo.rows.activity_slots}
    for rows in (demo.rows.app_usages, demo.rows.url_usages):
        used: Counter[tuple[UUID, object]] = Counter()
        for row in rows:
            slot = slots[row["timesheet_id"], row["slot_at"]]
            timesheet = demo.timesheet[row["timesheet_id"]]
            used[row["timesheet_id"], row["slot_at"]] += row["duration_seconds"]
            assert 0 <= row["active_seconds"] <= row["duration_seconds"] <= covered(slot, timesheet)
            assert max(slot["slot_at"], timesheet["started_at"]) <= row["first_at"] <= row["last_at"]
            assert row["last_at"] <= min(slot["slot_at"] + timedelta(minutes=15), timesheet["tracked_until"])
            assert row["duration_seconds"] <= (row["last_at"] - row["first_at"]).total_seconds()
            assert (row["user_id"], row["deleted_at"]) == (slot["user_id"], slot["deleted_at"])
        for key, duration in used.items():
            assert duration <= slots[key]["input_seconds"]


def test_one_usage_row_per_app_and_slot(demo: DemoRows) -> None:
    apps = [(row["timesheet_id"], row["slot_at"], row["app_id"]) for row in demo.rows.app_usages]
    pages = [(row["timesheet_id"], row["slot_at"], row["page_id"]) for row in demo.rows.url_usages]
    assert len(set(apps)) == len(apps)
    assert len(set(pages)) == len(pages)
    domain = {row["id"]: row["domain_id"] for row in demo.rows.url_pages}
    assert all(domain[row["page_id"]] == row["domain_id"] for row in demo.rows.url_usages)


def test_screenshots_lie_in_timesheets_of_projects_with_screenshots(demo: DemoRows) -> None:
    for row in demo.rows.screenshots:
        timesheet = demo.timesheet[row["timesheet_id"]]
        assert timesheet["started_at"] <= row["captured_at"] < timesheet["tracked_until"]
        assert timesheet["deleted_at"] is None
        shared = ("user_id", "project_id", "task_id")
        assert [row[name] for name in shared] == [timesheet[name] for name in shared]
        assert demo.project[row["project_id"]]["screenshots_enabled"]
        assert (row["status"] == "available") == (row["object_key"] is not None) == (row["thumbnail_key"] is not None)
        assert (row["status"] == "deleted") == (row["deleted_by_user_id"] is not None)
    keys = [row["object_key"] for row in demo.rows.screenshots if row["object_key"]]
    assert len(set(keys)) == len(keys)


def test_suspicions_lie_in_timesheets_and_managers_review_them(demo: DemoRows) -> None:
    shots = {str(row["id"]): row for row in demo.rows.screenshots}
    for row in demo.rows.suspicious_activity_logs:
        timesheet = demo.timesheet[row["timesheet_id"]]
        assert (row["user_id"], row["project_id"]) == (timesheet["user_id"], timesheet["project_id"])
        assert timesheet["started_at"] <= row["started_at"] < row["ended_at"] <= timesheet["tracked_until"]
        assert timesheet["deleted_at"] is None
        manager = demo.person[row["user_id"]]["manager_user_id"]
        is_open = row["status"] == "open"
        assert row["reviewed_by_user_id"] == (None if is_open else manager)
        assert (row["reviewed_at"] is None, row["review_note"] is None) == (is_open, is_open)
        length = (row["ended_at"] - row["started_at"]).total_seconds()
        assert row["deducted_seconds"] in ((0, length) if row["status"] == "confirmed" else (0,))
        evidence = row["evidence"]
        assert evidence["tracked_seconds"] == length
        assert evidence["keyboard_seconds"] + evidence["mouse_seconds"] == evidence["active_seconds"] <= length
        for id in evidence["screenshot_ids"]:
            assert row["started_at"] <= shots[id]["captured_at"] < row["ended_at"]


def test_deleted_timesheets_have_usage_only(studio: DemoRows) -> None:
    deleted = {row["id"] for row in studio.rows.timesheets if row["deleted_at"]}
    assert any(row["timesheet_id"] in deleted for row in studio.rows.app_usages)
    assert not any(row["timesheet_id"] in deleted for row in studio.rows.idle_times)
    assert all(row["captured_at"] < NOW for row in alive(studio.rows.screenshots))
