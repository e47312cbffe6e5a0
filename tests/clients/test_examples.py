"""`examples/python` and `examples/typescript` as docs/quickstart.md uses them, against a demo."""

import re
import shutil
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from tests.clients.test_clients import NODE, PYTHON, ROOT, TSC, run, tool
from tests.rest_facade.commands.test_demo import Demo

pytestmark = pytest.mark.clients

EXAMPLES = ROOT / "examples"

POLLS = """
from os import environ
from orgdata import connect, poll, rows
from orgdata_client.api.people import list_members
from orgdata_client.api.timesheets import list_timesheet_idle_time

client = connect(environ["ORGDATA_URL"], environ["ORGDATA_KEY"])
everybody, since = poll(list_members, client, None, include_deleted=True, limit=7)
again, later = poll(list_members, client, since, include_deleted=True)
print(len(everybody), len({each.user_id for each in everybody}), len(again), later > since)
print(len({each.user.user_id for each in rows(list_timesheet_idle_time, client, limit=5)}))
for number in range(40):
    everybody = list(rows(list_members, client, limit=100))
print(len(everybody))
"""
"""All pages, a poll without changes, a cursor, and more requests than the quota."""


@pytest.fixture
def folder(tmp_path: Path, running: Demo, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ORGDATA_URL", running.details["public"])
    monkeypatch.setenv("ORGDATA_KEY", running.details["partner_key"])
    with httpx.Client(base_url=running.details["internal"]) as http:
        (tmp_path / "openapi.json").write_bytes(http.get("/openapi.json").content)
    return tmp_path


def report(running: Demo, first: str, last: str) -> dict[str, dict[str, Any]]:
    """The rows of time activity by name, read without the example."""
    key = {"X-SERVICE-API-KEY": running.details["partner_key"]}
    url: str | None = f"{running.details['public']}/v1/time_activity_reports/?start_date={first}&end_date={last}"
    found: dict[str, dict[str, Any]] = {}
    while url is not None:
        body = httpx.get(url, headers=key).raise_for_status().json()
        found |= {row["user"]["full_name"]: row for row in body["results"]}
        url = body["next"]
    return found


def generate_python(folder: Path) -> None:
    generate = (tool(PYTHON, "openapi-python-client"), "generate", "--path", "openapi.json", "--meta", "none")
    run(*generate, "--output-path", "orgdata_client", folder=folder)
    for file in (EXAMPLES / "python").glob("*.py"):
        shutil.copy(file, folder)


def test_python_example_prints_pay_of_last_month(folder: Path, running: Demo) -> None:
    generate_python(folder)
    heading, *lines = run(PYTHON / "python", "payroll.py", folder=folder).splitlines()
    first, last = re.findall(r"\d{4}-\d\d-\d\d", heading)
    rows = report(running, first, last)
    worked = {name.removesuffix(" *"): text for name, text in (line.split(": ") for line in lines)}
    assert worked
    for name, text in worked.items():
        # Everybody's time requires approval in the demo.
        assert f"work {rows[name]['locked_seconds'] / 3600:.2f} " in f"{text} "
        assert f"breaks {rows[name]['paid_break_seconds'] / 3600:.2f} " in text


def test_python_example_polls_and_waits_for_the_quota(folder: Path, running: Demo) -> None:
    generate_python(folder)
    (folder / "polls.py").write_text(POLLS)
    polled, walked, everybody = run(PYTHON / "python", "polls.py", folder=folder).splitlines()
    members = len(running.members())
    assert polled.split()[2:] == ["0", "True"]
    assert int(polled.split()[0]) == int(polled.split()[1]) >= members
    assert int(walked) >= members
    assert int(everybody) == members


def test_typescript_example_prints_hours_of_the_week(folder: Path, running: Demo) -> None:
    for file in (EXAMPLES / "typescript").glob("*.ts"):
        shutil.copy(file, folder)
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "node_modules").symlink_to(NODE.parent)
    run(tool(NODE, "openapi-typescript"), "openapi.json", "--output", "types.d.ts", folder=folder)
    run(tool(NODE, "tsc"), *TSC, "hours.ts", folder=folder)
    *lines, last = run("node", "hours.js", folder=folder).splitlines()
    assert last.endswith(" members, 0 changed")
    assert len(lines) >= len(running.members())
    assert any(not line.endswith(" 0.00") for line in lines)
