"""`docs/payroll.md`: its recipe over the demo, as it is on a fixed day, yields the figures of its worked example."""

import re
from collections.abc import AsyncIterator
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from db.admin.engine import connect
from db.sample.demo.build import DEMO_ORGANIZATION_ID, insert_organizations
from rest_facade.composition import build_service
from rest_facade.settings import Settings
from tests.conftest import BASE_URL, Connect
from tests.db.sample.demo.demo_rows import NOW
from tests.factories.rows import Rows

PAGE = Path(__file__).parents[4] / "docs" / "payroll.md"
MONDAYS = (date(2026, 2, 9), date(2026, 2, 16))


@pytest.fixture
async def http(own_url: str, settings: Settings, client: Connect) -> AsyncIterator[httpx.AsyncClient]:
    engine = connect(own_url)
    with engine.connect() as connection:
        insert_organizations(connection, now=NOW)
        connection.commit()
    rows = Rows(engine)
    rows.quota(DEMO_ORGANIZATION_ID, 1_000_000)
    service = build_service(settings, url=own_url, base_url=BASE_URL)
    async with service.running(), client(rows.partner_key(DEMO_ORGANIZATION_ID), of=service) as http:
        yield http
    rows.connection.close()


async def pages(http: httpx.AsyncClient, path: str, **params: str) -> list[dict[str, Any]]:
    response, found = await http.get(f"/v1/{path}/", params=params), list[dict[str, Any]]()
    if response.status_code == 404:
        return found  # the settings of people who left
    while True:
        assert response.status_code == 200, response.text
        body = response.json()
        if isinstance(body, list):
            return body
        found += body["results"]
        if body["next"] is None:
            return found
        response = await http.get(body["next"])


async def pay(http: httpx.AsyncClient, row: dict[str, Any]) -> list[str] | None:
    """The steps of the page for one row of the report; None for people who are not paid by the hour."""
    user_id, first, last = row["user"]["user_id"], row["start_date"], row["end_date"]
    settings = [
        each
        for each in await pages(http, f"members/{user_id}/payment_settings")
        if each["effective_from"] <= first and (each["effective_to"] or "9999") >= last
    ]
    if not settings or settings[0]["pay_type"] != "hourly":
        return None
    (terms,) = settings
    approved = row["locked_seconds"] if terms["requires_approval"] else row["tracked_seconds"]
    worked = approved + row["paid_break_seconds"]
    leave = sum(
        day["duration_seconds"]
        for each in await pages(http, "leave_applications", user_id=user_id, status="approved", **range_of(row))
        for day in each["days"]
        if each["is_paid"] and first <= day["date"] <= last
    )
    threshold = terms["overtime_weekly_threshold_seconds"] if terms["overtime_enabled"] else None
    overtime = max(0, worked - threshold) if threshold is not None else 0
    premium = overtime * (Decimal(terms["overtime_multiplier"] or 1) - 1)
    amount = (worked + leave + premium) / Decimal(3600) * Decimal(terms["pay_rate"])
    amount = amount.quantize(Decimal("0.01"), ROUND_HALF_UP)
    seconds = [row["tracked_seconds"], row["locked_seconds"], row["paid_break_seconds"], overtime, leave]
    return [first, *(f"{each:,}" for each in seconds), terms["pay_rate"], f"{amount} {terms['currency']}"]


def range_of(row: dict[str, Any]) -> dict[str, str]:
    return {name: row[name] for name in ("start_date", "end_date")}


async def owed(http: httpx.AsyncClient, row: dict[str, Any]) -> str:
    """The payables of the person and week of a row, as they are paid together."""
    payables = await pages(http, f"members/{row['user']['user_id']}/payables", **range_of(row))
    of_week = [each for each in payables if each["period_start"] == row["start_date"]]
    amounts = [Decimal(each["amount"]) for each in of_week if each["kind"] in ("hourly", "leave")]
    return f"{sum(amounts, Decimal(0)):.2f} EUR"


async def test_worked_example_has_the_figures_of_the_recipe(http: httpx.AsyncClient) -> None:
    lines = re.findall(r"^\| (\w+ \w+) \| (2026.*) \|$", PAGE.read_text(), re.MULTILINE)
    shown = {(name, *cells.split(" | ")) for name, cells in lines}
    assert len(shown) == 5
    found = set()
    for monday in MONDAYS:
        week = {"start_date": str(monday), "end_date": str(monday + timedelta(days=6))}
        for row in await pages(http, "time_activity_reports", **week):
            line = await pay(http, row)
            if line is not None:
                found.add((row["user"]["full_name"], *line))
                assert await owed(http, row) == line[-1], line
    assert shown <= found
    assert len(found) > 20
