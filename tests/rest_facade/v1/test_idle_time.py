"""Idle time over HTTP: pages of whole users, by cursor. Covers `resolvers/reports/idle_time.py`."""

from datetime import datetime, timedelta
from typing import Any, NamedTuple
from urllib.parse import urlencode
from uuid import UUID, uuid4

import httpx2 as httpx
import pytest
from sqlalchemy import delete, text

from db.tables.people import members
from rest_facade.composition import Service
from schema.execution.operation import Operation
from tests.conftest import Connect
from tests.errors import assert_error
from tests.factories.base import THEN
from tests.factories.rows import Rows
from tests.local_days import clock, first_moment
from tests.rest_facade.v1.conftest import at, fill

PATH = "/v1/timesheet_idle_times/"
HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
PEOPLE = 5

# THEN is in the morning of its first day.
RANGE = {"start_date": "2026-01-05", "end_date": "2026-01-06"}


class Acme(NamedTuple):
    """An organization with a few people, in the order of their pages; the last two were created together."""

    id: UUID
    key: str
    people: list[UUID]


@pytest.fixture
def acme(rows: Rows) -> Acme:
    own = rows.organization()
    rows.quota(own, 1000)
    made = sorted(uuid4() for _ in range(PEOPLE))
    for number, user_id in enumerate(made):
        rows.member(own, user_id=user_id, created_at=THEN + min(number, PEOPLE - 2) * HOUR)
    return Acme(own, rows.partner_key(own), made)


async def get(http: httpx.AsyncClient, **params: Any) -> dict[str, Any]:
    response = await http.get(PATH, params=RANGE | params)
    assert response.status_code == 200, response.text
    body: dict[str, Any] = response.json()
    return body


async def walk(http: httpx.AsyncClient, limits: list[int], **params: Any) -> list[dict[str, Any]]:
    """All pages; the limits are used in rotation."""
    pages = [await get(http, limit=limits[0], **params)]
    while pages[-1]["pagination"]["has_more"]:
        limit = limits[len(pages) % len(limits)]
        pages.append(await get(http, limit=limit, cursor=pages[-1]["pagination"]["next_cursor"], **params))
        assert len(pages) < 100
    return pages


def users(*pages: dict[str, Any]) -> list[UUID]:
    return [UUID(result["user"]["user_id"]) for page in pages for result in page["results"]]


async def test_users_show_timesheets_with_idle_times(http: httpx.AsyncClient, acme: Acme, rows: Rows) -> None:
    first, second = acme.people[:2]
    project = rows.project(acme.id)
    late = rows.timesheet(acme.id, first, started_at=THEN + 2 * HOUR)
    early = rows.timesheet(acme.id, first)
    rows.timesheet(acme.id, first, started_at=THEN + 4 * HOUR, deleted_at=THEN)
    given = {"action": "reassigned", "reason": "Standup", "updated_at": "2026-01-05T11:00:00.500000Z"}
    given |= {"reassigned_project_id": str(project), "reassigned_task_id": str(rows.task(acme.id, project))}
    other = rows.idle_time(acme.id, early, first, started_at=THEN + 30 * MINUTE, **given)
    one = rows.idle_time(acme.id, early, first, action="kept")
    rows.idle_time(acme.id, early, first, started_at=THEN + 45 * MINUTE, deleted_at=THEN)
    rows.member(acme.id, user_id=(erased := uuid4()), email=None, created_at=THEN - HOUR)
    idle_times = [
        {"id": str(one), "started_at": "2026-01-05T09:00:00Z", "ended_at": "2026-01-05T09:10:00Z"}
        | {"duration_seconds": 600, "action": "kept", "updated_at": "2026-01-05T09:00:00Z"}
        | dict.fromkeys(("reassigned_project_id", "reassigned_task_id", "reason")),
        {"id": str(other), "started_at": "2026-01-05T09:30:00Z", "ended_at": "2026-01-05T09:40:00Z"}
        | {"duration_seconds": 600, **given},
    ]
    hers = [{"id": str(early), "idle_times": idle_times}, {"id": str(late), "idle_times": []}]
    body = await get(http, limit=3)
    assert body["pagination"].pop("next_cursor")
    counts = {"limit": 3, "timesheets_cap": 1000, "users_returned": 3, "timesheets_returned": 2, "total_users": 6}
    assert body == {
        "results": [
            {"user": {"user_id": str(erased), "email": ""}, "timesheets": []},
            {"user": {"user_id": str(first), "email": f"{first}@example.com"}, "timesheets": hers},
            {"user": {"user_id": str(second), "email": f"{second}@example.com"}, "timesheets": []},
        ],
        "pagination": {**counts, "has_more": True},
    }


