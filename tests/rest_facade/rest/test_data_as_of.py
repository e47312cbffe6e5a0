"""Header X-Data-As-Of: its value, and which responses have it."""

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import httpx2 as httpx
import pytest

from db.reading.data_as_of import UNKNOWN
from db.reading.query_stats import QueryStats
from rest_facade.rest.request import data_as_of
from tests.conftest import Connect
from tests.factories.rows import Rows

MOMENT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("moment", "header"),
    [
        (MOMENT, "2026-03-02T09:00:00.000000Z"),
        (MOMENT + timedelta(microseconds=1), "2026-03-02T09:00:00.000001Z"),
        (UNKNOWN, None),
        (None, None),
    ],
)
def test_value_is_rfc_3339_with_z(moment: datetime | None, header: str | None) -> None:
    assert data_as_of(QueryStats(data_as_of=moment)) == header


async def test_responses_of_data_have_the_moment(http: httpx.AsyncClient) -> None:
    before = datetime.now(UTC)
    statuses = {}
    for path in (f"/v1/projects/{uuid4()}/", "/v1/teams/", "/v1/teams/?limit=0", "/v1/nowhere/"):
        response = await http.get(path)
        statuses[response.status_code, path] = "x-data-as-of" in response.headers
        if "x-data-as-of" in response.headers:
            assert before <= datetime.fromisoformat(response.headers["x-data-as-of"]) <= datetime.now(UTC)
    assert list(statuses.values()) == [True, True, False, False]
    assert [status for status, _ in statuses] == [404, 200, 400, 404]


async def test_moment_can_be_sent_as_updated_since(rows: Rows, client: Connect, organization: UUID, key: str) -> None:
    async with client(key) as http:
        moment = (await http.get("/v1/teams/")).headers["x-data-as-of"]
        team = rows.team(organization, updated_at=datetime.now(UTC))
        response = await http.get("/v1/teams/", params={"updated_since": moment})
        assert [item["id"] for item in response.json()["results"]] == [str(team)]
