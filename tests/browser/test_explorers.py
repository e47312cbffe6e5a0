"""Swagger UI and GraphiQL in a browser: they run requests, and contact no other host."""

from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Served, Visit
from tests.world import SIZE

pytestmark = pytest.mark.process


def test_swagger_ui_runs_an_operation(visit: Visit, served: Served) -> None:
    page = visit.page
    page.goto(f"{served.internal}/docs")
    page.locator("button.authorize").first.click()
    page.locator(".auth-container input").fill(served.world.key)
    page.locator(".auth-container button.authorize").click()
    page.locator(".auth-container button.btn-done").click()
    operation = page.locator("#operations-people-listMembers")
    operation.locator(".opblock-summary-control").click()
    operation.locator("button.execute").click()
    answer = operation.locator(".live-responses-table .response")
    expect(answer.locator(".response-col_status")).to_contain_text("200")
    expect(answer).to_contain_text("A-member 0")
    # CORS: the public listener exposes this header to the page.
    expect(answer).to_contain_text("ratelimit-remaining")
    assert visit.hosts == {served.internal, served.public}
    assert visit.errors == []


def test_swagger_ui_follows_the_colours_of_the_system(visit: Visit, served: Served) -> None:
    visit.page.emulate_media(color_scheme="dark")
    visit.page.goto(f"{served.internal}/docs")
    expect(visit.page.locator("html.dark-mode")).to_have_count(1)
    visit.page.emulate_media(color_scheme="light")
    expect(visit.page.locator("html.dark-mode")).to_have_count(0)


def test_graphiql_runs_examples_unchanged_and_shows_their_cost(visit: Visit, served: Served) -> None:
    page = visit.page
    body = opened(visit, served)
    assert "__schema" in body["data"]
    example(visit, "Clients, their projects, and who is on each").click()
    data = run(visit, served)["data"]
    people = [
        member["user"]["full_name"]
        for client in data["clients"]["results"]
        for project in client["projects"]["results"]
        for member in project["members"]["results"]
    ]
    assert "A-member 0" in people
    expect(page.locator(".result-window")).to_contain_text("A-client")
    expect(meter(visit, "Estimated rows")).to_have_attribute("aria-valuetext", "280 of 5,000")
    expect(meter(visit, "Levels")).to_have_attribute("aria-valuetext", "5 of 12")
    expect(cost(visit)).to_contain_text("Most rows: clients.projects.members (250) · 3 statements in ")
    example(visit, "Where time went, by day and project").click()
    expect(page.get_by_label("Variables")).to_contain_text("start_date")
    body = run(visit, served)
    assert "errors" not in body
    assert len(body["data"]["time_activity_reports"]["results"]) == SIZE
    assert visit.hosts == {served.internal}
    assert visit.errors == []


def test_example_replaces_an_example_but_nothing_else(visit: Visit, served: Served) -> None:
    opened(visit, served)
    page, tabs = visit.page, visit.page.get_by_role("tab")
    chosen = page.get_by_label("Examples").locator("[aria-current=true]")
    expect(chosen).to_have_text("The organization, its settings and features")
    example(visit, "Open tasks, who does them, and their subtasks").click()
    expect(tabs).to_have_count(1)
    expect(tabs).to_contain_text(["OpenTasks"])
    expect(chosen).to_have_text("Open tasks, who does them, and their subtasks")
    type_query(visit, "query Mine { teams { count } }")
    expect(tabs).to_contain_text(["Mine"])
    expect(chosen).to_have_count(0)
    example(visit, "Attendance and breaks").click()
    expect(tabs).to_have_count(2)
    expect(tabs).to_contain_text(["Mine", "Attendance"])
    tabs.first.click()
    expect(page.locator(".graphiql-query-editor")).to_contain_text("Mine")


def test_query_over_a_limit_shows_its_estimate(visit: Visit, served: Served) -> None:
    opened(visit, served)
    expect(visit.page.locator(".cost")).to_have_text("The cost of a query appears here after it ran.")
    type_query(visit, "query Mine { members(limit: 100) { results { tasks(limit: 100) { next } } } }")
    run(visit, served)
    expect(meter(visit, "Estimated rows")).to_have_attribute("aria-valuetext", "10,100 of 5,000")
    expect(cost(visit)).to_contain_text("Most rows: members.tasks (10,000) · Not executed")
    expect(meter(visit, "Objects")).to_have_count(0)


def test_page_is_wide_for_the_query_and_shows_a_refusal(visit: Visit, served: Served) -> None:
    visit.page.set_viewport_size({"width": 1280, "height": 800})
    body = opened(visit, served, token="orgd_int_nobody")
    widths = [visit.page.locator(each).bounding_box() for each in (".graphiql-query-editor", ".graphiql-response")]
    query, response = (box["width"] for box in widths if box is not None)
    assert query >= 0.59 * (query + response) >= 0.59 * 0.7 * 1280
    assert body["errors"][0]["extensions"]["code"] == "INVALID_API_KEY"
    expect(visit.page.locator(".result-window")).to_contain_text("INVALID_API_KEY")


def test_query_and_response_stand_below_each_other_on_a_phone(visit: Visit, served: Served) -> None:
    visit.page.set_viewport_size({"width": 390, "height": 800})
    opened(visit, served)
    boxes = [visit.page.locator(each).bounding_box() for each in (".graphiql-query-editor", ".graphiql-response")]
    query, response = (box for box in boxes if box is not None)
    assert min(query["width"], response["width"]) >= 280
    assert response["y"] >= query["y"] + query["height"]
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= 390


def example(visit: Visit, title: str) -> Locator:
    """The button of an example query."""
    return visit.page.get_by_label("Examples").get_by_role("button", name=title, exact=True)


def cost(visit: Visit) -> Locator:
    """The cost of the last response."""
    return visit.page.get_by_role("region", name="Cost")


def meter(visit: Visit, name: str) -> Locator:
    """One figure of the cost."""
    return cost(visit).get_by_role("meter", name=name)


def type_query(visit: Visit, query: str) -> None:
    """Replace the text of the query editor."""
    visit.page.locator(".graphiql-query-editor .view-lines").click()
    visit.page.keyboard.press("ControlOrMeta+A")
    visit.page.keyboard.insert_text(query)


def run(visit: Visit, served: Served) -> Any:
    """Execute the query of the editor and return the response."""
    with answer(visit, served) as answered:
        visit.page.locator(".graphiql-execute-button").click()
    return answered.value.json()


def opened(visit: Visit, served: Served, token: str | None = None) -> Any:
    """Open GraphiQL, fill in token and organization, and return the response to its introspection query."""
    page = visit.page
    page.goto(f"{served.internal}/graphql")
    expect(page.locator(".graphiql-container")).to_be_visible()
    page.locator("#token").fill(token or served.token)
    with answer(visit, served) as answered:
        page.locator("#organization").fill(str(served.world.organization_id))
        page.locator("#organization").press("Enter")
    return answered.value.json()


def answer(visit: Visit, served: Served) -> Any:
    """Wait for the response to the GraphQL request that the block sends."""
    return visit.page.expect_response(
        lambda response: response.url == f"{served.internal}/graphql" and response.request.method == "POST"
    )
