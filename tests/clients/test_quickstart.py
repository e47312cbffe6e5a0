"""docs/quickstart.md and docs/agents.md as a customer follows them: the shell lines in order, with real packages."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from signal import SIGTERM

import httpx2 as httpx
import pytest

from tests.clients.saved_files import saved_files
from tests.helpers.folders import open_folder
from tests.helpers.repository import ROOT
from tests.rest_facade.commands.conftest import environment
from tests.rest_facade.commands.demo_process import Demo, demo
from tests.rest_facade.commands.shell_blocks import PRELUDE, shell_blocks
from tests.rest_facade.mcp.clients import connect_remote

pytestmark = pytest.mark.clients


TIMEOUT = 1200
"""Seconds of all lines of a page, on a busy machine: they install packages."""

INSTALLED = (
    *("db", "docs", "resolvers", "rest_facade", "schema"),
    *("pyproject.toml", "README.md", "CHANGELOG.md", "requirements-mcp-client.txt"),
)
"""Of the checkout, what the page on agents installs."""


@pytest.fixture(scope="module")
def running() -> Iterator[Demo]:
    with open_folder() as folder, demo(folder / "data", PUBLIC_DOCS="true") as running:
        yield running
        running.end(SIGTERM)


def run_page(name: str, folder: Path, running: Demo) -> str:
    """What the lines of a page print."""
    script = PRELUDE + "".join(block.text for block in shell_blocks() if block.page == f"docs/{name}")
    script = script.replace("https://api.example.com", running.details["public"])
    script = script.replace("orgd_live_...", running.details["partner_key"])
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def rows_of(running: Demo, first: str, last: str) -> dict[str, dict[str, int]]:
    """The rows of time activity by name, read without the example."""
    key = {"X-SERVICE-API-KEY": running.details["partner_key"]}
    url: str | None = f"{running.details['public']}/v1/time_activity_reports/?start_date={first}&end_date={last}"
    found: dict[str, dict[str, int]] = {}
    while url is not None:
        body = httpx.get(url, headers=key).raise_for_status().json()
        found |= {row["user"]["full_name"]: row for row in body["results"]}
        url = body["next"]
    return found


def test_quickstart_leads_from_a_key_to_last_months_pay(running: Demo, tmp_path: Path) -> None:
    if shutil.which("npm") is None:
        pytest.skip("There is no node: the page needs npm.")
    files = saved_files()
    assert set(files) == {"orgdata.py", "payroll.py", "orgdata.ts", "hours.ts"}
    for name, code in files.items():
        (tmp_path / name).write_text(code)
    shown = run_page("quickstart.md", tmp_path, running)
    _, heading, table = re.split(r"^(.+: hours and pay; .+)$", shown, maxsplit=1, flags=re.MULTILINE)
    first, last = re.findall(r"\d{4}-\d\d-\d\d", heading)
    paid = dict(re.findall(r"^(.+?)(?: \*)?: (work .+)  pay \d", table, re.MULTILINE))
    rows = rows_of(running, first, last)
    assert paid
    for name, text in paid.items():
        # Everybody's time requires approval in the demo.
        assert f"work {rows[name]['locked_seconds'] / 3600:.2f}  " in text
        assert f"breaks {rows[name]['paid_break_seconds'] / 3600:.2f}  " in text
    hours = re.findall(r"^.+ (\d+\.\d\d)$", table, re.MULTILINE)
    assert len(hours) >= len(running.members())
    assert any(float(each) for each in hours)
    assert re.search(r"^\d+ members, 0 changed$", table, re.MULTILINE)


async def test_agents_page_installs_a_command_that_lists_tools(running: Demo, tmp_path: Path) -> None:
    for name in INSTALLED:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, tmp_path / name)
    run_page("agents.md", tmp_path, running)
    command = [str(tmp_path / "agent" / "bin" / "orgdata")]
    log, key = tmp_path / "log", running.details["mcp_key"]
    async with connect_remote(running.details["public"], key, log=log, command=command) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} >= {"sumTrackedTime", "listMembers"}
