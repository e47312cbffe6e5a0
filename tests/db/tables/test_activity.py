"""What the tables of activity refuse, whoever writes them."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy.exc import IntegrityError

from tests.factories.base import THEN
from tests.factories.rows import Rows


@pytest.fixture(scope="module")
def own(rows: Rows) -> UUID:
    return rows.organization()


@pytest.fixture(scope="module")
def ada(rows: Rows, own: UUID) -> UUID:
    return rows.member(own)


@pytest.fixture(scope="module")
def sheet(rows: Rows, own: UUID, ada: UUID) -> UUID:
    return rows.timesheet(own, ada)


@pytest.fixture(scope="module")
def app(rows: Rows, own: UUID) -> UUID:
    return rows.app(own)


@pytest.fixture(scope="module")
def site(rows: Rows, own: UUID) -> UUID:
    return rows.domain(own)


@pytest.mark.parametrize(
    "wrong",
    [
        {"slot_at": THEN + timedelta(minutes=5)},
        {"slot_at": THEN + timedelta(seconds=900.6)},
        {"duration_seconds": 901, "active_seconds": 0},
        {"duration_seconds": -1, "active_seconds": -1},
        {"duration_seconds": 10, "active_seconds": 11},
        {"sessions_count": -1},
        {"last_at": THEN - timedelta(seconds=1)},
    ],
)
def test_a_slot_lies_on_the_grid_and_holds_no_more_than_itself(
    wrong: dict[str, Any], rows: Rows, own: UUID, app: UUID, sheet: UUID, ada: UUID
) -> None:
    with pytest.raises(IntegrityError, match=r"app_usages_\w+_check"):
        rows.app_usage(own, app, sheet, ada, **wrong)


def test_a_slot_is_stored_once_for_an_application_and_a_timesheet(
    rows: Rows, own: UUID, app: UUID, sheet: UUID, ada: UUID
) -> None:
    rows.app_usage(own, app, sheet, ada)
    with pytest.raises(IntegrityError, match="app_usages_pkey"):
        rows.app_usage(own, app, sheet, ada)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com/?q=1",
        "https://example.com?q",
        "https://example.com/a#b",
        "https://example.com#b",
        "https://ada@example.com/",
        "https://ada:secret@example.com/",
        "https://example.com:80@evil.example/",
        "https:///path",
        "example.com/",
        "javascript:alert(1)",
        "",
    ],
)
def test_a_page_has_no_query_no_fragment_and_no_user(url: str, rows: Rows, own: UUID, site: UUID) -> None:
    with pytest.raises(IntegrityError, match="url_pages_url_check"):
        rows.url_page(own, site, url=url)


@pytest.mark.parametrize(
    "url", ["https://example.com", "http://example.com:8080/a/@b/c%20d", "ftp://xn--caf-dma.example/"]
)
def test_a_page_may_have_any_scheme_port_and_path(url: str, rows: Rows, own: UUID, site: UUID) -> None:
    rows.url_page(own, site, url=url)


def test_names_are_stored_once_and_hosts_in_lower_case(rows: Rows, own: UUID, app: UUID, site: UUID) -> None:
    with pytest.raises(IntegrityError, match="apps_organization_id_name_key"):
        rows.app(own)
    rows.app(own, name="editor")
    with pytest.raises(IntegrityError, match="domains_organization_id_name_key"):
        rows.domain(own)
    with pytest.raises(IntegrityError, match="domains_name_check"):
        rows.domain(own, name="Example.org")


def test_an_available_screenshot_has_an_image(rows: Rows, own: UUID, ada: UUID) -> None:
    with pytest.raises(IntegrityError, match="screenshots_object_key_check"):
        rows.screenshot(own, ada, object_key=None)
    for percent in (-1, 101):
        with pytest.raises(IntegrityError, match="screenshots_activity_percent_check"):
            rows.screenshot(own, ada, activity_percent=percent)


def test_suspicion_is_sure_by_0_to_100_percent_and_takes_nothing_back(rows: Rows, own: UUID, ada: UUID) -> None:
    refused: dict[str, dict[str, Any]] = {
        "confidence_percent": {"confidence_percent": 101},
        "deducted_seconds": {"deducted_seconds": -1},
        "started_at": {"ended_at": THEN - timedelta(seconds=1)},
    }
    for name, wrong in refused.items():
        with pytest.raises(IntegrityError, match=f"suspicious_activity_logs_{name}_check"):
            rows.suspicious_activity_log(own, ada, **wrong)
