"""Searches of customers in the documentation: each finds its page among the first three results."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Served, Visit

pytestmark = pytest.mark.process

SEARCHES = {
    # What was typed: a page, with or without an anchor, that answers it.
    "unpaid invoices": ("reference-money.html#listinvoices", "start.html", "recipes.html"),
    "overdue": ("reference-money.html#listinvoices",),
    "vacation": ("reference-leaves.html",),
    "pto balance": ("reference-leaves.html#listleavebalances",),
    "holiday": ("reference-leaves.html",),
    "excel": ("recipes.html#excel-and-power-bi",),
    "power bi": ("recipes.html#excel-and-power-bi",),
    "google sheets": ("recipes.html#google-sheets",),
    "utilization": ("recipes.html",),
    "csv": ("warehouses.html",),
    "webhook": ("polling.html",),
    "webhooks": ("polling.html",),
    "who is working": ("reference-people.html#listmembers", "start.html", "recipes.html"),
    "who is working now": ("reference-people.html#listmembers", "start.html", "recipes.html"),
    "pagination": ("rest.html#pages",),
    "next page": ("rest.html#pages",),
    "rate limit": ("limits.html",),
    "quota": ("limits.html#quota",),
    "429": ("errors.html", "troubleshooting.html", "limits.html#quota"),
    "401": ("errors.html", "troubleshooting.html"),
    "invalid api key": ("troubleshooting.html", "errors.html", "rest.html#keys"),
    "api key header": ("rest.html#keys",),
    "overtime": ("payroll.html",),
    "pay rate": ("reference-money.html#listmemberpaymentsettings",),
    "salary": ("reference-money.html", "quickstart.html"),
    "payroll": ("payroll.html", "quickstart.html"),
    "breaks": ("payroll.html", "reference-timesheets.html", "rest.html#which-time-is-paid"),
    "idle time": ("reference-timesheets.html#listtimesheetidletime", "start.html#words"),
    "time zone": ("rest.html#values", "reference.html#values", "reference-timesheets.html"),
    "updated_since": ("polling.html",),
    "deleted rows": ("polling.html",),
    "incremental sync": ("polling.html", "synchronizing.html"),
    "data warehouse": ("warehouses.html",),
    "dlt": ("warehouses.html",),
    "screenshots": ("reference-activity.html#listscreenshots",),
    "websites": ("reference-activity.html#listurlreports",),
    "clock in": ("reference-timesheets.html#listclockinout",),
    "attendance": ("reference-timesheets.html#listclockinout",),
    "manual time approval": ("reference-timesheets.html#listmanualtimesheetreports",),
    "hours by project": ("start.html", "recipes.html", "reference-timesheets.html#listtimeactivityreport"),
    "employees": ("reference-people.html#listmembers",),
    "python client": ("quickstart.html",),
    "typescript": ("quickstart.html#a-typed-client-in-typescript",),
    "openapi": ("rest.html#the-openapi-document",),
    "claude": ("agents.html",),
    "claude mcp": ("agents.html",),
    "chatgpt agent": ("agents.html",),
    "breaking change": ("upgrading.html",),
    "timesheet": ("start.html#words", "reference-timesheets.html"),
    "payabel": ("reference-money.html#listmemberpayables", "start.html#words"),
    "projct members": ("reference-work.html#listprojectmembers",),
}

FIRST_LINKS = """async (found) => {
    await new Promise(requestAnimationFrame);
    return [...found.querySelectorAll("a")].slice(0, 3).map((link) => link.getAttribute("href"));
}"""


def test_searches_of_customers_find_their_page(visit: Visit, served: Served) -> None:
    page = visit.page
    page.goto(f"{served.public}/docs/")
    field, found = page.get_by_label("Search the documentation"), page.locator("#found")
    field.fill("quota")
    found.locator("a").first.wait_for()
    wrong = {}
    for text, wanted in SEARCHES.items():
        # The index is there: a search runs to its end before the page answers.
        field.fill(text)
        first = found.evaluate(FIRST_LINKS)
        if not any(link.startswith(page_) for link in first for page_ in wanted):
            wrong[text] = first
    assert wrong == {}
    assert visit.errors == []


def test_code_is_copied_and_files_are_saved(visit: Visit, served: Served) -> None:
    page = visit.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=served.public)
    page.goto(f"{served.public}/docs/quickstart.html")
    with page.expect_download() as download:
        page.get_by_role("link", name="Save orgdata.py").click()
    assert download.value.suggested_filename == "orgdata.py"
    saved = download.value.path().read_text()
    assert "def connect(base_url: str, key: str)" in saved
    assert saved in page.locator("pre").filter(has_text="def connect(").inner_text() + "\n"
    page.get_by_role("button", name="Copy").first.click()
    assert "curl" in page.evaluate("navigator.clipboard.readText()")
    page.get_by_role("navigation", name="Before and after").get_by_role("link", name="Next").click()
    expect(page.locator("h1")).not_to_have_text("Quickstart")
    assert visit.errors == []
