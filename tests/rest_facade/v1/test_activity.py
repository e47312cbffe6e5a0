"""Activity over HTTP: usage reports and suspicious activity logs."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import httpx2 as httpx
import pytest

from resolvers.reports.report_members import LOGS
from tests.conftest import Connect
from tests.errors import assert_error
from tests.factories.base import THEN
from tests.factories.rows import Rows
from tests.rest_facade.v1.conftest import ADA, BOB, Acme, at, results

SECOND, HOUR, DAY = timedelta(seconds=1), timedelta(hours=1), timedelta(days=1)

LOG_LIST = "suspicious_activity_logs"

# The range of the tests: THEN is in the morning of its first day.
RANGE = {"start_date": "2026-01-05", "end_date": "2026-01-06"}


@pytest.fixture
def acme(acme: Acme, rows: Rows) -> Acme:
    """Each has a tracked hour, hers is on the project."""
    hers = rows.timesheet(acme.id, acme.ada, project_id=acme.project)
    return acme._replace(hers=hers, his=rows.timesheet(acme.id, acme.bob))


async def used(http: httpx.AsyncClient, path: str = "app_reports", **params: Any) -> list[dict[str, int]]:
    """The seconds of each member's usage on all days, by name."""
    found: list[dict[str, int]] = []
    for report in await results(http, path, **RANGE | params):
        things = [thing for day in report["days"] for thing in day.get("apps", day.get("sites"))]
        names = [thing.get("app_name", thing.get("domain")) for thing in things]
        seconds = [thing["duration_seconds"] for thing in things]
        found.append({name: sum(s for n, s in zip(names, seconds, strict=True) if n == name) for name in names})
        assert sum(seconds) == report["total_seconds"]
    return found


