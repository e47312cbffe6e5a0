"""Screenshots over HTTP: those of one person and local day, with URLs that expire.

Covers `resolvers/screenshots.py`. Covers `resolvers/lists/page_arguments.py`. Covers `resolvers/signed_urls.py`.
"""

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx2 as httpx
import pytest
from pydantic import SecretStr
from sqlalchemy import text

from resolvers.signed_urls import UrlSigner
from rest_facade.composition import Service
from tests.conftest import Connect
from tests.errors import assert_error
from tests.factories.base import THEN
from tests.factories.rows import Rows
from tests.rest_facade.conftest import Vary
from tests.rest_facade.v1.conftest import Acme, SetClock

HOUR, DAY = timedelta(hours=1), timedelta(days=1)

FUTURE = "date cannot be in the future."
PAST = "date cannot be more than 179 days ago."


async def shots(http: httpx.AsyncClient, user_id: UUID, day: str, **params: Any) -> list[dict[str, Any]]:
    response = await http.get("/v1/screenshots/", params={"user_id": str(user_id), "date": day, **params})
    assert response.status_code == 200, response.text
    body = response.json()
    assert isinstance(body, list)
    return body


async def test_screenshot_without_object_store_has_no_urls(
    acme: Acme, rows: Rows, http: httpx.AsyncClient, is_now: SetClock
) -> None:
    is_now("2026-01-07T12:00:00Z")
    rows.screenshot(acme.id, acme.ada, thumbnail_key="thumbnail.jpg")
    (shot,) = await shots(http, acme.ada, "2026-01-05")
    assert shot["status"] == "available"
    assert shot["image_url"] is shot["thumbnail_url"] is shot["urls_expire_at"] is None


@pytest.fixture
async def with_store(vary: Vary) -> AsyncIterator[Service]:
    """The service, with a store of objects."""
    store = {"screenshot_url": "https://img.example/x", "screenshot_key": SecretStr("a secret of the store")}
    async with vary(**store) as service:
        yield service


async def test_available_screenshot_has_urls_for_15_minutes(
    acme: Acme, rows: Rows, client: Connect, with_store: Service, is_now: SetClock
) -> None:
    is_now("2026-01-05T12:00:00.999999Z")
    # 12:15 is 1767615300. The signatures were made with OpenSSL.
    ends, head, expires = "2026-01-05T12:15:00Z", "https://img.example/x", "?expires=1767615300&signature="
    first = f"{head}/2026/a%20b.jpg{expires}a731d5733b78d6a624b09eaa54c50c91f4e6cebe44bb874ef6bc2258311f33d7"
    thumbnail = f"{head}/t.jpg{expires}25921cc1bcaa382998da8b001513284b8f694997f4e98e95083173133d9fbd94"
    second = f"{head}/2026/only.jpg{expires}5c130cded31e49860d66745e56a3aa2a0a5a376c0dcb867be41d7f23a45c117f"
    made: list[tuple[dict[str, Any], tuple[Any, Any, Any]]] = [
        ({"object_key": "2026/a b.jpg", "thumbnail_key": "t.jpg"}, (first, thumbnail, ends)),
        ({"object_key": "2026/only.jpg"}, (second, None, ends)),
        ({"status": "processing", "object_key": None}, (None, None, None)),
        ({"status": "deleted", "thumbnail_key": "t.jpg"}, (None, None, None)),
        ({"status": "expired", "thumbnail_key": "t.jpg"}, (None, None, None)),
    ]
    for n, (given, _) in enumerate(made):
        rows.screenshot(acme.id, acme.ada, screen_index=n, **given)
    found = await shots(client(acme.key, of=with_store), acme.ada, "2026-01-05")
    urls = [(shot["image_url"], shot["thumbnail_url"], shot["urls_expire_at"]) for shot in found]
    assert urls == [shown for _, shown in made]


def test_secret_of_urls_is_not_in_the_repr() -> None:
    assert "secret" not in repr(UrlSigner("https://img.example", "a secret of the store"))


@pytest.mark.parametrize("zone", ["Europe/Berlin"])
@pytest.mark.parametrize(
    ("now", "timezone", "today"),
    [
        # In Tokyo it is tomorrow, in Los Angeles still yesterday; Berlin is the organization's.
        ("2026-06-30T15:00:00Z", "Asia/Tokyo", date(2026, 7, 1)),
        ("2026-06-30T14:59:59Z", "Asia/Tokyo", date(2026, 6, 30)),
        ("2026-06-30T06:59:59Z", "America/Los_Angeles", date(2026, 6, 29)),
        ("2026-06-30T07:00:00Z", "America/Los_Angeles", date(2026, 6, 30)),
        ("2026-06-30T21:59:59Z", None, date(2026, 6, 30)),
        ("2026-06-30T22:00:00Z", None, date(2026, 7, 1)),
        # A leap day lies between.
        ("2024-03-01T00:00:00Z", "UTC", date(2024, 3, 1)),
    ],
)
async def test_screenshots_are_of_the_last_180_local_days(
    now: str, timezone: str | None, today: date, acme: Acme, http: httpx.AsyncClient, is_now: SetClock
) -> None:
    is_now(now)
    more = {} if timezone is None else {"timezone": timezone}
    for days, message in [(1, FUTURE), (0, None), (-179, None), (-180, PAST), (400, FUTURE), (-700_000, PAST)]:
        day = (today + days * DAY).isoformat()
        response = await http.get("/v1/screenshots/", params={"user_id": str(acme.ada), "date": day, **more})
        if message is None:
            assert (response.status_code, response.json()) == (200, [])
        else:
            assert_error(response, 400, "VALIDATION_ERROR", message, {"date": [message]})


