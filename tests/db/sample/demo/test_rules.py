"""The rules of the demo's rows, for any number of members at any moment.

Covers `db/sample/demo/totals.py`.
"""

from collections import Counter, defaultdict
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from tests.db.sample.demo.demo_rows import DemoRows, alive


def test_rows_keep_all_rules(demo: DemoRows, practice: DemoRows) -> None:
    assert (demo.faults, practice.faults) == ([], [])


def test_row_timestamps_are_in_order_and_past(demo: DemoRows) -> None:
    start = demo.end - timedelta(days=737)
    for name, rows in demo.tables.items():
        for row in rows:
            assert start <= row["created_at"] <= row["updated_at"] <= demo.now, name
            if row["deleted_at"] is not None:
                assert row["created_at"] < row["deleted_at"] == row["updated_at"]
            for event in ("first_joined_at", "joined_at", "removed_at", "archived_at", "completed_at", "assigned_at"):
                if row.get(event) is not None and (name, event) != ("team_members", "joined_at"):
                    assert row[event].microsecond == 0
                    assert row[event] <= row["updated_at"]


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
                totals[row["project_id"]] += int((row["ended_at"] - row["started_at"]).total_seconds())
                for begin, end in pauses[row["user_id"]]:
                    overlap = min(end, row["ended_at"]) - max(begin, row["started_at"])
                    totals[row["project_id"]] -= max(0, int(overlap.total_seconds()))
        for project in each.rows.projects:
            assert (project["tracked_seconds_total"] or 0) == totals[project["id"]]
