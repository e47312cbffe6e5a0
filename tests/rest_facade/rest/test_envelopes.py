"""The shapes of an answer: what each tier allows to ask for, and how one page leads to the next."""

from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx2 as httpx
import pytest

from rest_facade.rest.envelopes import ARRAY, CURSOR, REPORT, SINGLE, STANDARD, Cursor, Offset, Unpaged
from rest_facade.rest.errors import Refused
from tests.conftest import Connect
from tests.factories.rows import Rows

pytestmark = pytest.mark.anyio


class Told:
    """Links that say what they were asked for."""

    def page(self, number: int, position: str | None) -> str:
        return f"page {number}" + (f" after {position}" if position is not None else "")

    def cursor(self, position: str) -> str:
        return f"sealed {position}"


@pytest.mark.parametrize(
    ("tier", "given", "values"),
    [
        (STANDARD, {}, {"limit": 50, "page": 1}),
        (STANDARD, {"limit": ["100"]}, {"limit": 100, "page": 1}),
        (STANDARD, {"limit": ["1"], "page": ["2147483647"]}, {"limit": 1, "page": 2_147_483_647}),
        (REPORT, {}, {"limit": 20, "page": 1}),
        (REPORT, {"limit": ["20"], "page": ["3"]}, {"limit": 20, "page": 3}),
        (CURSOR, {}, {"limit": 10}),
        (CURSOR, {"limit": ["20"]}, {"limit": 20}),
        (SINGLE, {"limit": ["0"], "page": ["x"], "cursor": [""]}, {}),
        (ARRAY, {"limit": ["0"], "page": ["x"], "cursor": [""]}, {}),
    ],
)
def test_each_tier_has_its_default_and_its_maximum(
    tier: Unpaged | Offset | Cursor, given: dict[str, list[str]], values: dict[str, int]
) -> None:
    tier.refuse(given)
    assert tier.read(given) == values


@pytest.mark.parametrize(
    ("tier", "given", "message"),
    [
        (STANDARD, {"limit": ["101"]}, "limit cannot exceed 100."),
        (REPORT, {"limit": ["21"]}, "limit cannot exceed 20."),
        (CURSOR, {"limit": ["21"]}, "limit cannot exceed 20."),
        (STANDARD, {"limit": ["0"]}, "limit must be >= 1."),
        (REPORT, {"limit": ["-1"]}, "limit must be >= 1."),
        (CURSOR, {"limit": ["0"]}, "limit must be >= 1."),
        (CURSOR, {"limit": ["ten"]}, "limit must be an integer."),
        (STANDARD, {"page": ["0"]}, "page must be >= 1."),
        (REPORT, {"page": ["x"]}, "page must be an integer."),
        (STANDARD, {"page": ["0"], "limit": ["0"]}, "limit must be >= 1."),
        (CURSOR, {"page": ["1"]}, "page is not supported on this endpoint; use cursor."),
        (CURSOR, {"page": [""], "limit": ["0"]}, "page is not supported on this endpoint; use cursor."),
    ],
)
def test_what_a_tier_does_not_allow_is_refused(
    tier: Offset | Cursor, given: dict[str, list[str]], message: str
) -> None:
    def read() -> None:
        tier.refuse(given)
        tier.read(given)

    with pytest.raises(Refused) as raised:
        read()
    error = raised.value.error
    assert (error.status, error.code, error.message) == (400, "VALIDATION_ERROR", message)
    assert error.details == {message.partition(" ")[0]: [message]}


@pytest.mark.parametrize(
    ("page", "count", "follows", "next_", "previous"),
    [
        (1, 0, None, None, None),
        (1, 10, None, None, None),
        (1, 11, "x", "page 2 after x", None),
        (2, 30, "x", "page 3 after x", "page 1"),
        (3, 30, None, None, "page 2"),
        (4, 30, None, None, "page 3"),
        (5, 30, None, None, "page 3"),
        (5, 31, None, None, "page 4"),
        (9_999_999, 31, None, None, "page 4"),
        (2, 0, None, None, "page 1"),
        (9_999_999, 0, None, None, "page 1"),
    ],
)
def test_a_page_leads_on_and_back(
    page: int, count: int, follows: str | None, next_: str | None, previous: str | None
) -> None:
    found = {"count": count, "next": follows, "results": ["row"]}
    shaped = STANDARD.shape(found, {"page": page, "limit": 10}, Told())
    assert shaped == {"count": count, "next": next_, "previous": previous, "results": ["row"]}
    assert list(shaped) == ["count", "next", "previous", "results"]


