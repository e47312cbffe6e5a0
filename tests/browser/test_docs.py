"""The documentation for customers in a browser: search, tabs, dark mode, widths, and samples that run."""

import os
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import httpx2 as httpx
import pytest
import requests
from playwright.sync_api import Route, expect

from rest_facade.site.reference import samples
from tests.browser.conftest import Served, Visit

pytestmark = pytest.mark.process


def test_search_finds_an_operation_and_opens_it(visit: Visit, served: Served) -> None:
    page = visit.page
    page.goto(f"{served.public}/docs/")
    page.keyboard.press("/")
    page.keyboard.insert_text("clockinouts include_open")
    found = page.get_by_role("region", name="Search results")
    expect(found.get_by_role("link").first).to_contain_text("listClockInOut")
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{served.public}/docs/reference-timesheets.html#listclockinout")
    page.get_by_label("Search the documentation").fill("zzzz")
    expect(found).to_have_text("Nothing found.")
    page.keyboard.press("Escape")
    expect(found).to_be_hidden()
    assert visit.hosts == {served.public}
    assert visit.errors == []


def test_words_typed_before_the_script_are_searched(visit: Visit, served: Served) -> None:
    def type_first(route: Route) -> None:
        visit.page.get_by_label("Search the documentation").fill("zzzz")
        route.continue_()

    visit.page.route("**/site.js", type_first)
    visit.page.goto(f"{served.public}/docs/")
    expect(visit.page.get_by_role("region", name="Search results")).to_have_text("Nothing found.")


def test_search_asks_for_its_index_again_and_knows_every_word(visit: Visit, served: Served) -> None:
    page = visit.page
    page.route("**/search.json", lambda route: route.fulfill(status=503, json={"error": {}}), times=1)
    page.goto(f"{served.public}/docs/")
    with page.expect_response("**/search.json"):
        page.get_by_label("Search the documentation").fill("zzzz")
    with page.expect_response("**/search.json"):
        page.get_by_label("Search the documentation").fill("constructor")
    expect(page.get_by_role("region", name="Search results")).to_be_visible()


def test_without_a_clipboard_nothing_offers_to_copy(visit: Visit, served: Served) -> None:
    visit.page.add_init_script("delete Navigator.prototype.clipboard")
    visit.page.goto(f"{served.public}/docs/quickstart.html")
    expect(visit.page.get_by_role("link", name="Save orgdata.py")).to_be_visible()
    expect(visit.page.get_by_role("button", name="Copy")).to_have_count(0)
    assert visit.errors == []


def test_chosen_language_holds_for_all_samples(visit: Visit, served: Served) -> None:
    page = visit.page
    page.goto(f"{served.public}/docs/reference-people.html")
    page.get_by_role("tab", name="curl").first.focus()
    page.keyboard.press("ArrowRight")
    for sample in page.locator(".samples").all():
        expect(sample.get_by_role("tabpanel")).to_have_count(1)
        expect(sample.get_by_role("tabpanel")).to_contain_text("requests.get(")
    page.goto(f"{served.public}/docs/reference-work.html")
    expect(page.get_by_role("tab", name="Python").first).to_have_attribute("aria-selected", "true")


@pytest.mark.parametrize(("width", "scheme"), [(320, "light"), (768, "dark"), (1024, "light"), (1440, "dark")])
def test_pages_fit_widths_and_colours_of_the_system(width: int, scheme: Any, visit: Visit, served: Served) -> None:
    page = visit.page
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    for name in ("start", "quickstart", "troubleshooting", "reference", "synchronizing", "reference-money"):
        page.goto(f"{served.public}/docs/{name}.html")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    red, *_ = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
    assert (red < 64) is (scheme == "dark")
    navigation = page.get_by_role("navigation", name="Pages")
    if width <= 768:
        expect(navigation).to_be_hidden()
        page.get_by_text("Pages", exact=True).click()
    expect(navigation.get_by_role("link", name="Quickstart")).to_be_visible()
    operations = page.get_by_role("navigation", name="On this page")
    if width <= 1024:
        expect(operations).to_be_hidden()
        page.get_by_text("On this page", exact=True).click()
    operations.get_by_role("link", name="listInvoices").click()
    expect(page).to_have_url(f"{served.public}/docs/reference-money.html#listinvoices")
    page.set_viewport_size({"width": 1440, "height": 800})
    expect(operations).to_be_visible()
    assert visit.errors == []


def test_samples_of_all_operations_run(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORGDATA_KEY", served.world.key)
    document = httpx.get(f"{served.public}/openapi.json").json()
    for path, item in document["paths"].items():
        operation = {**item["get"], "path": path, "parameters": own_values(item["get"]["parameters"], served)}
        made = samples(operation, served.public)
        response = ran(made["python"])
        assert response.status_code == 200, (operation["operationId"], response.text)
        shown = subprocess.run(["bash", "-c", f"{made['bash']} -sf"], capture_output=True, env=os.environ, check=True)
        assert response.request.url is not None
        assert response.request.url in made["typescript"]
        assert shown.stdout.startswith((b"{", b"["))


def own_values(parameters: list[Mapping[str, Any]], served: Served) -> list[Mapping[str, Any]]:
    """The parameters with ids of the served organization and days of today as examples."""
    today = datetime.now(UTC).date().isoformat()
    ids = {name: str(value) for name, value in served.world.ids.items()}
    ids |= dict.fromkeys(("date", "start_date", "end_date"), today)
    return [
        {**each, "example": ids.get(each["name"], each["example"])} if "example" in each else each
        for each in parameters
    ]


def ran(code: str) -> requests.Response:
    """The response of a sample in Python."""
    names: dict[str, Any] = {}
    exec(code.replace("print(response.json())", "response.json()"), names)
    response: requests.Response = names["response"]
    return response
