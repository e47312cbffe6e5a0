"""`orgdata retain`: what it prints, lists and logs, and what REST shows afterwards."""

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from resolvers.day_bounds import day_start, local_date
from rest_facade.commands.retention.retain import first_kept_day
from tests.conftest import Connect
from tests.db.writing import session
from tests.factories.rows import Rows
from tests.rest_facade.commands.conftest import CommandResult, Run, assert_refused

NOW = datetime.now(UTC).replace(microsecond=0)
DAY = timedelta(days=1)
KEPT = NOW - 90 * DAY
"""A time that is kept by the default retention; rows a year before it are not."""

DAYS = {"screenshots": 180, "app_usage": 365, "url_usage": 365}


class Studio:
    """An organization in UTC with old and kept rows of each kind."""

    def __init__(self, rows: Rows) -> None:
        self.id = rows.organization()
        self.user = rows.member(self.id, first_joined_at=KEPT - 500 * DAY)
        slots = [at.replace(minute=0, second=0) for at in (KEPT, KEPT - 365 * DAY)]
        app, domain = rows.app(self.id), rows.domain(self.id)
        page = rows.url_page(self.id, domain)
        self.old_shot = rows.screenshot(self.id, self.user, captured_at=slots[1], object_key="old.jpg")
        rows.screenshot(self.id, self.user, captured_at=slots[0], object_key="kept.jpg")
        for slot in slots:
            sheet = rows.timesheet(self.id, self.user, started_at=slot, ended_at=slot + timedelta(hours=1))
            rows.app_usage(self.id, app, sheet, self.user, slot_at=slot)
            rows.url_usage(self.id, domain, page, sheet, self.user, slot_at=slot)
        self.kept_day, self.old_day = (slot.date() for slot in slots)

    def lines(self, *counts: int) -> str:
        """What the command prints."""
        today = datetime.now(UTC).date()
        tables = zip(("screenshots", "app_usages", "url_usages"), (179, 364, 364), counts, strict=True)
        return "".join(
            f"{self.id}\t{table}\tbefore {today - timedelta(days=days)}\t{count} dropped\n"
            for table, days, count in tables
        )


@pytest.fixture
def studio(rows: Rows) -> Studio:
    return Studio(rows)


@pytest.mark.parametrize(
    ("zone", "now", "days", "first"),
    [
        ("UTC", datetime(2026, 6, 30, tzinfo=UTC), 180, date(2026, 1, 2)),
        ("UTC", datetime(2026, 6, 30, tzinfo=UTC), 1, date(2026, 6, 30)),
        ("UTC", datetime(2026, 6, 30, tzinfo=UTC), 0, date(2026, 6, 30)),
        ("Pacific/Auckland", datetime(2026, 6, 30, 12, tzinfo=UTC), 2, date(2026, 6, 30)),
        ("America/New_York", datetime(2026, 6, 30, 3, tzinfo=UTC), 2, date(2026, 6, 28)),
    ],
)
def test_days_are_counted_in_the_zone_with_today(zone: str, now: datetime, days: int, first: date) -> None:
    assert first_kept_day(zone, days, now) == first


def test_old_rows_are_dropped_logged_and_their_images_listed(operate: Run, studio: Studio, folder: Path) -> None:
    shown = CommandResult(0, studio.lines(1, 1, 1) + "This was a dry run: nothing was dropped.\n", "")
    assert operate("retain", "--organization", str(studio.id), "--dry-run") == shown
    words = ("retain", "--organization", str(studio.id), "--objects", "gone.ndjson")
    result = operate(*words)
    assert (result.code, result.out) == (0, studio.lines(1, 1, 1))
    events = [json.loads(line) for line in result.err.splitlines()]
    assert [(each["event"], each["table"], each["rows"], each["objects"]) for each in events] == [
        ("retained", "screenshots", 1, 1),
        ("retained", "app_usages", 1, 0),
        ("retained", "url_usages", 1, 0),
    ]
    assert {each["organization_id"] for each in events} == {str(studio.id)}
    listed = folder / "gone.ndjson"
    (line,) = listed.read_text().splitlines()
    shot = {"table": "screenshots", "column": "object_key", "id": str(studio.old_shot), "key": "old.jpg"}
    assert json.loads(line) == shot
    assert listed.stat().st_mode & 0o777 == 0o600
    assert operate(*words).out == studio.lines(0, 0, 0)
    assert len(listed.read_text().splitlines()) == 1


