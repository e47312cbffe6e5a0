"""The documentation on the public listener: pages, caching, and the refusals of all other unauthenticated paths.

Covers `rest_facade/rest/static_page.py`.
"""

from collections.abc import Iterator

import httpx2 as httpx
import pytest

from rest_facade.access.throttle import MemoryWindow, Throttle
from rest_facade.composition import build_service
from rest_facade.settings import Settings
from rest_facade.site.public import CONTENT_TYPES, SECURITY_POLICY
from tests.errors import assert_error
from tests.rest_facade.rest.listener import BASE_URL, Listener, listening


@pytest.fixture(scope="module")
def listener(owner_url: str, settings: Settings) -> Iterator[Listener]:
    with listening(
        build_service(settings.model_copy(update={"public_docs": True}), url=owner_url, base_url=BASE_URL)
    ) as listener:
        yield listener


@pytest.fixture
def http(listener: Listener, monkeypatch: pytest.MonkeyPatch) -> Iterator[httpx.Client]:
    monkeypatch.setattr(listener.service.public, "throttle", Throttle(MemoryWindow()))
    host, port = listener.address
    # Without TLS; to read the certificates takes longer than most requests.
    with httpx.Client(base_url=f"http://{host}:{port}", verify=False) as http:
        yield http


@pytest.mark.parametrize("path", ["docs/", "docs/payroll.html", "docs/site.js", "docs/site.css", "docs/search.json"])
def test_pages_are_answered_without_a_key(path: str, http: httpx.Client) -> None:
    response = http.get(path)
    assert response.status_code == 200
    assert response.headers["content-type"] == CONTENT_TYPES[path.rpartition(".")[2] if "." in path else "html"]
    assert response.headers["content-security-policy"] == SECURITY_POLICY
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["x-request-id"]
    assert "ratelimit-limit" not in response.headers
    for known in (response.headers["etag"], f'"other", {response.headers["etag"].removeprefix("W/")}'):
        again = http.get(path, headers={"If-None-Match": known})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", response.headers["etag"])
        assert "content-length" not in again.headers
    assert http.get(path, headers={"If-None-Match": '"other"'}).content == response.content
    head = http.head(path)
    assert (head.status_code, head.content, head.headers["etag"]) == (200, b"", response.headers["etag"])


def test_large_page_is_compressed_for_clients_that_take_gzip(http: httpx.Client) -> None:
    for encodings in ("br, gzip; q=0.000, *", "GZIP;q=0", "identity"):
        plain = http.get("openapi.json", headers={"Accept-Encoding": encodings})
        assert "content-encoding" not in plain.headers
    for method in ("GET", "HEAD"):
        packed = http.request(method, "openapi.json", headers={"Accept-Encoding": "br, gzip;q=0.1"})
        assert (packed.headers["content-encoding"], packed.headers["vary"]) == ("gzip", "Accept-Encoding")
        assert int(packed.headers["content-length"]) * 5 < int(plain.headers["content-length"])
    assert http.get("openapi.json", headers={"Accept-Encoding": "gzip"}).content == plain.content
    assert "content-encoding" not in http.get("docs/icon.svg", headers={"Accept-Encoding": "gzip"}).headers


def test_document_has_the_public_address(http: httpx.Client) -> None:
    document = http.get("openapi.json").json()
    assert document["servers"] == [{"url": BASE_URL}]
    assert http.get("docs/openapi.json").json() == document


@pytest.mark.parametrize(
    ("path", "page"), [("/", "/docs/"), ("/docs", "/docs/"), ("/docs/quickstart", "/docs/quickstart.html")]
)
def test_address_without_a_page_leads_to_one(path: str, page: str, http: httpx.Client) -> None:
    response = http.get(path)
    assert response.status_code == 308
    assert response.next_request is not None
    assert response.next_request.url.path == page


BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}


@pytest.mark.parametrize("path", ["/docs/gone", "/docs/a/b.html", "/docs/site.py", "/docs/404.html"])
def test_person_at_a_wrong_address_gets_a_page_that_leads_to_the_others(path: str, http: httpx.Client) -> None:
    response = http.get(path, headers=BROWSER)
    assert (response.status_code, response.headers["content-type"]) == (404, CONTENT_TYPES["html"])
    assert response.headers["content-security-policy"] == SECURITY_POLICY
    assert (response.headers["cache-control"], response.headers["vary"]) == ("no-store", "Accept")
    assert f'href="{BASE_URL}/docs/index.html"' in response.text
    assert f'href="{BASE_URL}/docs/site.css"' in response.text
    assert http.head(path, headers=BROWSER).status_code == 404


@pytest.mark.parametrize("path", ["/v1/gone/", "/v1/teams", "/gone", "/docsgone"])
def test_browser_gets_the_envelope_outside_the_documentation(path: str, http: httpx.Client) -> None:
    assert_error(http.get(path, headers=BROWSER), 404, "ROUTE_NOT_FOUND", "Route not found.")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        *(("GET", path) for path in ("/docs/gone.html", "/docs//", "/docs/../v1/", "/docs/%2e%2e/x", "/docs/site.py")),
        *((method, "/docs/") for method in ("POST", "OPTIONS", "DELETE")),
    ],
)
def test_other_requests_are_404(method: str, path: str, http: httpx.Client) -> None:
    assert_error(http.request(method, path), 404, "ROUTE_NOT_FOUND", "Route not found.")


def test_blocked_address_gets_no_pages(http: httpx.Client) -> None:
    for _ in range(10):
        assert http.get("/v1/teams/").status_code == 401
    assert http.get("/docs/").json()["error"]["code"] == "AUTH_FAILURE_THROTTLE"
