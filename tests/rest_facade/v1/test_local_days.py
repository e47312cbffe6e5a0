"""The local day of rows over HTTP, where the clock shows another date than that of the day.

In St. John's the clock went from 00:01 on 29 October 2006 back to 23:01 on the 28th. The 29th had begun a
minute before.
"""

from datetime import datetime
from typing import Any

import pytest

from tests.conftest import Connect
from tests.factories.rows import Rows

ZONE = "America/St_Johns"
BEFORE, BEGINS, REPEATED = "2006-10-29T02:29:59Z", "2006-10-29T02:30:00Z", "2006-10-29T03:00:00Z"

RAW_LISTS = ["manual_timesheet_reports", "clockinouts", "suspicious_activity_logs"]


@pytest.mark.parametrize("path", RAW_LISTS)
async def test_row_is_shown_under_the_day_that_finds_it(client: Connect, rows: Rows, path: str) -> None:
    own = rows.organization(timezone=ZONE)
    ada = rows.member(own)
    for text in (BEFORE, BEGINS, REPEATED):
        start = datetime.fromisoformat(text)
        rows.manual_request(own, ada, started_at=start)
        rows.clock_record(own, ada, clock_in_at=start)
        rows.suspicious_activity_log(own, ada, started_at=start)

    async with client(rows.partner_key(own)) as http:

        async def found(first: str, last: str) -> list[tuple[Any, Any]]:
            response = await http.get(f"/v1/{path}/", params={"start_date": first, "end_date": last})
            assert response.status_code == 200, response.text
            shown = response.json()["results"]
            return sorted((row.get("started_at", row.get("clock_in_at")), row["date"]) for row in shown)

        eve, day = [(BEFORE, "2006-10-28")], [(BEGINS, "2006-10-29"), (REPEATED, "2006-10-29")]
        assert await found("2006-10-28", "2006-10-28") == eve
        assert await found("2006-10-29", "2006-10-29") == day
        assert await found("2006-10-28", "2006-10-29") == eve + day
