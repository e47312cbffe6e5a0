"""Blocks of shell lines in README, docs, deploy and examples: they run here as they stand, or a table says where."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from signal import SIGTERM

import pytest

from db.admin.engine import connect
from tests.db.jobs.importing.detailed_reports.reports import CLOCKIFY_HEADER, TOGGL_HEADER, clockify_line, toggl_line
from tests.helpers.folders import open_folder
from tests.helpers.repository import ROOT
from tests.processes import write_orgdata
from tests.rest_facade.commands.conftest import environment
from tests.rest_facade.commands.demo_process import Demo, demo
from tests.rest_facade.commands.shell_blocks import ELSEWHERE, PRELUDE, shell_blocks

SERVING = re.compile(r"^(?:[A-Z_]+=\S+ )?orgdata serve.*\n?", re.MULTILINE)
"""Runs until it is stopped: test_serve.py."""


REPORTS = {
    "toggl": [TOGGL_HEADER, toggl_line("2026-03-28 09:00:00", "2026-03-28 10:30:05", "01:30:05")],
    "clockify": [CLOCKIFY_HEADER, clockify_line("28/03/2026 09:00:00", "28/03/2026 10:30:05", "1.50")],
    "kimai": ["Date,From,To,Duration,Name,E-mail,Project", "2026-03-28,09:00,17:00,7:30,Ann,a@example.com,Site"],
    "watson": ["id,start,stop,project,tags", "a96fcde,2026-03-28 09:15:00,2026-03-28 09:43:30,Site,camera"],
    "harvest": ["Date,Project,Hours,First Name,Last Name,Email", "2026-03-28,Site,1,Ann,Lee,a@example.com"],
    "agency": ["Mail;Datum;Von;Bis;Projekt", "a@example.com;28.03.2026;09:00;17:00;Site"],
    "plan": ["Wer,Tag,Min", "a@example.com,2026-03-28,90"],
}
REPORT = re.compile(r"--from (\w+) (?:.* )??([\w-]+\.csv.*)")

REMOVE = "UPDATE members SET status = 'removed', removed_at = now() WHERE user_id = %s"
"""A member whose data may be erased."""


BLOCKS = list(shell_blocks())
HERE = list(dict.fromkeys(block.page for block in BLOCKS if block.elsewhere is None))


def test_each_block_that_runs_elsewhere_is_in_the_documents() -> None:
    used = {
        (page, start)
        for (page, start) in ELSEWHERE
        if any(block.page == page and block.text.startswith(start) for block in BLOCKS)
    }
    assert used == set(ELSEWHERE)
    named = {file for where in ELSEWHERE.values() for file in re.findall(r"tests/[\w/]+\.py", where)}
    assert [file for file in named if not (ROOT / file).exists()] == []


@pytest.fixture(scope="module")
def running() -> Iterator[Demo]:
    with open_folder() as folder, demo(folder / "data") as running:
        with connect(running.details["database_url"]).begin() as connection:
            connection.exec_driver_sql("SELECT set_organization(%s)", (running.details["organization_id"],))
            connection.exec_driver_sql(REMOVE, (running.members()[-1],))
        yield running
        running.end(SIGTERM)


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """A working directory, as a reader has it: the command and the examples of the checkout, and reports."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    write_orgdata(tmp_path / ".venv" / "bin")
    for tracker, files in REPORT.findall("".join(block.text for block in BLOCKS)):
        for file in files.split():
            (tmp_path / file).write_text("\n".join(REPORTS[tracker]) + "\n")
    for name in ("retention", "export"):
        (tmp_path / "srv" / name).mkdir(parents=True)
    (tmp_path / "srv" / "export" / "teams.csv").write_text("id,name\n019a0000-0000-7000-8000-000000000001,Design\n")
    return tmp_path


@pytest.mark.process
@pytest.mark.parametrize("page", HERE)
def test_blocks_of_a_page_run(page: str, running: Demo, desk: Path) -> None:
    details = running.details
    values = {
        "http://127.0.0.1:8000": details["public"],
        "http://127.0.0.1:8001": details["internal"],
        "https://api.example.com": details["public"],
        "'postgresql://...'": f"'{details['database_url']}'",
        "orgd_live_...": details["partner_key"],
        "orgd_int_...": details["internal_token"],
        "ORGANIZATION=...": f"ORGANIZATION={details['organization_id']}",
        "--organization ID --organization ID": (
            f"--organization {details['organization_id']} --organization {details['other_organization_id']}"
        ),
        "USER_ID": running.get("/v1/members/?status=removed").json()["results"][0]["user_id"],
        " ID": f" {details['organization_id']}",
        "/srv/": f"{desk}/srv/",
    }
    script = "".join(block.text for block in BLOCKS if block.page == page and block.elsewhere is None)
    script = SERVING.sub("", script)
    for placeholder, value in values.items():
        script = script.replace(placeholder, value)
    variables = environment(DATABASE_URL=details["database_url"], SIGNING_KEYS="a signing key of the tests")
    variables |= {"TOKEN": details["internal_token"], "ORGANIZATION": details["organization_id"]}
    variables |= {"ORGDATA_KEY": details["partner_key"]}
    variables["PATH"] = f"{desk}/.venv/bin:{variables['PATH']}"
    done = subprocess.run(
        ["bash", "-c", PRELUDE + script],
        cwd=desk,
        env=variables,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"
