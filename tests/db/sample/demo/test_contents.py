"""The demo: two organizations, inserted once, of any number of members, and the rules that all their rows keep.

It shows values of every kind and running timers.
Covers `db/sample/demo/build.py`, `db/sample/demo/copies.py` and `db/sample/demo/totals.py`.
"""

from collections import Counter, defaultdict
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy import Engine

from db.jobs.exporting.exported_rows import EXPORTED_TABLES
from db.sample.demo.build import DEMO_ORGANIZATION_ID, OTHER_ORGANIZATION_ID, insert_organizations
from tests.db.sample.demo.demo_rows import NOW, DemoRows, alive, loaded, stored_tables

WITHOUT = {
    "organizations.week_start_day": "tuesday wednesday thursday friday saturday sunday",
    "organizations.status": "suspended",
    "clients.budget_recurrence": "weekly",
    "leave_types.category": "parental holiday",
    "leave_policies.accrual_type": "biweekly anniversary",
    "payables.kind": "overtime",
    "payment_settings.pay_period": "biweekly semimonthly",
    "payment_settings.payment_method": "paypal payroll cash other",
    "clock_records.clock_in_source": "admin system",
    "hourly_payment_logs.payment_method": "paypal payroll cash other",
    "one_time_payment_logs.status": "processing refunded",
    "one_time_payment_logs.payment_method": "paypal payroll cash other",
    "invoice_lines.kind": "other",
    "invoice_lines.unit": "day",
    "timesheets.source": "kiosk system",
}
"""The values of enumerations that no row of the studio has."""


def test_every_other_enum_value_occurs(studio: DemoRows) -> None:
    missing = {}
    for table in EXPORTED_TABLES:
        for column in table.columns:
            values = [value.value for value in column.info.get("values", ())]
            absent = [value for value in values if value not in {row[column.name] for row in studio.tables[table.name]}]
            if absent:
                missing[f"{table.name}.{column.name}"] = " ".join(absent)
    assert missing == WITHOUT, "write a row with it into db/sample/demo/studio, or say here that none has it"


def test_values_of_every_kind_are_loaded(studio: DemoRows) -> None:
    optician = {row["name"]: row for row in studio.rows.clients}["Lumen Optik"]
    assert [optician["address"][word] for word in ("line1", "line2", "city", "region", "postal_code", "country")] == [
        *("Schleiferweg 8", "Haus B", "Jena", "Thüringen", "07745", "DE")
    ]
    assert optician["invoice_emails"] == ["invoices.lumen-optik@example.org"]
    assert (optician["budget_amount"], optician["external_id"]) == (Decimal("18000.00"), "C-10003")
    projects = {row["name"]: row for row in studio.rows.projects}
    yen, dinar = projects["Packaging series"], projects["Export catalogue"]
    assert (yen["currency"], yen["bill_rate"], yen["code"]) == ("JPY", Decimal(14500), "TSU-02")
    assert (dinar["currency"], dinar["fixed_amount"]) == ("KWD", Decimal("8400.500"))
    assert {row["currency"] for row in alive(studio.rows.invoices)} == {"EUR", "GBP", "JPY", "KWD", "USD"}


def test_only_finished_projects_have_no_total(studio: DemoRows) -> None:
    without = [row for row in studio.rows.projects if row["tracked_seconds_total"] is None]
    assert without and all(row["completed_at"] or row["deleted_at"] for row in without)
    assert sum(bool(row["tracked_seconds_total"]) for row in studio.rows.projects) >= 8


def test_two_to_five_timers_run_after_sixty_days(studio: DemoRows, practice: DemoRows) -> None:
    for demo in (studio, practice):
        first = min(row["started_at"] for row in demo.rows.timesheets)
        assert NOW - timedelta(days=67) <= first < NOW - timedelta(days=57)
        running = [row for row in demo.rows.timesheets if row["ended_at"] is None]
        assert 2 <= len(running) <= 5
        for row in running:
            assert timedelta(minutes=1) <= NOW - row["tracked_until"] < timedelta(minutes=25)
            assert row["kind"] == "automatic" and row["deleted_at"] is None
    open_since = [row["clock_in_at"] for row in studio.rows.clock_records if row["status"] == "open"]
    assert open_since and min(open_since) > NOW - timedelta(hours=12)


def test_night_shifts_cross_local_midnight(studio: DemoRows) -> None:
    (nightly,) = (row for row in studio.rows.members if row["job_title"] == "DevOps Engineer")
    zone = ZoneInfo("Asia/Kathmandu")
    assert nightly["timezone"] == "Asia/Kathmandu"
    nights = [row for row in studio.rows.timesheets if row["user_id"] == nightly["user_id"]]
    days = [(row["started_at"].astimezone(zone).date(), row["tracked_until"].astimezone(zone).date()) for row in nights]
    assert len(days) > 60 and sum(start < end for start, end in days) > 20