async def test_app_report_shows_days_and_apps(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    editor = rows.app(acme.id, name="Editor", category="development", productivity="productive")
    counts = {"duration_seconds": 900, "active_seconds": 100, "sessions_count": 2}
    rows.app_usage(acme.id, editor, acme.hers, acme.ada, slot_at=THEN, **counts, updated_at=THEN + 5 * DAY)
    used = {"app_name": "Editor", "category": "development", "productivity": "productive", **counts}
    used |= {"first_used_at": "2026-01-05T09:00:00Z", "last_used_at": "2026-01-05T09:10:00Z"}
    head = {**RANGE, "timezone": "UTC", "is_final": True}
    head |= dict.fromkeys(("neutral_seconds", "unproductive_seconds", "unrated_seconds"), 0)
    hers = {"user": ADA | {"user_id": str(acme.ada)}, "total_seconds": 900, "productive_seconds": 900, **head}
    days = [{"date": "2026-01-05", "total_seconds": 900, "apps": [used]}]
    hers |= {"updated_at": "2026-01-10T09:00:00Z", "days": days}
    his = {"user": BOB | {"user_id": str(acme.bob)}, "total_seconds": 0, "productive_seconds": 0, **head}
    his |= {"updated_at": "2026-01-05T10:00:00Z", "days": []}
    response = await http.get("/v1/app_reports/", params=RANGE)
    assert response.json() == {"count": 2, "next": None, "previous": None, "results": [hers, his]}


@pytest.fixture
def usage(acme: Acme, rows: Rows) -> None:
    """She used an editor for 600 seconds and chat for 60, he chat for 6; two sites for as long; and what is deleted."""
    editor = rows.app(acme.id, name="Editor", productivity="productive")
    chat = rows.app(acme.id, name="Chat", productivity="neutral")
    docs = rows.domain(acme.id, name="docs.example", productivity="productive")
    mail = rows.domain(acme.id, name="mail.example", productivity="neutral")
    pages = {site: rows.url_page(acme.id, site) for site in (docs, mail)}
    for app, site, sheet, user, seconds, more in [
        (editor, docs, acme.hers, acme.ada, 600, {}),
        (chat, mail, acme.hers, acme.ada, 60, {}),
        (chat, mail, acme.his, acme.bob, 6, {}),
        (chat, mail, acme.his, acme.bob, 7, {"slot_at": THEN + HOUR, "deleted_at": THEN}),
    ]:
        times = {"duration_seconds": seconds, "active_seconds": 0, **more}
        rows.app_usage(acme.id, app, sheet, user, **times)
        rows.url_usage(acme.id, site, pages[site], sheet, user, **times)


@pytest.mark.usefixtures("usage")
async def test_app_names_are_case_sensitive_and_domains_are_not(http: httpx.AsyncClient) -> None:
    assert await used(http, "app_reports", app_name="chat") == [{}, {}]
    assert await used(http, "url_reports", domain="Docs.EXAMPLE") == [{"docs.example": 600}, {}]


@pytest.mark.usefixtures("usage")
@pytest.mark.parametrize("path", ["app_reports", "url_reports", "time_activity_reports"])
async def test_report_is_filtered_by_user_or_team(path: str, acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    team, left = rows.team(acme.id), rows.team(acme.id)
    rows.team_member(acme.id, team, acme.bob)
    rows.team_member(acme.id, left, acme.bob, deleted_at=THEN)
    for params, people in [
        ({}, [acme.ada, acme.bob]),
        ({"user_id": str(acme.bob)}, [acme.bob]),
        ({"team_id": str(team)}, [acme.bob]),
        ({"team_id": str(left)}, []),
    ]:
        found = await results(http, path, **RANGE | params)
        assert [report["user"]["user_id"] for report in found] == list(map(str, people)), params


@pytest.mark.parametrize("path", ["app_reports", "time_activity_reports", "timesheet_idle_times"])
async def test_rows_are_members_during_the_range(path: str, rows: Rows, client: Connect) -> None:
    own = rows.organization(timezone="Europe/Berlin")
    low, high = at("2026-01-04T23:00:00"), at("2026-01-06T23:00:00")
    for email, joined, removed in [
        ("left as it began", THEN - 9 * DAY, low),
        ("left in its first second", THEN - 9 * DAY, low + SECOND),
        ("came in its last second", high - SECOND, None),
        ("came as it ended", high, None),
    ]:
        gone = {} if removed is None else {"status": "removed", "removed_at": removed}
        rows.member(own, email=email, first_joined_at=joined, **gone)
    rows.member(own, email="never came", status="invited")
    rows.member(own, email="deleted", deleted_at=THEN)
    found = (await client(rows.partner_key(own)).get(f"/v1/{path}/", params=RANGE)).json()["results"]
    assert {report["user"]["email"] for report in found} == {"left in its first second", "came in its last second"}
    assert len(found) == 2


@pytest.mark.usefixtures("usage")
@pytest.mark.parametrize("path", ["app_reports", "url_reports"])
async def test_member_with_more_logs_than_the_cap_is_refused(
    path: str, acme: Acme, http: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert LOGS.limit == 50_000
    monkeypatch.setattr("resolvers.reports.usage_report.LOGS", LOGS._replace(limit=1))
    message = "User has 2 logs in range; maximum is 1. Narrow start_date/end_date."
    # What a row shows does not change what must be read for it.
    for more in ({}, {"productivity": "productive"}, {"user_id": str(acme.ada)}):
        response = await http.get(f"/v1/{path}/", params=RANGE | more)
        assert_error(response, 400, "VALIDATION_ERROR", message, {"log_count": 2, "log_cap": 1})
    assert len(await used(http, path, user_id=str(acme.bob))) == 1, "what is deleted does not count"
    monkeypatch.setattr("resolvers.reports.usage_report.LOGS", LOGS._replace(limit=2))
    assert len(await used(http, path)) == 2


@pytest.mark.usefixtures("usage")
@pytest.mark.parametrize("path", ["app_reports", "url_reports"])
async def test_updated_since_selects_changed_usage(path: str, acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    site = rows.domain(acme.id, name="new.example")
    change = {"slot_at": THEN + HOUR, "updated_at": THEN + DAY, "deleted_at": THEN + DAY}
    rows.app_usage(acme.id, rows.app(acme.id, name="New"), acme.his, acme.bob, **change)
    rows.url_usage(acme.id, site, rows.url_page(acme.id, site), acme.his, acme.bob, **change)
    for since, shown in [("2026-01-05T09:00:00Z", [660, 6]), ("2026-01-06T09:00:00Z", [6]), ("2026-01-07", [])]:
        found = await results(http, path, **RANGE, updated_since=since)
        assert [report["total_seconds"] for report in found] == shown, "what was deleted counts as changed"


async def test_detail_url_shows_pages_by_site_and_day(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    docs, mail = rows.domain(acme.id, name="docs.example"), rows.domain(acme.id, name="mail.example")
    a = rows.url_page(acme.id, docs, url="https://docs.example/a", title="A")
    b = rows.url_page(acme.id, docs, url="https://docs.example/b")
    c = rows.url_page(acme.id, docs, url="https://docs.example/C")
    inbox = rows.url_page(acme.id, mail, url="https://mail.example/", title="Inbox")
    for site, page, slot, seconds, visits in [
        (docs, a, THEN, 10, 1),
        (docs, b, THEN, 30, 2),
        (docs, b, THEN + HOUR, 30, 2),
        (docs, c, THEN, 10, 3),
        (mail, inbox, THEN, 5, 1),
        (docs, a, THEN + DAY, 7, 4),
    ]:
        used = {"slot_at": slot, "duration_seconds": seconds, "active_seconds": 0, "visits_count": visits}
        rows.url_usage(acme.id, site, page, acme.hers, acme.ada, **used)
    rows.url_usage(acme.id, docs, a, acme.his, acme.bob)
    params = RANGE | {"user_id": str(acme.ada), "detail": "url"}
    (report,) = await results(http, "url_reports", **params)
    shown = [
        (day["date"], site["domain"], site["pages_truncated"], *(tuple(page.values()) for page in site["pages"]))
        for day in report["days"]
        for site in day["sites"]
    ]
    assert shown == [
        (
            *("2026-01-05", "docs.example", False, ("https://docs.example/b", None, 60, 4)),
            *(("https://docs.example/C", None, 10, 3), ("https://docs.example/a", "A", 10, 1)),
        ),
        ("2026-01-05", "mail.example", False, ("https://mail.example/", "Inbox", 5, 1)),
        ("2026-01-06", "docs.example", False, ("https://docs.example/a", "A", 7, 4)),
    ]
    assert list(report["days"][0]["sites"][0]["pages"][0]) == ["url", "title", "duration_seconds", "visits_count"]
    (narrowed,) = await results(http, "url_reports", **params, domain="mail.example")
    assert [len(site["pages"]) for day in narrowed["days"] for site in day["sites"]] == [1]


async def test_site_shows_at_most_200_pages_of_a_day(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    docs, mail = rows.domain(acme.id, name="docs.example"), rows.domain(acme.id, name="mail.example")
    with rows.transaction(acme.id):
        for site, count in ((docs, 201), (mail, 200)):
            for n in range(count):
                page = rows.url_page(acme.id, site, url=f"https://{n:03}.example/")
                rows.url_usage(acme.id, site, page, acme.hers, acme.ada, duration_seconds=1, active_seconds=0)
    (report,) = await results(http, "url_reports", **RANGE, user_id=str(acme.ada), detail="url")
    sites = report["days"][0]["sites"]
    for site in sites:
        assert [page["url"] for page in site["pages"]] == [f"https://{n:03}.example/" for n in range(200)]
    assert [site["pages_truncated"] for site in sites] == [True, False]
    assert [site["duration_seconds"] for site in sites] == [201, 200], "those that are not shown count"


@pytest.mark.usefixtures("usage")
async def test_detail_url_needs_user_id(acme: Acme, http: httpx.AsyncClient) -> None:
    message = "detail=url is allowed only together with user_id."
    for more in ({}, {"team_id": str(uuid4())}):
        response = await http.get("/v1/url_reports/", params=RANGE | {"detail": "url"} | more)
        assert_error(response, 400, "VALIDATION_ERROR", message, {"detail": [message]})
