"""Constraints of the activity tables."""

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
def test_invalid_app_usage_is_refused(
    wrong: dict[str, Any], rows: Rows, own: UUID, app: UUID, sheet: UUID, ada: UUID
) -> None:
    with pytest.raises(IntegrityError, match=r"app_usages_\w+_check"):
        rows.app_usage(own, app, sheet, ada, **wrong)


def test_duplicate_app_usage_is_refused(rows: Rows, own: UUID, app: UUID, sheet: UUID, ada: UUID) -> None:
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
def test_url_with_query_fragment_or_user_is_refused(url: str, rows: Rows, own: UUID, site: UUID) -> None:
    with pytest.raises(IntegrityError, match="url_pages_url_check"):
        rows.url_page(own, site, url=url)


@pytest.mark.parametrize(
    "url", ["https://example.com", "http://example.com:8080/a/@b/c%20d", "ftp://xn--caf-dma.example/"]
)
def test_url_with_any_scheme_port_and_path_is_stored(url: str, rows: Rows, own: UUID, site: UUID) -> None:
    rows.url_page(own, site, url=url)


def test_duplicate_names_and_uppercase_hosts_are_refused(rows: Rows, own: UUID, app: UUID, site: UUID) -> None:
    with pytest.raises(IntegrityError, match="apps_organization_id_name_key"):
        rows.app(own)
    rows.app(own, name="editor")
    with pytest.raises(IntegrityError, match="domains_organization_id_name_key"):
        rows.domain(own)
    with pytest.raises(IntegrityError, match="domains_name_check"):
        rows.domain(own, name="Example.org")


def test_available_screenshot_needs_an_image(rows: Rows, own: UUID, ada: UUID) -> None:
    with pytest.raises(IntegrityError, match="screenshots_object_key_check"):
        rows.screenshot(own, ada, object_key=None)
    for percent in (-1, 101):
        with pytest.raises(IntegrityError, match="screenshots_activity_percent_check"):
            rows.screenshot(own, ada, activity_percent=percent)


def test_invalid_suspicious_activity_is_refused(rows: Rows, own: UUID, ada: UUID) -> None:
    refused: dict[str, dict[str, Any]] = {
        "confidence_percent": {"confidence_percent": 101},
        "deducted_seconds": {"deducted_seconds": -1},
        "started_at": {"ended_at": THEN - timedelta(seconds=1)},
    }
    for name, wrong in refused.items():
        with pytest.raises(IntegrityError, match=f"suspicious_activity_logs_{name}_check"):
            rows.suspicious_activity_log(own, ada, **wrong)
