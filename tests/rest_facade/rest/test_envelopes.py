"""Envelopes: page sizes of each tier, and the links between pages. Covers `rest_facade/rest/links.py`."""

from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx2 as httpx
import pytest

from rest_facade.errors.envelope import Refused
from rest_facade.rest.envelopes import ARRAY, CURSOR, REPORT, SINGLE, STANDARD, Cursor, Offset, Unpaged
from tests.conftest import Connect
from tests.factories.rows import Rows


class TextLinks:
    """Links as plain text."""

    def page_url(self, number: int, position: str | None) -> str:
        return f"page {number}" + (f" after {position}" if position is not None else "")

    def cursor(self, position: str) -> str:
        return f"signed {position}"


@pytest.mark.parametrize(
    ("tier", "query_values", "values"),
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
def test_default_and_maximum_of_each_tier(
    tier: Unpaged | Offset | Cursor, query_values: dict[str, list[str]], values: dict[str, int]
) -> None:
    assert tier.paging_variables(query_values) == values


@pytest.mark.parametrize(
    ("tier", "query_values", "message"),
    [
        (STANDARD, {"limit": ["101"]}, "limit cannot exceed 100."),
        (REPORT, {"limit": ["21"]}, "limit cannot exceed 20."),
        (CURSOR, {"limit": ["21"]}, "limit cannot exceed 20."),
        (STANDARD, {"page": ["2147483648"]}, "page cannot exceed 2147483647."),
        (STANDARD, {"page": ["0"], "limit": ["0"]}, "limit must be >= 1."),
    ],
)
def test_page_size_outside_tier_is_400(tier: Offset | Cursor, query_values: dict[str, list[str]], message: str) -> None:
    with pytest.raises(Refused) as raised:
        tier.paging_variables(query_values)
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
def test_page_has_next_and_previous(
    page: int, count: int, follows: str | None, next_: str | None, previous: str | None
) -> None:
    data = {"count": count, "next": follows, "results": ["row"]}
    rendered = STANDARD.render(data, {"page": page, "limit": 10}, TextLinks())
    assert rendered == {"count": count, "next": next_, "previous": previous, "results": ["row"]}
    assert list(rendered) == ["count", "next", "previous", "results"]


@pytest.mark.parametrize(("position", "cursor"), [("x", "signed x"), (None, None)])
def test_only_the_cursor_is_signed(position: str | None, cursor: str | None) -> None:
    pagination = {"limit": 10, "users_returned": 2, "has_more": position is not None, "next_cursor": position}
    data = {"results": ["row"], "pagination": pagination}
    assert CURSOR.render(data, {"limit": 10}, TextLinks()) == {
        "results": ["row"],
        "pagination": {**pagination, "next_cursor": cursor},
    }
    assert pagination["next_cursor"] == position


@pytest.mark.parametrize("data", [{"id": 1}, [], [{"id": 1}]])
def test_unpaged_data_is_unchanged(data: Any) -> None:
    assert SINGLE.render(data, {}, TextLinks()) is data
    assert ARRAY.render(data, {}, TextLinks()) is data


async def follow(http: httpx.AsyncClient, url: str, way: str = "next") -> list[dict[str, Any]]:
    """The bodies of pages from `url` on along the links `way`, ten at most."""
    bodies: list[dict[str, Any]] = []
    following: str | None = url
    while following is not None and len(bodies) < 10:
        response = await http.get(following)
        assert response.status_code == 200
        bodies.append(response.json())
        following = bodies[-1][way]
    return bodies


async def test_previous_leads_to_the_same_pages(http: httpx.AsyncClient) -> None:
    there = await follow(http, "/v1/clients/?limit=1&is_active=true")
    back = await follow(http, "/v1/clients/?limit=1&page=3&is_active=true", "previous")
    assert [body["results"] for body in back] == [body["results"] for body in reversed(there)]
    previous = "http://testserver/v1/clients/?limit=1&is_active=true&page={}"
    assert [body["previous"] for body in back] == [previous.format(2), previous.format(1), None]


async def test_previous_of_a_token_alone_has_its_limit(http: httpx.AsyncClient) -> None:
    there = await follow(http, "/v1/clients/?limit=1")
    token = dict(parse_qsl(urlsplit(there[1]["next"]).query))["after"]
    back = await follow(http, f"/v1/clients/?after={token}", "previous")
    assert [body["results"] for body in back] == [body["results"] for body in reversed(there)]


async def test_count_along_next_is_that_of_first_page(rows: Rows, client: Connect) -> None:
    own = rows.organization()
    for _ in range(4):
        rows.client(own)
    follower = client(rows.partner_key(own))
    first = (await follower.get("/v1/clients/?limit=2")).json()
    rows.client(own)
    second = (await follower.get(first["next"])).json()
    assert (first["count"], second["count"]) == (4, 4)
    assert (await follower.get("/v1/clients/?limit=2&page=2")).json()["count"] == 5
