"""`examples/python` against a demo: pages, polls, a cursor, and more requests than the quota."""

from pathlib import Path

import httpx2 as httpx
import pytest

from tests.clients.python_client import generate_python
from tests.clients.tools import PYTHON, run
from tests.rest_facade.commands.demo_process import Demo

pytestmark = pytest.mark.clients


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


def test_python_example_polls_and_waits_for_the_quota(folder: Path, running: Demo) -> None:
    generate_python(folder)
    (folder / "polls.py").write_text(POLLS)
    polled, walked, everybody = run(PYTHON / "python", "polls.py", folder=folder).splitlines()
    members = len(running.members())
    assert polled.split()[2:] == ["0", "True"]
    assert int(polled.split()[0]) == int(polled.split()[1]) >= members
    assert int(walked) >= members
    assert int(everybody) == members
