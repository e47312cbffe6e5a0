"""Swagger UI and GraphiQL in a browser: they run requests, and contact no other host."""

from typing import Any

from playwright.sync_api import expect

from tests.browser.conftest import Served, Visit
from tests.world import SIZE


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


def test_graphiql_runs_a_nested_query(visit: Visit, served: Served) -> None:
    page = visit.page
    body = opened(visit, served)
    assert "__schema" in body["data"]
    with answer(visit, served) as answered:
        page.locator(".graphiql-execute-button").click()
    members = answered.value.json()["data"]["members"]
    assert members["count"] == SIZE
    projects = [project["name"] for row in members["results"] for project in row["projects"]["results"]]
    assert "A-project 0" in projects
    expect(page.locator(".result-window")).to_contain_text("A-member")
    assert visit.hosts == {served.internal}
    assert visit.errors == []


def test_prepared_graphiql_queries_return_rows(visit: Visit, served: Served) -> None:
    page = visit.page
    opened(visit, served)
    tabs = page.get_by_role("tab")
    expect(tabs).to_have_count(3)
    for number, (query, field) in enumerate(
        [
            ("MembersAndProjects", "members"),
            ("ClientsProjectsPeople", "clients"),
            ("WhereTimeWent", "time_activity_reports"),
        ]
    ):
        tabs.nth(number).click()
        expect(page.locator(".graphiql-query-editor")).to_contain_text(query)
        with answer(visit, served) as answered:
            page.locator(".graphiql-execute-button").click()
        body = answered.value.json()
        assert "errors" not in body
        assert body["data"][field]["results"]


def test_refused_token_shows_error_code(visit: Visit, served: Served) -> None:
    body = opened(visit, served, token="orgd_int_nobody")
    assert body["errors"][0]["extensions"]["code"] == "INVALID_API_KEY"
    expect(visit.page.locator(".result-window")).to_contain_text("INVALID_API_KEY")


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
