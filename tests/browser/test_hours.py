"""The page of hours in a browser, and the report as one file. Covers `rest_facade/internal/hours_report.py`."""

import csv
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.browser.conftest import TIMEOUT_MS, Served, Visit
from tests.factories.rows import Rows
from tests.processes import orgdata_command
from tests.rest_facade.graphql.client import token as graphql_token

pytestmark = pytest.mark.process

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
HOUR = timedelta(hours=1)
MARCH = "start=2026-03-01&end=2026-03-31&timezone=UTC"

Open = Callable[[str], Page]


@pytest.fixture(scope="module")
def studio(rows: Rows) -> UUID:
    """In March 2026 Ada has 3 billable hours on the portal and 1.5 others, Bo 2 on the portal; one invoice is due."""
    own = rows.organization(name="Studio <Lindenhof>", timezone="UTC")
    ada, bo = (rows.member(own, full_name=name) for name in ("Ada Lovelace", "=Bo"))
    rows.team_member(own, rows.team(own, name="Design"), ada)
    client = rows.client(own, name="Grünau")
    portal = rows.project(
        own, name="Portal", client_id=client, budget_type="time", budget_seconds=36_000, tracked_seconds_total=9_970
    )
    rows.project(own, name="Shop", budget_type="time", budget_seconds=72_000)
    rows.timesheet(own, ada, started_at=MONDAY, ended_at=MONDAY + 3 * HOUR, project_id=portal, is_billable=True)
    later = MONDAY + timedelta(days=8)
    rows.timesheet(own, ada, started_at=later, ended_at=later + 1.5 * HOUR, is_billable=False)
    rows.timesheet(own, bo, started_at=later, ended_at=later + 2 * HOUR, project_id=portal, is_billable=True)
    rows.invoice(
        own, client, number="R-1", status="sent", due_date=date(2026, 1, 31), subtotal=Decimal("119.50"), currency="EUR"
    )
    # A credit note is not late, and its five cents are no reminder.
    rows.invoice(own, client, number="C-1", status="sent", due_date=date(2026, 1, 31), subtotal=Decimal("-0.05"))
    return own


@pytest.fixture(scope="module")
def token(rows: Rows, studio: UUID) -> str:
    return graphql_token(rows, studio)


@pytest.fixture
def opened(visit: Visit, served: Served, studio: UUID, token: str) -> Iterator[Open]:
    """Open the page of the studio with a query; no error and no other host may follow."""

    def open_page(query: str) -> Page:
        visit.page.goto(f"{served.internal}/hours?{query}#token={token}&organization={studio}")
        expect(visit.page.locator("#title")).to_have_text("Hours of Studio <Lindenhof>")
        return visit.page

    yield open_page
    assert visit.errors == []
    assert visit.hosts == {served.internal}


def panel(page: Page, title: str) -> Locator:
    return page.get_by_role("region", name=title, exact=True).first


def lines(page: Page, title: str) -> list[str]:
    """The rows of a panel's table, cells apart by a bar."""
    rows = panel(page, title).locator("tbody tr")
    expect(rows).not_to_have_count(0)
    return [" | ".join(row.locator("th, td").all_inner_texts()) for row in rows.all()]


def test_panels_show_hours_budgets_and_invoices(opened: Open) -> None:
    page = opened(MARCH)
    assert lines(page, "Hours by week") == ["2026-03-02 | 3.00 | 3.00 | 0.00 | ", "2026-03-09 | 3.50 | 2.00 | 0.00 | "]
    assert lines(page, "Hours by project") == ["Portal | Grünau | 5.00 | 5.00", "No project |  | 1.50 | 0.00"]
    assert lines(page, "Hours by person") == ["Ada Lovelace | 4.50 | 3.00 | ", "=Bo | 2.00 | 2.00 | "]
    assert lines(page, "Hours by team") == ["Design | 4.50 | 3.00", "No team | 2.00 | 2.00"]
    assert lines(page, "Budgets of active projects") == ["Portal | 10.00 | 2.77 | 27 %", "Shop | 20.00 |  | "]
    unpaid = panel(page, "Unpaid invoices").inner_text()
    assert "EUR 119.50: more than 90 days late" in unpaid
    assert "EUR -0.05: not due" in unpaid
    assert "None." in panel(page, "At work now").inner_text()
    expect(page.locator("canvas")).to_have_count(4)


