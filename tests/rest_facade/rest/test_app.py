"""RestApp over a real socket and a real database: paths, methods, OPTIONS, errors."""

from uuid import UUID

import pytest
from sqlalchemy import text

from db.reading.pool import PoolTimeout
from rest_facade.composition import build_service
from rest_facade.settings import Settings
from tests.errors import KEY_NOT_ALONE, NO_API_KEY, assert_error
from tests.factories.rows import Rows
from tests.rest_facade.raw_client import request
from tests.rest_facade.rest.listener import BASE_URL, DAY, UNKNOWN_ID, VARY, Listener, listening

SECRETS = ("traceback", "psycopg", "redis", "select", "relation", "clients_", "uvicorn", "starlette", "python")


def test_other_path_is_404_without_redirect(public: Listener, key: str) -> None:
    for path in (
        *("/v1/clients", "/v1/clients?limit=1", f"/v1/clients/{UNKNOWN_ID}", "/v1//clients/", "//v1/clients/"),
        *("/V1/Clients/", "/V1/clients/", "/v1/Clients/", "/v2/clients/", "/v1/", "/v1", "/v1/?", "/v1//"),
        *("/%761/clients/", "/v1/%63lients/", "/v1%2Fclients/", "/v1/clients%2F", "/v1/clients//"),
        *("/v1/clients//projects/", "/v1/clients/%", f"/v1/clients/{UNKNOWN_ID}//"),
        *(f"/v1/clients/{UNKNOWN_ID}/unknown/", f"/v1/teams/{UNKNOWN_ID}/", f"/v1/teams/{UNKNOWN_ID}/members"),
        *(f"/v1/teams/{UNKNOWN_ID}/members/x/", "/v1/./clients/", "/v1/x/../clients/", "/v1/clients/../clients/"),
        *("/v1/clients;x/", "/v1\\clients/", "/v1/clients/" + "a" * 8001, "http://evil", "http://evil/v1/clients"),
    ):
        response = public.send(request(path, key=key))
        assert response.status_code == 404, path
        assert_error(response, 404, "ROUTE_NOT_FOUND", "Route not found.")
        assert not {"location", "ratelimit-limit"} & response.headers.keys()
        assert response.headers["vary"] == VARY


def test_paths_outside_v1_are_404(public: Listener) -> None:
    for path in (
        *("/", "*", "/favicon.ico", "/robots.txt", "/.env", "/graphql", "/docs", "/openapi.json", "/live", "/ready"),
        "/metrics",
    ):
        for method in ("GET", "POST", "OPTIONS"):
            response = public.send(request(path, method=method))
            assert response.status_code == 404, path
            assert_error(response, 404, "ROUTE_NOT_FOUND", "Route not found.")


def test_malformed_path_id_is_400(public: Listener, key: str) -> None:
    message, strange = "Invalid UUID format.", ("%00", "a%2Fb", "%ff%fe", "%E2%80%8B", "%", "%zz", ";x", "..")
    for segment in (*strange, f"{UNKNOWN_ID}%0A", f"%20{UNKNOWN_ID}", "a" * 8001):
        response = public.send(request(f"/v1/clients/{segment}/", key=key))
        assert_error(response, 400, "VALIDATION_ERROR", message, {"client_id": [message]})
    assert_error(public.send(request("/v1/clients/%00/")), 401, "INVALID_API_KEY")


def test_id_with_encoded_hyphens_is_read(public: Listener, key: str) -> None:
    response = public.send(request(f"/v1/clients/{UNKNOWN_ID.replace('-', '%2D')}/", key=key))
    assert_error(response, 404, "RESOURCE_NOT_FOUND", "Client not found.")


def test_other_method_below_v1_is_405(public: Listener, key: str) -> None:
    for method, path in [
        # The method decides before the path: each method on one path, and each kind of path with one method.
        *((word, "/v1/clients/") for word in "POST PUT PATCH DELETE HEAD TRACE CONNECT PROPFIND QUERY FOO".split()),
        *((word, "/v1/clients/") for word in "DESCRIBE get Get options".split()),
        *(("POST", path) for path in ("/v1/nonexistent/", "/v1/", f"/v1/clients/{UNKNOWN_ID}")),
        *(("HEAD", f"/v1/{path}/") for path in (f"teams/{UNKNOWN_ID}/members", "time_activity_reports")),
    ]:
        for given in (key, None):
            response = public.send(request(path, "X-Secret: echo me", method=method, key=given), method)
            assert response.headers["allow"] == "GET, OPTIONS"
            assert "ratelimit-limit" not in response.headers
            assert "echo me" not in f"{response.headers}{response.text}"
            if method == "HEAD":
                assert response.status_code == 405
            else:
                assert_error(response, 405, "METHOD_NOT_ALLOWED", "Method not allowed.")