async def test_timesheet_is_whole_on_the_day_of_its_start(http: httpx.AsyncClient, acme: Acme, rows: Rows) -> None:
    user = acme.people[0]
    sheet = rows.timesheet(acme.id, user, started_at=at("2026-03-28T22:30:00"), ended_at=at("2026-03-29T02:00:00"))
    # It began after the day that its timesheet began on had ended, and yet it belongs to that.
    rows.idle_time(acme.id, sheet, user, started_at=at("2026-03-29T01:00:00"))
    for zone, first, count in [
        ("Europe/Berlin", "2026-03-28", 1),
        ("Europe/Berlin", "2026-03-29", 0),
        ("Asia/Kolkata", "2026-03-28", 0),
        ("Asia/Kolkata", "2026-03-29", 1),
    ]:
        body = await get(http, start_date=first, end_date=first, timezone=zone, user_id=user)
        assert body["pagination"]["timesheets_returned"] == count
        assert [len(found["idle_times"]) for found in body["results"][0]["timesheets"]] == [1] * count


@pytest.mark.parametrize("limits", [[1], [2], [3, 1], [20], [2, 20, 1]])
async def test_pages_contain_each_user_once(http: httpx.AsyncClient, acme: Acme, rows: Rows, limits: list[int]) -> None:
    for user in acme.people:
        rows.timesheet(acme.id, user)
    pages = await walk(http, limits)
    assert users(*pages) == acme.people
    for number, page in enumerate(pages):
        pagination, shown = page["pagination"], len(page["results"])
        assert (pagination["total_users"], pagination["limit"]) == (PEOPLE, limits[number % len(limits)])
        assert (pagination["users_returned"], pagination["timesheets_returned"]) == (shown, shown)
        assert pagination["has_more"] is (pagination["next_cursor"] is not None) is (number < len(pages) - 1)


async def test_page_ends_before_timesheets_that_do_not_fit(http: httpx.AsyncClient, acme: Acme, rows: Rows) -> None:
    for user, count in zip(acme.people, (600, 400, 1, 1000, 0), strict=True):
        if count:
            fill(rows, acme.id, user, count)
    pages = await walk(http, [20])
    assert [users(page) for page in pages] == [acme.people[:2], acme.people[2:3], acme.people[3:]]
    assert [page["pagination"]["timesheets_returned"] for page in pages] == [1000, 1, 1000]
    assert [page["pagination"]["total_users"] for page in pages] == [PEOPLE] * 3
    for page in pages:
        assert sum(len(result["timesheets"]) for result in page["results"]) == page["pagination"]["timesheets_returned"]


async def test_user_over_the_cap_is_refused_on_their_page(http: httpx.AsyncClient, acme: Acme, rows: Rows) -> None:
    fill(rows, acme.id, acme.people[1], 1001)
    first = await get(http, limit=20)
    assert users(first) == acme.people[:1]
    message = "User has 1001 timesheets in range; maximum is 1000. Narrow start_date/end_date."
    details = {"timesheets_in_range": 1001, "timesheets_cap": 1000}
    for params in ({"cursor": first["pagination"]["next_cursor"]}, {"user_id": str(acme.people[1])}):
        response = await http.get(PATH, params=RANGE | params)
        assert_error(response, 400, "VALIDATION_ERROR", message, details)
        assert ("link" in response.headers) == ("cursor" in params), "the only person is also the last"
    # A timesheet that started before the range does not count, though it overlaps it.
    rows.timesheet(acme.id, acme.people[0], started_at=at("2026-01-04T23:00:00"), ended_at=at("2026-01-05T01:00:00"))
    assert (await get(http, limit=1))["pagination"]["timesheets_returned"] == 0


async def test_deleted_user_takes_no_place_on_a_page(http: httpx.AsyncClient, acme: Acme, rows: Rows) -> None:
    gone = rows.member(acme.id, created_at=THEN - HOUR, deleted_at=THEN)
    fill(rows, acme.id, gone, 1001)
    page = await get(http, updated_since="2026-01-05T00:00:00Z", limit=20)
    assert users(page) == [gone, *acme.people]
    assert page["pagination"]["timesheets_returned"] == 0


async def test_refusal_of_a_user_links_to_the_page_behind(http: httpx.AsyncClient, acme: Acme, rows: Rows) -> None:
    for user in (acme.people[0], acme.people[2], acme.people[-1]):
        fill(rows, acme.id, user, 1001)
    url, found, refused = f"{PATH}?{urlencode(RANGE | {'limit': '2'})}", [], 0
    while url:
        response = await http.get(url)
        if response.status_code == 200:
            found += users(response.json())
            cursor = response.json()["pagination"]["next_cursor"]
            url = f"{PATH}?{urlencode({'limit': '2', 'cursor': cursor})}" if cursor else ""
        else:
            refused += 1
            link = response.headers.get("link", "")
            assert link == "" or link.endswith('>; rel="next"')
            url = link.removesuffix('>; rel="next"').removeprefix("<")
    assert refused == 3
    assert found == [acme.people[1], *acme.people[3:-1]]