def test_range_without_days_ends_with_the_last_week_of_time_and_shows_weeks_without(
    visit: Visit, served: Served, rows: Rows
) -> None:
    own = rows.organization(timezone="UTC", week_start_day="monday")
    long_ago = datetime.now(UTC).replace(hour=12) - timedelta(days=100)
    member = rows.member(own)
    for started_at in (long_ago, long_ago - timedelta(days=14)):
        rows.timesheet(own, member, started_at=started_at)
    sunday = long_ago.date() + timedelta(days=6 - long_ago.weekday())
    visit.page.goto(f"{served.internal}/hours#token={graphql_token(rows, own)}&organization={own}")
    status = visit.page.locator("#status")
    expect(status).to_contain_text(f"{sunday - timedelta(days=27)} to {sunday}, days in UTC")
    weeks = panel(visit.page, "Hours by week").locator("tbody tr")
    expect(weeks).to_have_count(3)
    expect(weeks.nth(1)).to_contain_text("0.00")
    visit.page.get_by_role("button", name="Earlier").click()
    expect(status).to_contain_text(f"{sunday - timedelta(days=55)} to {sunday - timedelta(days=28)}")


def test_invoices_that_are_not_all_shown_have_no_sums(visit: Visit, served: Served, rows: Rows) -> None:
    own = rows.organization()
    client = rows.client(own)
    with rows.transaction(own):
        for _ in range(101):
            rows.invoice(own, client, status="sent", subtotal=1)
    visit.page.goto(f"{served.internal}/hours#token={graphql_token(rows, own)}&organization={own}")
    unpaid = panel(visit.page, "Unpaid invoices")
    expect(unpaid).to_contain_text("The first 100 of 101.")
    assert ": not due" not in unpaid.inner_text()


def test_click_shows_one_person_and_the_link_keeps_it(opened: Open) -> None:
    page = opened(MARCH)
    page.get_by_role("button", name="=Bo").click()
    expect(page.get_by_role("button", name="=Bo: show all")).to_be_visible()
    assert lines(page, "Hours by week") == ["2026-03-09 | 2.00 | 2.00 | 0.00 | "]
    query = parse_qs(urlsplit(page.url).query)
    assert query["start"] == ["2026-03-01"]
    assert set(query) == {"organization", "start", "end", "timezone", "user"}
    page.reload()
    expect(page.get_by_role("button", name="=Bo: show all")).to_be_visible()
    page.get_by_role("button", name="=Bo: show all").press("Enter")
    expect(panel(page, "Hours by week").locator("tbody tr")).to_have_count(2)


def test_table_downloads_as_csv_that_no_spreadsheet_calculates(opened: Open, tmp_path: Path) -> None:
    page = opened(MARCH)
    with page.expect_download() as download:
        panel(page, "Hours by person").get_by_role("link", name="CSV").click()
    download.value.save_as(tmp_path / "people.csv")
    with (tmp_path / "people.csv").open(newline="", encoding="utf-8") as file:
        assert list(csv.reader(file)) == [
            ["\ufeffPerson", "Hours", "Billable", "Activity"],
            ["Ada Lovelace", "4.5000", "3.0000", ""],
            ["'=Bo", "2.0000", "2.0000", ""],
        ]


def test_query_behind_a_table_is_shown_without_the_token(opened: Open, token: str, studio: UUID) -> None:
    page = opened(MARCH)
    teams = panel(page, "Hours by team")
    teams.get_by_text("As GraphQL").click()
    expect(teams).to_contain_text("query HoursByTeam($start: Date!")
    expect(teams).to_contain_text('"start": "2026-03-01"')
    teams.get_by_text("As curl").click()
    expect(teams).to_contain_text(f"-H 'X-Organization-Id: {studio}'")
    assert token not in page.content()