async def test_screenshots_of_unknown_user_are_404_after_400(
    acme: Acme, rows: Rows, http: httpx.AsyncClient, is_now: SetClock
) -> None:
    is_now("2026-01-07T12:00:00Z")
    stranger = rows.member(rows.organization())
    former = rows.member(acme.id, status="removed")
    for user in (uuid4(), stranger):
        response = await http.get("/v1/screenshots/", params={"user_id": str(user), "date": "2026-01-07"})
        assert_error(response, 404, "RESOURCE_NOT_FOUND", "Member not found.")
        response = await http.get("/v1/screenshots/", params={"user_id": str(user), "date": "2026-01-08"})
        assert_error(response, 400, "VALIDATION_ERROR", FUTURE)
    rows.screenshot(acme.id, former)
    assert len(await shots(http, former, "2026-01-05")) == 1


async def test_screenshots_are_filtered_by_user_day_and_project(
    acme: Acme, rows: Rows, http: httpx.AsyncClient, is_now: SetClock
) -> None:
    is_now("2026-04-01T12:00:00Z")
    # The clocks of Berlin go forward: its 29 March lasts from 23:00Z to 22:00Z.
    low, high = datetime(2026, 3, 28, 23, tzinfo=UTC), datetime(2026, 3, 29, 22, tzinfo=UTC)
    second = timedelta(seconds=1)
    made: list[tuple[datetime, dict[str, Any]]] = [
        (low - second, {}),
        (low, {}),
        (low + HOUR, {"project_id": acme.project}),
        (high - second, {}),
        (high, {}),
        (low + HOUR, {"deleted_at": THEN}),
    ]
    for n, (moment, given) in enumerate(made):
        rows.screenshot(acme.id, acme.ada, captured_at=moment, app_name=str(n), **given)
    rows.screenshot(acme.id, acme.bob, captured_at=low, app_name="his")

    async def found(day: str = "2026-03-29", **params: str) -> list[tuple[str, str]]:
        return [(shot["app_name"], shot["date"]) for shot in await shots(http, acme.ada, day, **params)]

    berlin = {"timezone": "Europe/Berlin"}
    assert await found(**berlin) == [("1", "2026-03-29"), ("2", "2026-03-29"), ("3", "2026-03-29")]
    assert await found("2026-03-28", **berlin) == [("0", "2026-03-28")]
    assert await found("2026-03-30", **berlin) == [("4", "2026-03-30")]
    assert await found() == [("2", "2026-03-29"), ("3", "2026-03-29"), ("4", "2026-03-29")]
    assert await found(**berlin, project_id=str(acme.project)) == [("2", "2026-03-29")]
    assert await found(**berlin, project_id=str(uuid4())) == []


def take_many(rows: Rows, acme: Acme, count: int) -> None:
    """A screenshot of hers in each of so many seconds of 6 January."""
    many = (
        "INSERT INTO screenshots (organization_id, id, user_id, captured_at)"
        " SELECT :own, gen_random_uuid(), :ada, timestamptz '2026-01-06 00:00Z' + n * interval '1 second'"
        " FROM generate_series(1, :count) n"
    )
    with rows.transaction(acme.id):
        rows.connection.execute(text(many), {"own": acme.id, "ada": acme.ada, "count": count})


async def test_screenshots_are_sorted_and_all_of_the_day(
    acme: Acme, rows: Rows, http: httpx.AsyncClient, is_now: SetClock
) -> None:
    is_now("2026-01-07T12:00:00Z")
    ids = sorted(uuid4() for _ in range(2))
    for id_, minutes, screen in [(ids[1], 1, 0), (ids[0], 1, 0), (uuid4(), 1, 2), (uuid4(), 0, 1), (uuid4(), 1, 1)]:
        rows.screenshot(acme.id, acme.ada, id=id_, captured_at=THEN + timedelta(minutes=minutes), screen_index=screen)
    found = await shots(http, acme.ada, "2026-01-05")
    order = [(shot["captured_at"][14:16], shot["screen_index"]) for shot in found]
    assert order == [("00", 1), ("01", 0), ("01", 0), ("01", 1), ("01", 2)]
    assert [shot["id"] for shot in found[1:3]] == list(map(str, ids))


async def test_array_is_whole_or_refused(acme: Acme, rows: Rows, http: httpx.AsyncClient, is_now: SetClock) -> None:
    is_now("2026-01-07T12:00:00Z")
    take_many(rows, acme, 10000)
    assert len(await shots(http, acme.ada, "2026-01-06", page="2", limit="1")) == 10000
    take_many(rows, acme, 2)
    response = await http.get("/v1/screenshots/", params={"user_id": str(acme.ada), "date": "2026-01-06"})
    message = "User has 10002 screenshots on this day; maximum is 10000. Send project_id."
    assert_error(response, 400, "VALIDATION_ERROR", message, {"log_count": 10002, "log_cap": 10000})
