"""Screenshots and suspicious activity logs are read by index; a log shows the screenshots of its evidence."""

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime
from hashlib import md5
from typing import Any
from uuid import UUID

import pytest

from db.embedded.server import Server
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

INSERT INTO suspicious_activity_logs (organization_id, id, user_id, type, severity, started_at, ended_at, created_at)
SELECT o, gen_random_uuid(), u, 'other', 'low', at, at, at
FROM made, generate_series(timestamptz '2026-01-01 00:00Z', '2026-04-10', '1 day') at;

VACUUM ANALYZE
"""

OWN, ADA = (UUID(md5(name.encode()).hexdigest()) for name in ("organization1", "user7"))


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