@pytest.mark.parametrize(("position", "cursor"), [("x", "sealed x"), (None, None)])
def test_a_cursor_is_sealed_and_everything_else_is_told_as_it_was_found(
    position: str | None, cursor: str | None
) -> None:
    pagination = {"limit": 10, "users_returned": 2, "has_more": position is not None, "next_cursor": position}
    found = {"results": ["row"], "pagination": pagination}
    assert CURSOR.shape(found, {"limit": 10}, Told()) == {
        "results": ["row"],
        "pagination": {**pagination, "next_cursor": cursor},
    }
    assert pagination["next_cursor"] == position


@pytest.mark.parametrize("found", [{"id": 1}, [], [{"id": 1}]])
def test_an_object_and_an_array_are_answered_as_they_are(found: Any) -> None:
    assert SINGLE.shape(found, {}, Told()) is found
    assert ARRAY.shape(found, {}, Told()) is found


# What a client sees


@pytest.fixture(scope="module")
def key(rows: Rows) -> str:
    own = rows.organization()
    rows.quota(own, 100_000)
    for number in range(7):
        rows.client(own, name=f"50% \N{LATIN SMALL LETTER E WITH ACUTE}+&=#/?;_{number}")
    rows.client(own, name="Another")
    return rows.partner_key(own)


@pytest.fixture
async def http(key: str, client: Connect) -> AsyncIterator[httpx.AsyncClient]:
    async with client(key) as http:
        yield http


async def walk(http: httpx.AsyncClient, url: str, way: str = "next") -> list[dict[str, Any]]:
    """The bodies from one page to the last of a way, or to the tenth."""
    bodies: list[dict[str, Any]] = []
    following: str | None = url
    while following is not None and len(bodies) < 10:
        response = await http.get(following)
        assert response.status_code == 200
        bodies.append(response.json())
        following = bodies[-1][way]
    return bodies


async def test_a_walk_keeps_its_filters_to_the_letter(http: httpx.AsyncClient) -> None:
    query = {"search": "50% \N{LATIN SMALL LETTER E WITH ACUTE}+&=#/?;_", "limit": "3", "is_active": "true"}
    first = f"/v1/clients/?{httpx.QueryParams(query)}"
    bodies = await walk(http, first)
    assert [body["count"] for body in bodies] == [7, 7, 7]
    names = [item["name"][-2:] for body in bodies for item in body["results"]]
    assert sorted(names) == ["_0", "_1", "_2", "_3", "_4", "_5", "_6"]
    for number, body in enumerate(bodies[:-1], start=2):
        sent = dict(parse_qsl(urlsplit(body["next"]).query, strict_parsing=True))
        assert sent.pop("after")
        assert sent == query | {"page": str(number)}


async def test_the_way_back_is_by_number_and_shows_the_same_pages(http: httpx.AsyncClient) -> None:
    there = await walk(http, "/v1/clients/?limit=3")
    back = await walk(http, "/v1/clients/?limit=3&page=3", "previous")
    assert [body["results"] for body in back] == [body["results"] for body in reversed(there)]
    assert back[0]["previous"] == "http://testserver/v1/clients/?limit=3&page=2"
    assert back[1]["previous"] == "http://testserver/v1/clients/?limit=3&page=1"


async def test_links_start_with_the_configured_address_whatever_the_request_says(http: httpx.AsyncClient) -> None:
    headers = {"Host": "evil.example", "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "ftp"}
    body = (await http.get("/v1/clients/?limit=3&page=2", headers=headers)).json()
    assert body["next"].startswith("http://testserver/v1/clients/?limit=3&page=3&after=")
    assert body["previous"] == "http://testserver/v1/clients/?limit=3&page=1"


async def test_a_page_has_as_many_rows_as_were_asked_for(client: Connect, rows: Rows) -> None:
    own = rows.organization()
    for _ in range(101):
        rows.client(own)
    async with client(rows.partner_key(own)) as walker:
        for query, size in [("", 50), ("?limit=100", 100), ("?limit=1", 1), ("?limit=100&page=2", 1), ("?page=3", 1)]:
            body = (await walker.get(f"/v1/clients/{query}")).json()
            assert (body["count"], len(body["results"])) == (101, size)


async def test_the_count_of_a_walk_is_that_of_its_first_page(
    http: httpx.AsyncClient, rows: Rows, client: Connect
) -> None:
    own = rows.organization()
    for _ in range(4):
        rows.client(own)
    async with client(rows.partner_key(own)) as walker:
        first = (await walker.get("/v1/clients/?limit=2")).json()
        rows.client(own)
        second = (await walker.get(first["next"])).json()
        assert (first["count"], second["count"]) == (4, 4)
        assert (await walker.get("/v1/clients/?limit=2&page=2")).json()["count"] == 5
