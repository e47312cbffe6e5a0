"""Pages of the internal listener: who gets HTML, and that they load nothing from other hosts."""

import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import httpx2 as httpx
import pytest

from rest_facade.composition import Service
from rest_facade.internal.examples import examples_page
from rest_facade.internal.pages import ASSETS
from tests.conftest import BASE_URL

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
PAGES = {"/": "overview.html", "/hours": "hours.html", "/docs": "docs.html", "/graphql": "graphiql.html"}

every_page = pytest.mark.parametrize("path", PAGES)


@pytest.fixture
async def http(service: Service) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(service.internal)
    async with httpx.AsyncClient(transport=transport, base_url=BASE_URL) as http:
        yield http


def policy_of(response: httpx.Response) -> dict[str, str]:
    return dict(directive.split(" ", 1) for directive in response.headers["content-security-policy"].split("; "))


@every_page
async def test_browser_gets_html(path: str, http: httpx.AsyncClient) -> None:
    response = await http.get(path, headers=BROWSER)
    assert response.status_code == 200
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert response.text == (ASSETS / PAGES[path]).read_text()


async def test_program_that_accepts_html_gets_json(http: httpx.AsyncClient) -> None:
    java = {"Accept": "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", "X-SERVICE-API-KEY": "x"}
    response = await http.get("/graphql?query={organization{name}}", headers=java)
    assert (response.status_code, response.headers["content-type"]) == (401, "application/json")


async def test_browser_at_a_wrong_address_gets_a_page_and_others_text(http: httpx.AsyncClient) -> None:
    response = await http.get("/docs/gone", headers=BROWSER)
    assert (response.status_code, response.text) == (404, (ASSETS / "404.html").read_text())
    other = await http.get("/docs/gone")
    assert (other.status_code, other.text) == (404, "Not Found")
    assert (await http.post("/gone", headers=BROWSER)).text == "Not Found"


@every_page
async def test_content_security_policy_allows_only_this_listener(path: str, http: httpx.AsyncClient) -> None:
    policy = policy_of(await http.get(path, headers=BROWSER))
    calls = policy.pop("connect-src")
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self'"
    allowed = {"'none'", "'self'", "'unsafe-inline'", "data:"}
    assert {word for value in policy.values() for word in value.split()} <= allowed
    # The REST page calls the public listener; the other one only what serves it.
    assert calls == (f"'self' {BASE_URL}" if path == "/docs" else "'self'")


def imports_of(names: list[str]) -> list[str]:
    """The modules beside a script of ours that it imports."""
    scripts = [ASSETS.parent / name for name in names if name.endswith(".js") and "swagger" not in name]
    modules = [
        script.parent / name for script in scripts for name in re.findall(r'from "\./(.+?)"', script.read_text())
    ]
    return [str(module.relative_to(ASSETS.parent)) for module in modules]


async def test_overview_has_no_inline_styles(http: httpx.AsyncClient) -> None:
    assert policy_of(await http.get("/"))["style-src"] == "'self'"
    for path in [
        *(ASSETS / f"{name}.html" for name in ("overview", "hours")),
        *(ASSETS / "overview").iterdir(),
        *(ASSETS / "hours").iterdir(),
    ]:
        assert not re.search(r"<style| style=|innerHTML| on[a-z]+=\"", path.read_text()), path


@every_page
async def test_assets_of_a_page_exist(path: str, http: httpx.AsyncClient) -> None:
    named = re.findall(r'(?:src|href)="(assets/[^"]+)"', (ASSETS / PAGES[path]).read_text())
    assert named
    for name in [*named, *imports_of(named)]:
        response = await http.get(f"/{name}")
        assert response.status_code == 200, name
        assert response.content


@pytest.mark.parametrize("name", ["..%2fpages.py", "%2e%2e/pages.py", "graphiql/../../pages.py", "nothing.js"])
async def test_paths_outside_assets_are_404(name: str, http: httpx.AsyncClient) -> None:
    assert (await http.get(f"/assets/{name}")).status_code == 404


async def test_examples_of_graphiql_are_of_today(http: httpx.AsyncClient) -> None:
    before = datetime.now(UTC).date()
    response = await http.get("/graphql-examples.json")
    after = datetime.now(UTC).date()
    assert (response.status_code, response.headers["cache-control"]) == (200, "no-store")
    assert response.json() in (examples_page(before), examples_page(after))


async def test_pages_are_404_on_public_listener(service: Service) -> None:
    transport = httpx.ASGITransport(service.public, client=("10.255.0.1", 1))
    async with httpx.AsyncClient(transport=transport, base_url=BASE_URL) as http:
        others = "/openapi.json /overview.json /versions.json /graphql-examples.json /assets/docs.js".split()
        for path in (*PAGES, *others):
            response = await http.get(path, headers=BROWSER)
            assert response.status_code == 404
            assert response.json()["error"]["code"] == "ROUTE_NOT_FOUND"


@pytest.mark.parametrize(
    ("folder", "licences"),
    [("graphiql", ["LICENSES.txt"]), ("swagger-ui", ["LICENSE", "NOTICE"]), ("chart", ["LICENSE.md"])],
)
def test_third_party_assets_have_licences(folder: str, licences: list[str]) -> None:
    for name in licences:
        assert (ASSETS / folder / name).read_text().strip()
    assert f"`{folder}/`" in (ASSETS / "README.md").read_text()
    assert {path.name for path in Path(ASSETS).iterdir() if path.is_dir()} - {"examples", "hours", "overview"} == {
        "chart",
        "graphiql",
        "swagger-ui",
    }