async def test_kept_days_and_all_time_answer_as_before(run: Run, studio: Studio, client: Connect, rows: Rows) -> None:
    days = {"kept": f"start_date={studio.kept_day}&end_date={studio.kept_day}"}
    days["old"] = f"start_date={studio.old_day}&end_date={studio.old_day}"
    http = client(rows.partner_key(studio.id))

    async def answer(path: str, range_: str) -> bytes:
        response = await http.get(f"/v1/{path}/?{range_}")
        assert response.status_code == 200
        return response.content

    shots = f"user_id={studio.user}&date={studio.kept_day}"
    reads = [
        *(("time_activity_reports", each) for each in days.values()),
        *((report, days["kept"]) for report in ("app_reports", "url_reports")),
        ("screenshots", shots),
    ]
    before = [await answer(*read) for read in reads]
    assert b'"total_seconds":600' in await answer("app_reports", days["old"])
    assert run("retain", "--organization", str(studio.id), "--objects", "gone.ndjson").code == 0
    assert [await answer(*read) for read in reads] == before
    assert b'"total_seconds":0' in await answer("app_reports", days["old"])


def test_all_organizations_are_retained(run: Run, own_url: str, database: Rows) -> None:
    studios = sorted((Studio(database), Studio(database)), key=lambda studio: studio.id)
    result = run("retain", "--all", "--objects", "gone.ndjson", "--batch", "1", url=own_url)
    assert (result.code, result.out) == (0, "".join(studio.lines(1, 1, 1) for studio in studios))


def test_shorter_retention_drops_more(run: Run, studio: Studio) -> None:
    set_ = ("organizations", "set-retention", str(studio.id), "--screenshots", "30")
    assert run(*set_) == CommandResult(0, "", "")
    shown = json.loads(run("organizations", "show", str(studio.id)).out)
    assert shown["data_retention_days"] == DAYS | {"screenshots": 30}
    result = run("retain", "--organization", str(studio.id), "--dry-run")
    assert [line.split("\t")[3] for line in result.out.splitlines()[:3]] == ["2 dropped", "1 dropped", "1 dropped"]


def test_held_row_is_left_with_exit_code_1(run: Run, studio: Studio, owner_url: str) -> None:
    words = ("retain", "--organization", str(studio.id), "--objects", "gone.ndjson")
    with session(owner_url, studio.id) as holder:
        holder.run("SELECT FROM screenshots WHERE organization_id = %(o)s FOR UPDATE")
        result = run(*words)
    assert (result.code, result.out) == (1, studio.lines(0, 1, 1))
    sentence = "orgdata: Other transactions held some rows, which stay: run the command again."
    assert result.err.splitlines()[-1] == sentence
    assert run(*words).out == studio.lines(1, 0, 0)


def test_file_that_cannot_be_written_keeps_the_rows(operate: Run, studio: Studio) -> None:
    words = ("retain", "--organization", str(studio.id), "--objects")
    assert_refused(
        operate(*words, "absent/gone.ndjson"), "absent/gone.ndjson cannot be written: No such file or directory."
    )
    assert operate(*words, "gone.ndjson").out == studio.lines(1, 1, 1)


def test_interrupt_keeps_what_was_dropped(run: Run, studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    words = ("retain", "--organization", str(studio.id), "--objects", "gone.ndjson")
    with monkeypatch.context() as patch:
        patch.setattr("rest_facade.commands.retention.retain.list_objects", interrupt)
        sentence = "orgdata: Interrupted. What was dropped stays dropped; run the command again.\n"
        assert run(*words) == CommandResult(130, "", sentence)
    assert run(*words)[:2] == (0, studio.lines(1, 1, 1))


def test_row_at_the_start_of_the_first_day_is_kept(run: Run, rows: Rows) -> None:
    zone = "Pacific/Auckland"
    own = rows.organization(timezone=zone, data_retention_days=DAYS | {"screenshots": 7})
    user, today = rows.member(own), local_date(zone, datetime.now(UTC))
    for day in (8, 7, 6, 5):
        start = day_start(zone, today - timedelta(days=day))
        rows.screenshot(own, user, captured_at=start)
        rows.screenshot(own, user, captured_at=start - timedelta(seconds=1))
    result = run("retain", "--organization", str(own), "--dry-run")
    assert result.out.splitlines()[0] == f"{own}\tscreenshots\tbefore {today - timedelta(days=6)}\t5 dropped"
