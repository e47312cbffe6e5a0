"""Application and URL usage, screenshots and suspicious activity."""

from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.envelopes import ARRAY, REPORT, STANDARD

URL_REPORT = """
    ...fields user
    days { ...fields sites { ...fields pages @include(if: $detail_url) pages_truncated @include(if: $detail_url) } }
"""

ENDPOINTS = [
    Endpoint(
        "listAppReports",
        "/v1/app_reports/",
        REPORT,
        "app_reports",
        "...fields user days { ...fields apps }",
        scope="activity:read",
    ),
    Endpoint(
        "listUrlReports",
        "/v1/url_reports/",
        REPORT,
        "url_reports(with_pages: $detail_url)",
        URL_REPORT,
        scope="activity:read",
    ),
    Endpoint("listScreenshots", "/v1/screenshots/", ARRAY, "screenshots"),
    Endpoint(
        "listSuspiciousActivityLogs",
        "/v1/suspicious_activity_logs/",
        STANDARD,
        "suspicious_activity_logs",
        "...fields user evidence",
        scope="security:read",
    ),
]
