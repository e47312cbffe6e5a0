"""Right and wrong values of the arguments of tools."""

from typing import Any

from rest_facade.v1 import ENDPOINTS

ID = "0198c0de-0000-7000-8000-000000000001"

VALID = {
    "start_date": "2026-01-05",
    "end_date": "2026-01-06",
    "date": "2026-01-05",
    **{name: ID for endpoint in ENDPOINTS for name in endpoint.ids},
}

WRONG: list[Any] = [
    *("", " ", "..", "../..", "a/b", "?", "#", "%2e%2e", "\x00", "\ud800", "&amp;limit=1", "2026-W45", "20260105"),
    *("2026-02-30", "9999-12-31", "0001-01-01", "null", "NaN", "1e400", "9" * 400, "٣"),
    *(0, -1, 2**63, 1.5, float("inf"), float("nan"), True, [], [[]], [None], {}, {"a": 1}, [{"a": 1}], ["a", 1]),
]
