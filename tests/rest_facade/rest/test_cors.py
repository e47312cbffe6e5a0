"""CORS over HTTP: preflights, allowed origins, exposed headers."""

import httpx2 as httpx
import pytest

from rest_facade.composition import Service
from rest_facade.rest.cors import Cors
from tests.conftest import Connect
from tests.factories.rows import Rows
from tests.rest_facade.access.clock import freeze

APP, ADMIN, EVIL = "https://app.example", "https://admin.example", "https://evil.example"
EXPOSED = (
    "X-Request-ID, X-Data-As-Of, X-Key-Scopes, X-Unknown-Parameters, "
    "RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, "
    "WWW-Authenticate, X-Required-Scope, Link, Allow"
)
NOT_EXPOSED = {"cache-control", "content-length", "content-type", "vary", "x-content-type-options"}
"""Headers that a page may read anyway, or has no use for."""

PREFLIGHT = {"Origin": APP, "Access-Control-Request-Method": "GET"}


def cors_headers(response: httpx.Response) -> dict[str, str]:
    """The CORS headers, by their names without `access-control-`."""
    prefix = "access-control-"
    return {name.removeprefix(prefix): value for name, value in response.headers.items() if name.startswith(prefix)}


LIKE_APP = (f"{APP}.evil.example", f"{APP}:8443", "http://app.example", "https://APP.example")


@pytest.mark.parametrize(
    ("origins", "origin", "expected"),
    [
        *((["*"], origin, "*") for origin in (APP, "null")),
        *((["*", APP], EVIL, "*"), (["*"], None, None), ([], APP, None)),
        *(([APP, ADMIN], origin, origin) for origin in (APP, ADMIN)),
        *(([APP], origin, None) for origin in (None, EVIL, "null", "", *LIKE_APP)),
    ],
)
def test_origins_are_compared_exactly(origins: list[str], origin: str | None, expected: str | None) -> None:
    cors = Cors(origins)
    for headers in (cors.headers(origin), cors.preflight_headers(origin, "", "GET")):
        assert headers.get("Access-Control-Allow-Origin") == expected
        assert bool(headers) == (expected is not None)


async def test_preflight_has_allowed_methods_and_headers(client: Connect) -> None:
    response = await client().options("/v1/clients/", headers=PREFLIGHT)
    assert response.status_code == 204
    assert response.content == b""
    assert response.headers["allow"] == "GET, OPTIONS"
    assert cors_headers(response) == {
        "allow-origin": "*",
        "allow-methods": "GET, OPTIONS",
        "allow-headers": "X-SERVICE-API-KEY",
        "max-age": "600",
        "expose-headers": EXPOSED,
    }


@pytest.mark.parametrize(
    ("requested", "allowed"),
    [
        ("traceparent", "X-SERVICE-API-KEY, traceparent"),
        ("baggage,content-type,sentry-trace,x-service-api-key", None),
        ("authorization, x-requested-with", None),
        ("b3,  traceparent\t,\tx-datadog-trace-id", None),
        ("a b", "X-SERVICE-API-KEY"),
        (f"x-request-id, orgd_live_abcdefgh_{'s' * 38}", "X-SERVICE-API-KEY"),
        ("", "X-SERVICE-API-KEY"),
        (",".join(["x"] * 2_000), "X-SERVICE-API-KEY"),
    ],
)
async def test_preflight_allows_headers_that_a_page_sends(requested: str, allowed: str | None, client: Connect) -> None:
    http = client()
    headers = {**PREFLIGHT, "Access-Control-Request-Headers": requested}
    response = await http.options("/v1/clients/", headers=headers)
    assert response.headers["access-control-allow-headers"] == (allowed or f"X-SERVICE-API-KEY, {requested}")


@pytest.mark.parametrize("origin", [APP, ADMIN, EVIL])
async def test_only_an_allowed_origin_is_in_the_header(
    origin: str, http: httpx.AsyncClient, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service.public, "cors", Cors([APP, ADMIN], EXPOSED.split(", ")))
    preflight = await http.options("/v1/clients/", headers={**PREFLIGHT, "Origin": origin})
    response = await http.get("/v1/clients/", headers={"Origin": origin})
    assert (preflight.status_code, response.status_code) == (204, 200)
    assert cors_headers(response) == ({} if origin == EVIL else {"allow-origin": origin, "expose-headers": EXPOSED})
    assert (cors_headers(preflight) == {}) is (origin == EVIL)
    assert preflight.headers["vary"] == response.headers["vary"] == "Accept-Encoding, Origin"


async def test_every_response_has_cors_and_exposes_its_headers(
    client: Connect, rows: Rows, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service.public.quota._counter, "_clock", freeze(monkeypatch))
    own = rows.organization()
    rows.quota(own, 2)
    http = client(rows.mcp_key(own, "clients:read"))
    http.headers["Origin"] = APP
    responses = [
        *[await http.get(f"/v1/clients/?{query}") for query in ("nothing=1", "limit=0", "")],
        *[await http.get(path) for path in ("/v1/members/", "/v1/clients", "/")],
        await http.post("/v1/clients/"),
        *[await http.get("/v1/clients/", headers={"X-SERVICE-API-KEY": "x"}) for _ in range(10)],
        await http.get("/v1/clients/"),
    ]
    assert [response.status_code for response in responses] == [200, 400, 429, 403, 404, 404, 405, *[401] * 10, 429]
    for response in responses:
        assert cors_headers(response) == {"allow-origin": "*", "expose-headers": EXPOSED}
        names = {name for name in response.headers if not name.startswith("access-control-")}
        assert names - NOT_EXPOSED <= {name.lower() for name in EXPOSED.split(", ")}
    assert responses[3].headers["x-key-scopes"] == "clients:read"