@pytest.mark.parametrize("width", [320, 390, 1440])
def test_page_needs_no_horizontal_scrolling(width: int, opened: Open, visit: Visit) -> None:
    visit.page.set_viewport_size({"width": width, "height": 800})
    page = opened(MARCH)
    assert lines(page, "Unpaid invoices")
    for each in page.get_by_text("As curl").all():
        each.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_charts_are_printed_in_light_colours_without_a_request(opened: Open, visit: Visit) -> None:
    visit.page.emulate_media(color_scheme="dark")
    page = opened(MARCH)
    chart = page.locator(".bars canvas").first
    expect(chart).to_have_attribute("style", re.compile("width"))
    colour = "canvas => Chart.getChart(canvas).options.plugins.legend.labels.color"
    assert chart.evaluate(colour) == "#dbe2ea"
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.emulate_media(media="print", color_scheme="light")
    chart.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    expect(chart).to_have_attribute("width", "640")
    assert chart.evaluate(colour) == "#26313f"
    page.emulate_media(media="screen", color_scheme="dark")
    expect(chart).not_to_have_attribute("width", "640")
    assert chart.evaluate(colour) == "#dbe2ea"
    assert asked == []


def test_names_without_spaces_leave_columns_on_paper(visit: Visit, served: Served, rows: Rows) -> None:
    own = rows.organization(name="Long")
    rows.timesheet(own, rows.member(own), project_id=rows.project(own, name="x" * 180))
    visit.page.emulate_media(media="print")
    query = "start=2026-01-05&end=2026-01-05"
    visit.page.goto(f"{served.internal}/hours?{query}#token={graphql_token(rows, own)}&organization={own}")
    table = panel(visit.page, "Hours by project").get_by_role("region")
    expect(table).to_contain_text("1.00")
    assert table.evaluate("(box) => box.scrollWidth - box.clientWidth") == 0


def test_charts_write_numbers_as_tables_do(browser: Browser, served: Served, rows: Rows) -> None:
    own = rows.organization(name="Many")
    member = rows.member(own)
    with rows.transaction(own):
        for day in range(60):
            start = MONDAY + timedelta(days=day)
            rows.timesheet(own, member, started_at=start, ended_at=start + 24 * HOUR)
    page = browser.new_page(locale="de-DE")
    token = graphql_token(rows, own)
    page.goto(f"{served.internal}/hours?start=2026-03-01&end=2026-05-31#token={token}&organization={own}")
    assert lines(page, "Hours by person") == ["Ada Byron | 1,440.00 | 0.00 | "]
    chart = panel(page, "Hours by person").locator("canvas")
    expect(chart).to_have_attribute("style", re.compile("width"))
    assert "1,000" in chart.evaluate("(canvas) => Chart.getChart(canvas).scales.x.ticks.map(({ label }) => label)")
    page.close()


def test_late_refusal_of_an_earlier_click_hides_nothing(opened: Open) -> None:
    page = opened(MARCH)
    weeks = panel(page, "Hours by week")
    expect(weeks).to_contain_text("2026-03-09")
    held: list[Route] = []
    page.route("**/graphql", lambda route: route.continue_() if held else held.append(route))
    with page.expect_request("**/graphql"):
        page.get_by_role("button", name="Earlier").click()
    page.get_by_role("button", name="=Bo").click()
    expect(weeks).to_contain_text("None.")
    with page.expect_response("**/graphql"):
        held[0].fulfill(json={"errors": [{"message": "Rate limit exceeded."}]})
    page.locator("summary").first.click()
    expect(page.get_by_role("alert")).to_be_hidden()
    expect(weeks).to_contain_text("None.")


def test_figures_of_the_view_before_are_hidden_while_the_next_loads(opened: Open) -> None:
    page = opened(MARCH)
    weeks = panel(page, "Hours by week")
    expect(weeks).to_contain_text("2026-03-09")
    held: list[Route] = []
    page.route(
        "**/graphql",
        lambda route: held.append(route) if "HoursBy" in str(route.request.post_data) else route.continue_(),
    )
    page.get_by_role("button", name="Earlier").click()
    expect(page.locator("#status")).to_contain_text("2026-01-29 to 2026-02-28")
    expect(weeks).to_be_hidden()
    for route in held:
        route.continue_()
    expect(weeks).to_contain_text("None.")
    expect(weeks).to_be_visible()


