"""`describeResult`: what the keys of a result mean, without a request."""

import pytest

from tests.factories.rows import Rows
from tests.rest_facade.mcp.clients import call, call_refused, connect_http

pytestmark = pytest.mark.anyio


async def test_keys_are_described_by_their_dotted_names(listener: str, rows: Rows) -> None:
    async with connect_http(listener, rows.mcp_key(rows.organization())) as client:
        keys = (await call(client, "describeResult", tool="listTimeActivityReport"))["keys"]
        error = await call_refused(client, "describeResult", tool="dropTables")
    assert keys["timesheets_count"].startswith("Int. Number of different timesheets")
    assert keys["manual_seconds"] == "Seconds. Part of tracked_seconds: manual time."
    assert keys["days.entries.project_name"] == "String or null. Name of the project."
    assert error["message"] == "tool must be the name of a tool that lists or retrieves."