async def test_refusal_in_graphql_has_the_cursor_behind(service: Service, acme: Acme, rows: Rows) -> None:
    fill(rows, acme.id, acme.people[0], 1001)
    walk = Operation(
        "query ($cursor: String) { timesheet_idle_times("
        'start_date: "2026-01-05", end_date: "2026-01-06", limit: 20, cursor: $cursor) { results { user { email } } } }'
    )
    refused = await service.public.executor.execute(walk, acme.id, {})
    assert refused.errors is not None
    behind = {"cursor": (refused.errors[0].extensions or {})["next_cursor"]}
    result = await service.public.executor.execute(walk, acme.id, behind)
    assert result.errors is None
    assert result.data is not None
    assert len(result.data["timesheet_idle_times"]["results"]) == PEOPLE - 1


async def test_other_requests_cursor_is_400(http: httpx.AsyncClient, acme: Acme, rows: Rows, client: Connect) -> None:
    team = rows.team(acme.id)
    rows.team_member(acme.id, team, acme.people[0])
    rows.team_member(acme.id, team, acme.people[2], deleted_at=THEN)
    assert users(await get(http, team_id=team)) == [acme.people[0]], "a team has its current members"
    cursor = (await get(http, limit=1))["pagination"]["next_cursor"]
    hint = (await http.get("/v1/time_activity_reports/", params=RANGE | {"limit": "1"})).json()["next"]
    broken = [
        *("", "abc", "YWJj", "!" * 100, "x" * 10_000, "\0", cursor[:-1], cursor[1:], f"{cursor}=", f" {cursor}"),
        *(f"{cursor}\n", cursor.swapcase(), cursor[:4] + ("A" if cursor[4] != "A" else "B") + cursor[5:]),
    ]
    for changed in [
        *({"cursor": wrong} for wrong in (*broken, hint.rsplit("after=", 1)[1])),
        {"end_date": "2026-01-07"},
        {"start_date": "2026-01-04"},
        {"timezone": "Asia/Tokyo"},
        {"user_id": str(acme.people[2])},
        {"team_id": str(team)},
        {"updated_since": "2020-01-01"},
    ]:
        response = await http.get(PATH, params=RANGE | {"cursor": cursor} | changed)
        assert_error(response, 400, "VALIDATION_ERROR", "Invalid cursor.", {"cursor": ["Invalid cursor."]})
    response = await client(rows.partner_key(rows.organization())).get(PATH, params=RANGE | {"cursor": cursor})
    assert_error(response, 400, "VALIDATION_ERROR", "Invalid cursor.")
    assert users(await get(http, limit=1, cursor=cursor)) == [acme.people[1]]


async def test_new_zone_returns_everybody_on_each_page(http: httpx.AsyncClient, acme: Acme, rows: Rows) -> None:
    moved = text(
        "UPDATE organizations SET timezone = 'Asia/Tokyo' WHERE organization_id = :own RETURNING report_changed_at"
    )
    with rows.transaction(acme.id):
        since = rows.connection.execute(moved, {"own": acme.id}).scalar_one()
    assert users(*await walk(http, [2], updated_since=since.isoformat())) == acme.people


async def test_walk_without_dates_is_of_the_last_31_days(http: httpx.AsyncClient, acme: Acme, rows: Rows) -> None:
    zone = "Pacific/Kiritimati"
    today = datetime.now(clock(zone)).date()
    first = first_moment(zone, today - timedelta(days=30))
    for started_at in (first - HOUR, first, first_moment(zone, today)):
        rows.timesheet(acme.id, acme.people[1], started_at=started_at, ended_at=started_at + MINUTE)
    found: list[dict[str, Any]] = []
    query = {"timezone": zone, "limit": "1"}
    while query:
        page = (await http.get(PATH, params=query)).json()
        found += page["results"]
        cursor = page["pagination"]["next_cursor"]
        half = await http.get(PATH, params={"cursor": cursor or "", "start_date": str(today)})
        assert_error(half, 400, "VALIDATION_ERROR", "start_date and end_date are required.")
        query = {"cursor": cursor, "limit": "1"} if cursor else {}
    assert [UUID(result["user"]["user_id"]) for result in found] == acme.people
    assert [len(result["timesheets"]) for result in found] == [0, 2, 0, 0, 0]


async def test_cursor_of_a_deleted_user_is_valid(http: httpx.AsyncClient, acme: Acme, rows: Rows) -> None:
    cursor = (await get(http, limit=2))["pagination"]["next_cursor"]
    with rows.transaction(acme.id):
        rows.connection.execute(delete(members).where(members.c.user_id == acme.people[1]))
    rows.member(acme.id, created_at=THEN - HOUR)
    page = await get(http, cursor=cursor)
    assert users(page) == acme.people[2:]
    assert page["pagination"]["total_users"] == PEOPLE, "as it was when the walk began"
