"""Screenshots and suspicious activity logs are read by index; logs and timesheets show their screenshots."""

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta
from hashlib import md5
from typing import Any
from uuid import UUID

import pytest

from db.sample.embedded.server import Server
from resolvers.activity import SUSPICIOUS_ACTIVITY
from resolvers.context import Context
from rest_facade.composition import Service
from schema.execution.executor import Executor
from schema.execution.operation import Operation
from tests.factories.base import THEN
from tests.factories.rows import Rows
from tests.resolvers.explaining import Explaining, filled

pytestmark = pytest.mark.anyio

FILL = """
CREATE FUNCTION pg_temp.id(kind text, n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE
AS $$ SELECT md5(kind || n)::uuid $$;

CREATE TEMP TABLE made AS
SELECT pg_temp.id('organization', o) AS o, pg_temp.id('user', n) AS u, n
FROM generate_series(1, 2) o, generate_series(1, 20) n;

INSERT INTO organizations (organization_id, name, timezone, currency)
SELECT DISTINCT o, 'O', 'UTC', 'EUR' FROM made;

INSERT INTO members (organization_id, user_id, membership_id, full_name)
SELECT o, u, pg_temp.id('membership', n), 'Member ' || n FROM made;

INSERT INTO screenshots (organization_id, id, user_id, captured_at)
SELECT o, gen_random_uuid(), u, timestamptz '2026-01-05 00:00Z' + s * interval '30 minutes'
FROM made, generate_series(0, 199) s;

INSERT INTO timesheets (organization_id, id, user_id, started_at, ended_at, tracked_until)
SELECT o, pg_temp.id('sheet', n), u, '2026-01-06 08:00Z', '2026-01-06 12:00Z', '2026-01-06 12:00Z' FROM made;

UPDATE screenshots SET timesheet_id = timesheets.id FROM timesheets
WHERE screenshots.organization_id = timesheets.organization_id AND screenshots.user_id = timesheets.user_id
  AND captured_at BETWEEN started_at AND ended_at - interval '1 minute';

INSERT INTO suspicious_activity_logs (organization_id, id, user_id, type, severity, started_at, ended_at, created_at)
SELECT o, gen_random_uuid(), u, 'other', 'low', at, at, at
FROM made, generate_series(timestamptz '2026-01-01 00:00Z', '2026-04-10', '1 day') at;

VACUUM ANALYZE
"""

OWN, ADA, SHEET = (UUID(md5(name.encode()).hexdigest()) for name in ("organization1", "user7", "sheet7"))


@pytest.fixture
async def explaining(own_url: str, server: Server) -> AsyncIterator[Explaining]:
    """A database with 8,000 screenshots, 48 of each person and day, and 4,000 logs, one of each."""
    async with filled(own_url, server, FILL) as database:
        yield database


async def test_screenshots_are_read_by_index(explaining: Explaining, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("resolvers.context.clock", lambda: datetime(2026, 1, 9, tzinfo=UTC))
    day = Operation(
        """
        query ($user_id: UUID!, $date: Date!, $timezone: Timezone) {
          screenshots(user_id: $user_id, date: $date, timezone: $timezone) { captured_at }
        }
        """
    )
    variables = {"user_id": ADA, "date": "2026-01-06", "timezone": "UTC"}
    result = await Executor(explaining).execute(day, OWN, variables)
    assert result.data is not None
    assert len(result.data["screenshots"]) == 48
    _, plan = explaining.plans
    assert "screenshots_organization_id_user_id_captured_at" in plan
    assert "Seq Scan on screenshots" not in plan


async def test_suspicious_activity_is_read_by_index(explaining: Explaining) -> None:
    day = {"start_date": date(2026, 2, 1), "end_date": date(2026, 2, 1), "timezone": "UTC"}
    paging = {"page": 1, "limit": 5, "after": None}
    asks: list[tuple[dict[str, Any], int]] = [({}, 2000), ({"user_id": ADA}, 100), (day, 20)]
    for filters, count in asks:
        explaining.plans.clear()
        page, _ = await SUSPICIOUS_ACTIVITY.page(Context(explaining, OWN), {"timezone": "UTC", **paging, **filters})
        assert (page.count, len(page.results)) == (count, 5)
        (plan,) = explaining.plans
        if filters:
            assert "Seq Scan on suspicious_activity_logs" not in plan, plan


async def test_evidence_shows_its_screenshots_in_order(service: Service, rows: Rows) -> None:
    own = rows.organization()
    user = rows.member(own)
    ids = [rows.screenshot(own, user) for _ in range(2)]
    deleted = rows.screenshot(own, user, deleted_at=THEN)
    rows.suspicious_activity_log(
        own, user, evidence={"screenshot_ids": [str(each) for each in (ids[1], deleted, ids[0])]}
    )
    operation = Operation("{ suspicious_activity_logs { results { evidence { screenshots { id } } } } }")
    result = await Executor(service.database).execute(operation, own, {})
    assert result.data is not None
    (log,) = result.data["suspicious_activity_logs"]["results"]
    assert [each["id"] for each in log["evidence"]["screenshots"]] == [ids[1], ids[0]]


async def test_timesheets_show_the_screenshots_taken_in_them(service: Service, rows: Rows) -> None:
    own = rows.organization()
    user, other = rows.member(own), rows.member(own)
    late = THEN + timedelta(hours=23)
    sheets = [
        rows.timesheet(own, user, started_at=THEN, ended_at=THEN + timedelta(days=1)),
        rows.timesheet(own, user, started_at=THEN + timedelta(days=1)),
        rows.timesheet(own, other),
    ]
    first = rows.screenshot(own, user, timesheet_id=sheets[0])
    second_screen = rows.screenshot(own, user, timesheet_id=sheets[0], captured_at=late, screen_index=1)
    first_screen = rows.screenshot(own, user, timesheet_id=sheets[0], captured_at=late)
    of_other = rows.screenshot(own, other, timesheet_id=sheets[2], captured_at=THEN + timedelta(minutes=5))
    rows.screenshot(own, user, captured_at=late)
    rows.screenshot(own, user, timesheet_id=sheets[0], captured_at=late, deleted_at=THEN)
    operation = Operation("query q($ids: [UUID!]!) { timesheets_by_id(ids: $ids) { screenshots { id date } } }")
    result = await Executor(service.database).execute(operation, own, {"ids": sheets})
    assert result.data is not None
    found = [[each["id"] for each in sheet["screenshots"]] for sheet in result.data["timesheets_by_id"]]
    assert found == [[first, first_screen, second_screen], [], [of_other]]


async def test_screenshots_of_timesheets_are_read_by_person_and_time(explaining: Explaining, rows: Rows) -> None:
    operation = Operation("query q($ids: [UUID!]!) { timesheets_by_id(ids: $ids) { screenshots { id } } }")
    result = await Executor(explaining).execute(operation, OWN, {"ids": [SHEET]})
    assert result.data is not None
    (sheet,) = result.data["timesheets_by_id"]
    assert len(sheet["screenshots"]) == 8
    assert "screenshots_organization_id_user_id_captured_at" in explaining.plans[-1], explaining.plans