def test_week_that_has_begun_in_the_zone_alone_is_shown(visit: Visit, served: Served, rows: Rows) -> None:
    own = rows.organization(timezone="Pacific/Auckland", week_start_day="monday")
    member = rows.member(own)
    # Monday at 8 and the Friday before, in Auckland; in UTC, Monday has not begun.
    for started_at in (MONDAY - timedelta(hours=14), MONDAY - timedelta(days=3)):
        rows.timesheet(own, member, started_at=started_at)
    visit.page.clock.set_fixed_time(MONDAY - timedelta(hours=12))
    visit.page.goto(f"{served.internal}/hours#token={graphql_token(rows, own)}&organization={own}")
    expect(visit.page.locator("#status")).to_contain_text("2026-02-03 to 2026-03-02, days in Pacific/Auckland")


def test_name_in_place_of_an_id_is_refused_in_words(visit: Visit, served: Served, token: str) -> None:
    visit.page.goto(f"{served.internal}/hours#token={token}&organization=株式会社")
    expect(visit.page.get_by_role("alert")).to_have_text("X-Organization-Id must be the id of an organization.")


def test_page_of_a_proxy_in_place_of_an_answer_is_a_sentence(visit: Visit, served: Served, studio: UUID) -> None:
    visit.page.route("**/graphql", lambda route: route.fulfill(status=502, body="<html>Bad gateway</html>"))
    visit.page.goto(f"{served.internal}/hours#token=any&organization={studio}")
    expect(visit.page.get_by_role("alert")).to_have_text("The service does not answer.")


def test_explorer_opens_with_the_organization_of_the_page(
    visit: Visit, served: Served, rows: Rows, studio: UUID
) -> None:
    token = graphql_token(rows, studio, served.world.organization_id)
    page = visit.page
    page.goto(f"{served.internal}/#token={token}&organization={served.world.organization_id}")
    page.get_by_role("link", name="Studio <Lindenhof>").click()
    expect(page.locator("#title")).to_have_text("Hours of Studio <Lindenhof>")
    page.get_by_role("link", name="GraphQL explorer").click()
    expect(page.locator("#organization")).to_have_value(str(studio))


def test_back_shows_the_view_before(opened: Open) -> None:
    page = opened(MARCH)
    page.get_by_role("button", name="=Bo").click()
    expect(page.get_by_role("button", name="=Bo: show all")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("button", name="=Bo: show all")).to_have_count(0)
    expect(panel(page, "Hours by project")).to_contain_text("Portal")
    page.go_forward()
    expect(page.get_by_role("button", name="=Bo: show all")).to_be_visible()


def test_wrong_token_is_a_sentence(visit: Visit, served: Served, studio: UUID) -> None:
    visit.page.goto(f"{served.internal}/hours#token=orgd_int_nobody&organization={studio}")
    expect(visit.page.get_by_role("alert")).to_contain_text("Invalid API key.")


def test_report_is_one_file_that_asks_nobody(browser: Browser, owner_url: str, studio: UUID, tmp_path: Path) -> None:
    file = tmp_path / "hours.html"
    days = ("--start", "2026-03-01", "--end", "2026-03-31")
    command = (*orgdata_command(), "report", "--organization", str(studio), *days, "--html", str(file))
    subprocess.run(command, env={**os.environ, "ORGDATA_DATABASE_URL": owner_url}, check=True)
    page = browser.new_page()
    page.set_default_timeout(TIMEOUT_MS)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    assert lines(page, "Hours by project") == ["Portal | Grünau | 5.00 | 5.00", "No project |  | 1.50 | 0.00"]
    expect(page.locator("canvas")).to_have_count(4)
    expect(page.locator("form, button, nav")).to_have_count(0)
    assert asked == [file.as_uri()]
    page.close()