def test_other_method_outside_v1_is_404(public: Listener) -> None:
    targets = [("POST", "/v1"), ("POST", "/V1/clients/"), ("get", "/"), ("FOO", "/v1"), ("CONNECT", "evil:443")]
    for method, target in targets:
        response = public.send(request(target, method=method))
        assert_error(response, 404, "ROUTE_NOT_FOUND", "Route not found.")
        assert "allow" not in response.headers


@pytest.mark.parametrize(
    "path", ["/v1/clients/", "/v1/clients", "/v1/clients/x/", "/v1/nonexistent/", "/v1/", "http://evil/v1/clients/"]
)
def test_options_has_allow_and_costs_no_quota(path: str, public: Listener, key: str) -> None:
    for given in (key, "wrong", None):
        response = public.send(request(path, method="OPTIONS", key=given))
        assert (response.status_code, response.content) == (204, b"")
        assert response.headers["allow"] == "GET, OPTIONS"
        assert "ratelimit-limit" not in response.headers
        assert "access-control-allow-origin" not in response.headers
    assert public.send(request("/v1/clients/", key=key)).headers["ratelimit-remaining"] == "29"


def test_refusal_for_a_missing_scope_names_those_of_the_key(public: Listener, rows: Rows, organization: UUID) -> None:
    response = public.send(request("/v1/clients/", key=rows.mcp_key(organization, "teams:read")))
    assert (response.status_code, response.headers["x-key-scopes"]) == (403, "teams:read")


@pytest.mark.parametrize(
    ("path", "link"),
    [
        ("/v1/members", "/v1/members/"),
        (f"/v1/clients/{UNKNOWN_ID}?page=2", f"/v1/clients/{UNKNOWN_ID}/"),
        ('/v1/clients/a%2Fb>;"', "/v1/clients/a%2Fb%3E%3B%22/"),
        ("/v1/nothing", None),
        ("/v1/members//", None),
    ],
)
def test_path_without_its_slash_has_a_link_to_the_path(path: str, link: str | None, public: Listener) -> None:
    response = public.send(request(path))
    assert_error(response, 404, "ROUTE_NOT_FOUND", "Route not found.")
    expected = f'<{public.service.public.base_url}{link}>; rel="canonical"' if link is not None else None
    assert response.headers.get("link") == expected


@pytest.mark.parametrize(
    ("path", "fields", "message"),
    [
        ("/v1/members/", [], NO_API_KEY),
        ("/v1/members/", ["Authorization: Bearer {key}"], NO_API_KEY),
        ("/v1/members/", ["X_SERVICE_API_KEY: {key}"], NO_API_KEY),
        ("/v1/members/?X-SERVICE-API-KEY={key}", [], NO_API_KEY),
        ("/v1/members/", ["X-SERVICE-API-KEY: {key}", "X-SERVICE-API-KEY: {key}"], NO_API_KEY),
        ("/v1/members/", ["Authorization: Bearer {key}", "X-SERVICE-API-KEY: x"], "Invalid API key."),
        ("/v1/members/", ["X-SERVICE-API-KEY:"], NO_API_KEY),
        *(
            ("/v1/members/", [f"X-SERVICE-API-KEY: {form}"], KEY_NOT_ALONE)
            for form in ("Bearer {key}", '"{key}"', "{key},", "{key}, {key}", "$API_KEY", "\xef\xbb\xbf{key}")
        ),
    ],
)
def test_misplaced_key_names_the_header(path: str, fields: list[str], message: str, public: Listener, key: str) -> None:
    response = public.send(request(path.format(key=key), *(each.format(key=key) for each in fields)))
    assert_error(response, 401, "INVALID_API_KEY", message)


def test_database_error_is_500_without_details(own_url: str, database: Rows, settings: Settings) -> None:
    key = database.partner_key(database.organization())
    with database.connection.begin():
        database.connection.execute(text("ALTER TABLE clients RENAME TO elsewhere"))
    daily = settings.model_copy(update={"quota_window": DAY})
    with listening(build_service(daily, url=own_url, base_url=BASE_URL)) as public:
        response = public.send(request("/v1/clients/", key=key))
        assert_error(response, 500, "INTERNAL_ERROR", "An unexpected error occurred.")
        assert response.headers["vary"] == VARY
        said = f"{response.headers}{response.text}".lower()
        assert [word for word in SECRETS if word in said] == []
        assert response.headers["ratelimit-remaining"] == "29"
        assert public.send(request("/v1/members/", key=key)).status_code == 200


async def test_lifespan_opens_and_closes_the_service(owner_url: str, settings: Settings) -> None:
    service = build_service(settings, url=owner_url, base_url=BASE_URL)
    async with service.public.router.lifespan_context(service.public):
        await service.database.ping()
    with pytest.raises(PoolTimeout, match=r"The pool is closed\."):
        await service.database.ping()
