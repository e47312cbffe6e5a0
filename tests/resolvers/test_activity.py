"""Logs of suspicious activity and timesheets show their screenshots."""

from datetime import timedelta
from uuid import UUID

import pytest

from rest_facade.composition import Service
from tests.factories.base import THEN
from tests.factories.rows import Rows
from tests.resolvers.answers import data_of

pytestmark = pytest.mark.anyio


async def test_evidence_shows_its_screenshots_in_order(service: Service, rows: Rows) -> None:
    own = rows.organization()
    user = rows.member(own)
    ids = [rows.screenshot(own, user) for _ in range(2)]
    deleted = rows.screenshot(own, user, deleted_at=THEN)
    rows.suspicious_activity_log(
        own, user, evidence={"screenshot_ids": [str(each) for each in (ids[1], deleted, ids[0])]}
    )
    document = "{ suspicious_activity_logs { results { evidence { screenshots { id } } } } }"
    (log,) = (await data_of(service.database, own, document))["suspicious_activity_logs"]["results"]
    assert [each["id"] for each in log["evidence"]["screenshots"]] == [str(ids[1]), str(ids[0])]


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
    document = "query q($ids: [UUID!]!) { timesheets_by_id(ids: $ids) { screenshots { id date } } }"
    data = await data_of(service.database, own, document, ids=sheets)
    found = [[UUID(each["id"]) for each in sheet["screenshots"]] for sheet in data["timesheets_by_id"]]
    assert found == [[first, first_screen, second_screen], [], [of_other]]
