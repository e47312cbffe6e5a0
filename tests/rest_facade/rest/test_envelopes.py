"""Envelopes: page sizes of each tier, and the links between pages. Covers `rest_facade/rest/links.py`."""

from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx2 as httpx
import pytest

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
        (STANDARD, {"limit": ["1"], "page": ["2147483647"]}, {"limit": 1, "page": 2_147_483_647}),
        (REPORT, {}, {"limit": 20, "page": 1}),
        (CURSOR, {}, {"limit": 10}),
        (SINGLE, {"limit": ["0"], "page": ["x"], "cursor": [""]}, {}),
        (ARRAY, {"limit": ["0"], "page": ["x"], "cursor": [""]}, {}),
    ],
)
def test_page_has_the_default_size_of_its_tier(
    tier: Unpaged | Offset | Cursor, query_values: dict[str, list[str]], values: dict[str, int]
) -> None:
    assert tier.paging_variables(query_values) == values


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