def test_members_on_leave_track_no_time(studio: DemoRows) -> None:
    approved = [row for row in studio.rows.leave_applications if row["status"] == "approved"]
    whole_days = {row["id"]: row["user_id"] for row in approved if row["started_at"] is None}
    on_leave = {
        (whole_days[row["leave_application_id"]], row["date"])
        for row in studio.rows.leave_application_days
        if row["leave_application_id"] in whole_days and row["date"] < NOW.date()
    }
    assert on_leave & local_days(studio, "Europe/Berlin") == set()
    assert sum(day > NOW.date() - timedelta(days=55) for _, day in on_leave) > 20


def local_days(demo: DemoRows, zone: str) -> set[tuple[object, date]]:
    """The people and days of timesheets."""
    return {(row["user_id"], row["started_at"].astimezone(ZoneInfo(zone)).date()) for row in demo.rows.timesheets}


def test_practice_alone_exceeds_report_limit_on_any_day(studio: DemoRows, practice: DemoRows, demo_url: str) -> None:
    # These are 60 days: more than any range that a report may have.
    assert max(Counter(row["user_id"] for row in studio.rows.timesheets).values()) <= 1000
    zone = ZoneInfo("America/New_York")
    for demo in (practice, *loaded(demo_url, datetime(2026, 3, 1, 12, tzinfo=UTC), OTHER_ORGANIZATION_ID, members=1)):
        starts = ((row["user_id"], row["started_at"].astimezone(zone)) for row in alive(demo.rows.timesheets))
        months = Counter((user_id, f"{start:%Y-%m}") for user_id, start in starts)
        ((caller, _), most) = months.most_common(1)[0]
        assert most > 1000
        assert demo.person[caller]["full_name"] == "Dolores Quintana"


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


def test_two_organizations_are_stored(studio: DemoRows, practice: DemoRows) -> None:
    tables = ("organizations", "members", "teams", "clients", "projects", "tasks", "project_members", "task_members")
    assert [len(studio.tables[name]) for name in tables] == [1, 24, 5, 8, 17, 115, 113, 187]
    assert [len(practice.tables[name]) for name in tables] == [1, 6, 1, 2, 4, 13, 17, 20]


def test_every_table_has_rows(studio: DemoRows) -> None:
    empty = [table.name for table in EXPORTED_TABLES if not studio.tables[table.name]]
    assert empty == [], "write rows into db/sample/demo/studio/TABLE.ndjson, one a line"


def test_second_insert_changes_nothing(owner_engine: Engine) -> None:
    ids = (DEMO_ORGANIZATION_ID, OTHER_ORGANIZATION_ID)
    with owner_engine.connect() as connection:
        assert insert_organizations(connection, members=2, now=NOW) is True
        assert connection.in_transaction(), "the caller commits"
        before = [stored_tables(connection, id_) for id_ in ids]
        connection.commit()
        assert insert_organizations(connection, members=60, now=NOW + timedelta(days=7)) is False
        assert [stored_tables(connection, id_) for id_ in ids] == before


def test_one_member_has_all_projects_and_no_time(owner_engine: Engine) -> None:
    with owner_engine.connect() as connection:
        insert_organizations(connection, members=1, now=NOW)
        found = {name: len(rows) for name, rows in stored_tables(connection, DEMO_ORGANIZATION_ID).items()}
    assert (found["members"], found["projects"], found["clients"], found["tasks"]) == (1, 17, 8, 115)
    assert (found["timesheets"], found["leave_applications"] > 0) == (0, True)


def test_more_members_than_the_files_have_are_copies_with_names_of_their_own(large: DemoRows) -> None:
    stored = large.tables
    assert [len(stored[name]) for name in ("members", "teams", "clients", "projects", "apps")] == [31, 10, 16, 34, 15]
    people = {row["full_name"]: row for row in stored["members"]}
    owner, copied = people["Katharina Vogt"], people["Katharina Wójcik"]
    assert (copied["email"], copied["employee_number"]) == ("katharina.wojcik@example.com", "KW-0101-2")
    assert (copied["role"], copied["manager_user_id"]) == ("admin", owner["user_id"])
    departments = Counter(row["department"] for row in stored["members"])
    assert (departments["Engineering"], departments["Design"]) == (8, 6)
    assert {"Design", "Design 2"} <= {row["name"] for row in stored["teams"]}
