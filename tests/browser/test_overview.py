"""The overview in a browser: figures of an organization, refusals as sentences, keyboard, small screens."""

import re

import httpx2 as httpx
import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import TIMEOUT_MS, Served, Visit
from tests.world import SIZE

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("requested")]


TEAMS = re.compile(rf"^teams {SIZE} ")
"""The line of a table, and not that of a resource group."""


@pytest.fixture(scope="module")
def requested(served: Served) -> None:
    """Two requests of the organization."""
    for _ in range(2):
        httpx.get(f"{served.public}/v1/teams/", headers={"X-SERVICE-API-KEY": served.world.key}).raise_for_status()


def test_without_a_token_only_links_health_and_versions(visit: Visit, served: Served) -> None:
    page = visit.page
    page.goto(f"{served.internal}/")
    expect(page.locator("#health")).to_contain_text(re.compile(r"ready, in \d+ ms at \d{4}-"))
    expect(page.locator("#health")).to_contain_text("reachable")
    expect(page.locator("#versions")).to_contain_text("as this version needs")
    expect(page.locator("#organizations")).to_be_hidden()
    expect(page.get_by_role("alert")).to_be_hidden()
    for link in page.get_by_role("navigation", name="Explorers").get_by_role("link").all():
        assert page.request.get(f"{served.internal}/{link.get_attribute('href')}", headers={"Accept": "text/html"}).ok
    assert visit.hosts == {served.internal}
    assert visit.errors == []


def test_token_shows_figures_of_its_organization(visit: Visit, served: Served) -> None:
    row = opened(visit, served)
    expect(row).to_contain_text("A-organization")
    expect(row).to_contain_text(str(served.world.organization_id))
    expect(row.get_by_role("cell").filter(has_text="0 refused")).to_contain_text("2")
    requests = row.get_by_role("img", name="Requests by minute")
    # The requests may be of two neighbouring minutes.
    expect(requests.locator("desc")).to_contain_text(re.compile(r": [12] requests?, 0 refused"))
    expect(requests.locator("rect.requests")).not_to_have_count(0)
    expect(row.get_by_role("img", name="Rows by area").locator("desc")).to_contain_text("People: ")
    expect(visit.page.locator("#covers")).to_contain_text("this instance counted (1 worker)")
    assert visit.hosts == {served.internal}
    assert visit.errors == []


def test_details_open_by_keyboard_and_stay_open(visit: Visit, served: Served) -> None:
    row, page = opened(visit, served), visit.page
    # Token, search, button, hours, details.
    for _ in range(4):
        page.keyboard.press("Tab")
    expect(row.locator("summary")).to_be_focused()
    page.keyboard.press("Enter")
    expect(row.get_by_role("row", name=TEAMS)).to_contain_text(f"teams{SIZE}")
    expect(row.get_by_role("table", name="Requests by resource group")).to_contain_text("teams")
    expect(row.get_by_role("link", name="A-organization")).to_have_attribute(
        "href", f"hours?organization={served.world.organization_id}"
    )
    page.locator("#search").fill("A-org")
    page.keyboard.press("Enter")
    expect(page.locator("#status")).to_contain_text("As of")
    expect(row.get_by_role("row", name=TEAMS)).to_be_visible()


def test_search_without_a_match_says_so(visit: Visit, served: Served) -> None:
    opened(visit, served)
    visit.page.locator("#search").fill("<b>nothing</b>")
    visit.page.keyboard.press("Enter")
    expect(visit.page.get_by_role("alert")).to_have_text("No organization that the token may read has this name or id.")


@pytest.mark.parametrize(
    ("token", "reason"), [("nobody", ""), ("nobody…", "Send it without Bearer, quotes and other characters. ")]
)
def test_refused_token_shows_the_sentence(token: str, reason: str, visit: Visit, served: Served) -> None:
    page = visit.page
    page.goto(f"{served.internal}/")
    page.get_by_label("Token").fill(f"orgd_int_{token}")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_text(
        f"Invalid API key. {reason}Enter an internal token that is neither expired nor revoked."
    )
    expect(page.locator("#organizations")).to_be_hidden()


def test_token_is_kept_for_the_tab_only(visit: Visit, served: Served) -> None:
    opened(visit, served)
    visit.page.reload()
    expect(visit.page.locator("#organizations")).to_contain_text("A-organization")
    assert served.token not in visit.page.url
    another = visit.page.context.new_page()
    another.goto(f"{served.internal}/")
    expect(another.get_by_label("Token")).to_have_value("")


def test_address_with_a_token_fills_both_pages(visit: Visit, served: Served) -> None:
    page = visit.page
    organization = str(served.world.organization_id)
    page.goto(f"{served.internal}/#token={served.token}&organization={organization}")
    expect(page.locator("#organizations")).to_contain_text("A-organization")
    assert page.url == f"{served.internal}/"
    page.get_by_role("link", name="GraphQL explorer").click()
    expect(page.locator("#organization")).to_have_value(organization, timeout=TIMEOUT_MS)
    expect(page.locator("#hint")).to_be_hidden()
    assert visit.errors == []


def test_address_with_a_token_is_taken_where_the_page_is_open(visit: Visit, served: Served) -> None:
    page = visit.page
    page.goto(f"{served.internal}/")
    page.goto(f"{served.internal}/#token={served.token}")
    expect(page.locator("#organizations")).to_contain_text("A-organization")
    expect(page).to_have_url(f"{served.internal}/")


@pytest.mark.parametrize("width", [320, 768])
def test_small_screens_need_no_horizontal_scrolling(width: int, visit: Visit, served: Served) -> None:
    visit.page.set_viewport_size({"width": width, "height": 700})
    row = opened(visit, served)
    row.locator("summary").click()
    expect(row.get_by_role("row", name=TEAMS)).to_be_visible()
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width


def opened(visit: Visit, served: Served) -> Locator:
    """Open the page, enter the token and return the rows of the organization."""
    page = visit.page
    page.goto(f"{served.internal}/")
    page.get_by_label("Token").fill(served.token)
    page.keyboard.press("Enter")
    row = page.locator("#organizations > tbody")
    expect(row).to_have_count(1)
    return row
