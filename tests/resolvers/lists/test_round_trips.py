"""Round trips of lists: what waits for the zone of the organization, for a check or for a parent is read beside it."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import update

from db.tables.people import organizations
from rest_facade.composition import Service
from tests.factories.base import THEN
from tests.factories.rows import Rows
from tests.resolvers.answers import data_of, refusals
from tests.root_lists import root_document, root_lists

CLOCK_RECORDS = """
query ($day: Date!, $timezone: Timezone, $team: UUID, $after: String) {
  clockinouts(start_date: $day, end_date: $day, timezone: $timezone, team_id: $team, after: $after) {
    results { date break_seconds breaks { started_at } user { full_name } }
  }
}
"""
OVERDUE = "query { invoices(is_overdue: true) { results { is_overdue client_name taxes { name } } } }"
PAYMENTS = """
query ($id: UUID!, $current: Boolean! = false, $limit: Int! = 5) {
  member(id: $id, current: $current) {
    one: hourly_payment_logs { count results { lines { rate } } }
    other: hourly_payment_logs(limit: $limit) { results { lines_truncated } }
  }
}
"""


class Reading:
    """Executes operations. `round_trips` are the numbers of statements in those of the last one."""

    def __init__(self, service: Service, sent: list[Any]) -> None:
        self._database, self._sent = service.database, sent

    @property
    def round_trips(self) -> list[int]:
        return [*map(len, self._sent)]

    async def data(self, document: str, own: UUID, variables: dict[str, Any]) -> Any:
        self._sent.clear()
        return await data_of(self._database, own, document, **variables)

    async def refusal(self, document: str, own: UUID, variables: dict[str, Any]) -> str:
        self._sent.clear()
        [message] = await refusals(self._database, own, document, **variables)
        return message


@pytest.fixture
def reading(service: Service, round_trips: list[Any]) -> Reading:
    return Reading(service, round_trips)


def set_zone(rows: Rows, own: UUID, zone: str) -> None:
    with rows.transaction(own):
        is_own = organizations.c.organization_id == own
        rows.connection.execute(update(organizations).where(is_own).values(timezone=zone))


async def test_known_zone_is_read_with_the_page(reading: Reading, rows: Rows) -> None:
    own = rows.organization(timezone="Asia/Tokyo")
    user = rows.member(own)
    # 20:00 on Sunday in UTC is Monday in Tokyo, and Sunday in Lima.
    record = rows.clock_record(own, user, clock_in_at=THEN - timedelta(hours=13))
    rows.break_time(own, user, clock_record_id=record, started_at=THEN - timedelta(hours=12))
    monday = THEN.date()

    async def dates(day: date, **variables: Any) -> list[date]:
        data = await reading.data(CLOCK_RECORDS, own, {"day": day, **variables})
        return [date.fromisoformat(row["date"]) for row in data["clockinouts"]["results"]]

    assert (await dates(monday), reading.round_trips) == ([monday], [1, 1, 2])
    assert (await dates(monday), reading.round_trips) == ([monday], [2, 2])
    sunday = monday - timedelta(days=1)
    assert (await dates(sunday, timezone="UTC"), reading.round_trips) == ([sunday], [1, 2])
    # Another zone: the page that was read with it is not the result.
    set_zone(rows, own, "America/Lima")
    assert (await dates(monday), reading.round_trips) == ([], [2, 1])
    set_zone(rows, own, "Asia/Tokyo")
    assert (await dates(monday), reading.round_trips) == ([monday], [2, 1, 2])
    # The same zone again: rows that changed with it are not those that were read.
    set_zone(rows, own, "America/Lima")
    set_zone(rows, own, "Asia/Tokyo")
    assert (await dates(monday), reading.round_trips) == ([monday], [2, 1, 2])
    assert (await dates(monday), reading.round_trips) == ([monday], [2, 2])


async def test_today_is_of_the_zone_read_with_the_page(reading: Reading, rows: Rows) -> None:
    own = rows.organization()
    rows.invoice(own, rows.client(own), subtotal=5, status="sent", due_date=date(2020, 1, 1))
    expected = {"invoices": {"results": [{"is_overdue": True, "client_name": "Globex", "taxes": []}]}}
    assert (await reading.data(OVERDUE, own, {}), reading.round_trips) == (expected, [1, 1, 1])
    assert (await reading.data(OVERDUE, own, {}), reading.round_trips) == (expected, [2, 1])


async def test_unknown_team_is_refused_in_one_round_trip(reading: Reading, rows: Rows) -> None:
    own = rows.organization()
    variables = {"day": THEN.date(), "team": uuid4()}
    for _ in range(2):
        assert await reading.refusal(CLOCK_RECORDS, own, {**variables, "after": "x"}) == "Team not found."
    assert await reading.refusal(CLOCK_RECORDS, own, variables) == "Team not found."
    assert reading.round_trips == [3]
    assert await reading.refusal(CLOCK_RECORDS, own, {**variables, "timezone": "UTC"}) == "Team not found."
    assert reading.round_trips == [2]


async def test_list_of_a_row_by_key_is_read_with_the_row(reading: Reading, rows: Rows) -> None:
    own = rows.organization()
    user = rows.member(own, status="removed")
    rows.hourly_payment_line(own, rows.hourly_payment_log(own, user), rate="1.5")
    rows.hourly_payment_log(own, rows.member(own))
    one = {"count": 1, "results": [{"lines": [{"rate": "1.5000"}]}]}
    expected = {"member": {"one": one, "other": {"results": [{"lines_truncated": False}]}}}
    assert await reading.data(PAYMENTS, own, {"id": user}) == expected
    assert reading.round_trips == [3, 1]


async def test_missing_row_is_reported_and_not_its_lists(reading: Reading, rows: Rows) -> None:
    own = rows.organization()
    removed = rows.member(own, status="removed")
    for variables in ({"id": uuid4()}, {"id": uuid4(), "limit": 0}, {"id": removed, "current": True}):
        assert await reading.refusal(PAYMENTS, own, variables) == "Member not found."
        assert len(reading.round_trips) == 1
    assert await reading.refusal(PAYMENTS, own, {"id": removed, "limit": 0}) == "limit must be from 1 to 100."


@pytest.mark.parametrize("name", root_lists())
async def test_list_without_path_takes_two_round_trips_at_most(name: str, reading: Reading, rows: Rows) -> None:
    own = rows.organization()
    rows.payable(own, rows.member(own))
    since = datetime.now(UTC).isoformat()
    for arguments in ({}, {"updated_since": f'"{since}"'}):
        document = root_document(name, arguments)
        for expected in (2, 1):
            await reading.data(document, own, {})
            assert len(reading.round_trips) <= expected, "the second time, the zone is known"
            assert sum(reading.round_trips) <= 2, "the page and the zone"
