"""docs/recipes.md: its programs run over an organization of a few rows."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from tests.factories.base import THEN
from tests.factories.rows import Rows
from tests.faults.service import serving
from tests.helpers.repository import ROOT

EXAMPLES = ROOT / "examples"
SHEET = EXAMPLES / "spreadsheets" / "orgdata.gs"

HOUR = timedelta(hours=1)

SHOWN = """\
Hours by week and project
  2026-01-05 Website of Globex: 2.00
  2026-01-05 no project: 1.00
  2026-01-12 Website of Globex: 1.00
  2026-01-12 Website of no client: 4.00
Utilization: billable time, and time missing of what is expected without leave
  Ada Byron: 75 %, missing 3.00 h
  Bob Ross: no time
  Cleo Ray: 0 %, missing 1.00 h
  Dan Fox: no time, missing 4.00 h
Unpaid invoices
  open: 11.00 EUR
  overdue: 7.50 EUR
Working now
  Bob Ross
"""

STUBS = """
const properties = {getProperty: (name) => process.env[name]};
globalThis.PropertiesService = {getScriptProperties: () => properties};
globalThis.UrlFetchApp = {fetch: (url, {headers}) => {
  const argv = ["-sSf", "-H", `X-SERVICE-API-KEY: ${headers["X-SERVICE-API-KEY"]}`, url];
  const body = require("node:child_process").execFileSync("curl", argv, {encoding: "utf8"});
  return {getContentText: () => body};
}};
"""
"""What Google's scripts have and node has not."""


@pytest.fixture
def environment(own_url: str, database: Rows, tmp_path: Path) -> Iterator[dict[str, str]]:
    """Variables of a reader who has the key of an organization."""
    own = database.organization()
    ada = database.member(own, full_name="Ada Byron", expected_weekly_seconds=5 * 3600)
    bob = database.member(own, full_name="Bob Ross", created_at=THEN + HOUR)
    client = database.client(own)
    site = database.project(own, client_id=client, name="Website")
    week = timedelta(days=7)
    database.timesheet(own, ada, project_id=site, ended_at=THEN + 2 * HOUR, is_billable=True)
    database.timesheet(own, ada, started_at=THEN + 3 * HOUR, is_billable=False)
    database.timesheet(own, ada, project_id=site, started_at=THEN + week, is_billable=True)
    database.timesheet(own, bob, started_at=THEN + 3 * week, ended_at=None)
    later = {"hired_on": date(2026, 1, 12), "created_at": THEN + 2 * HOUR}
    cleo = database.member(own, full_name="Cleo Ray", expected_weekly_seconds=5 * 3600, **later)
    leaves = {"left_on": date(2026, 1, 11), "created_at": THEN + 3 * HOUR}
    namesake = database.project(own, name="Website")
    database.timesheet(own, cleo, project_id=namesake, started_at=THEN + week, ended_at=THEN + week + 4 * HOUR)
    own_leave = database.leave_type(own)
    for status, days in (("approved", (date(2026, 1, 16), date(2026, 1, 19))), ("pending", (date(2026, 1, 15),))):
        leave = database.leave_application(own, own_leave, ada, status=status, start_date=days[0], end_date=days[-1])
        for day in days:
            database.leave_day(own, leave, date=day, duration_seconds=3 * 3600)
    dan = database.member(own, full_name="Dan Fox", expected_weekly_seconds=7 * 3600, **leaves)
    database.leave_application(own, own_leave, dan, status="approved", duration_seconds=3 * 3600)
    for status, due, amount in [("sent", "2999-01-01", 11), ("viewed", "2026-01-06", "7.50"), ("draft", None, 5)]:
        database.invoice(own, client, status=status, due_date=due, subtotal=amount)
    key = database.partner_key(own)
    with serving(tmp_path, database_url=own_url, drain="0") as service:
        yield {**os.environ, "ORGDATA_URL": service.public, "ORGDATA_KEY": key}


@pytest.mark.process
def test_programs_of_the_page_answer_its_questions(environment: dict[str, str]) -> None:
    command = [sys.executable, str(EXAMPLES / "python" / "recipes.py"), "2026-01-05", "2026-01-18"]
    assert run(command, environment) == SHOWN
    assert power_query("v1/members/?limit=1", environment) == ["Ada Byron", "Bob Ross", "Cleo Ray", "Dan Fox"]
    if shutil.which("node") is None:
        pytest.skip("There is no node, which runs the script of the sheet.")
    shown = sheet('"/v1/members/?limit=1", "full_name,left_on"', environment)
    names = ["Ada Byron", "Bob Ross", "Cleo Ray"]
    assert shown == [["full_name", "left_on"], *([name, None] for name in names), ["Dan Fox", "2026-01-11"]]

    assert sheet('"/v1/invoices/?status=viewed", "currency,+amount_due"', environment)[1] == ["EUR", 7.5]
    with pytest.raises(subprocess.CalledProcessError):
        sheet('"/v1/members/", "name"', environment)


def sheet(arguments: str, environment: dict[str, str]) -> Any:
    """What a cell with the function of orgdata.gs shows."""
    call = f"console.log(JSON.stringify(ORGDATA({arguments})))"
    return json.loads(run(["node", "-e", STUBS + SHEET.read_text() + call], environment))


def run(command: list[str], environment: dict[str, str]) -> str:
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, timeout=60, check=True).stdout


def power_query(path: str, environment: dict[str, str]) -> list[Any]:
    """The steps of orgdata.pq, which cannot run here: a page by its path, and the path in `next` behind the address."""
    address, names = environment["ORGDATA_URL"], []
    while path:
        response = httpx.get(f"{address}/{path}", headers={"X-SERVICE-API-KEY": environment["ORGDATA_KEY"]})
        names += [row["full_name"] for row in response.raise_for_status().json()["results"]]
        path = (response.json()["next"] or "")[len(address) + 1 :]
    return names
