"""Checks for people with almost as many records as one response may cover, or more."""

from collections.abc import Iterator

from db.jobs.doctor.check import Check, Severity

LONGEST_RANGE = 31
"""Days before the last day of a range: any 31 local days lie in 32 days of UTC."""

NEAR = 0.8
"""The share of a cap at which a person is reported: a growing team reaches the rest within months."""


def _per_day(table: str, at: str) -> str:
    return f"""
    SELECT user_id, CAST({at} AS date) AS day, count(*) AS records
    FROM {table} WHERE organization_id = :organization_id AND deleted_at IS NULL
    GROUP BY 1, 2"""


def _in_any_range(table: str, at: str) -> str:
    """How many rows each person has in the range that ends with each day. Days are few, so the window is small."""
    return f"""
  SELECT user_id, CAST(sum(records) OVER (PARTITION BY user_id ORDER BY day
                                          RANGE BETWEEN interval '{LONGEST_RANGE} days' PRECEDING AND CURRENT ROW)
                       AS bigint) AS records
  FROM ({_per_day(table, at)}) per_day"""


def _near(cap: str, counts: str) -> str:
    """Finds people with their highest count, the highest first."""
    return f"""
SELECT user_id || ' ' || max(records) AS example
FROM ({counts}) counted
GROUP BY user_id HAVING max(records) >= {NEAR} * :{cap}
ORDER BY max(records) DESC, user_id"""


def caps() -> Iterator[Check]:
    yield Check(
        "timesheets-near-cap",
        Severity.warning,
        "People have almost as many timesheets in 31 days as a report may cover, or more.",
        "Let clients ask for shorter ranges, and merge timesheets that follow one another on the same task.",
        _near("timesheets_cap", _in_any_range("timesheets", "started_at")),
    )
    yield Check(
        "usage-logs-near-cap",
        Severity.warning,
        "People have almost as many rows of app_usages or url_usages in 31 days as a report may cover, or more.",
        "Let clients ask for shorter ranges, and write one row for an application or page and slot.",
        _near(
            "logs_cap", " UNION ALL ".join(_in_any_range(table, "slot_at") for table in ("app_usages", "url_usages"))
        ),
    )
    yield Check(
        "screenshots-near-cap",
        Severity.warning,
        "People have almost as many screenshots on one day as a response may have, or more.",
        "Take screenshots less often.",
        _near("screenshots_cap", _per_day("screenshots", "captured_at")),
    )
