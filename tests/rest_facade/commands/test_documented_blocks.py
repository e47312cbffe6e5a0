"""Blocks of shell lines in README, docs, deploy and examples: they run here as they stand, or a table says where."""

import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from signal import SIGTERM
from textwrap import dedent
from typing import NamedTuple

import pytest

from db.admin.engine import connect
from tests.db.jobs.importing.detailed_reports.reports import CLOCKIFY_HEADER, TOGGL_HEADER, clockify_line, toggl_line
from tests.db.sample.embedded.test_server import open_folder
from tests.rest_facade.commands.conftest import environment
from tests.rest_facade.commands.test_demo import Demo, demo

ROOT = Path(__file__).parents[3]

PAGES = ("README.md", "SECURITY.md", "docs/*.md", "deploy/*.md", "examples/*/README.md")

BLOCK = re.compile(r"(?<=\n\n)(?: {4}.*\n(?: {4}.*\n|\n(?= {4}))*)")
COMMAND = re.compile(
    r"(?:(?:export )?[A-Za-z_]+=\S* *)*"
    r"(?:orgdata|curl|make|echo|cat|python3|npm|npx|docker|kubectl|\.venv/bin/\w+|\w+=\"?\$\(|\Z)"
)
SERVING = re.compile(r"^(?:[A-Z_]+=\S+ )?orgdata serve.*\n?", re.MULTILINE)
"""Runs until it is stopped: test_serve.py."""

ELSEWHERE: Mapping[tuple[str, str], str] = {
    ("README.md", "make demo  "): "tests/rest_facade/commands/test_demo.py; make test runs this test",
    ("README.md", "make demo ARGS"): "tests/rest_facade/commands/test_demo.py",
    ("README.md", "export PATH"): "tests/rest_facade/commands/test_own_data.py",
    ("docs/agents.md", "python3"): "tests/clients/test_quickstart.py",
    ("docs/citus.md", "orgdata migrate"): "tests/citus/test_commands.py",
    ("docs/exporting.md", "orgdata "): "tests/rest_facade/commands/test_exporting_page.py",
    ("docs/operating.md", "orgdata demo"): "no lines but forms of them: tests/test_documented_commands.py",
    ("docs/operating.md", "make test-faults"): "tests/test_docs.py: they take minutes",
    ("docs/operating.md", "make bench"): "tests/test_docs.py: they take minutes",
    ("docs/operating.md", "ORGDATA_QUOTA_STORE"): "tests/faults/test_workers.py",
    ("docs/quickstart.md", ""): "tests/clients/test_quickstart.py",
    ("docs/releases.md", "version="): "needs Docker",
    ("docs/replicas.md", "ORGDATA_DATABASE_URL"): "settings: tests/replicas",
    ("deploy/README.md", "cat"): "needs Docker",
    ("deploy/README.md", "docker compose"): "needs Docker",
    ("deploy/README.md", "docker build"): "needs Docker and Kubernetes",
    ("examples/dlt/README.md", "python3"): "tests/clients/test_dlt.py",
}
"""Where blocks run that do not run here, by page and beginning."""

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

# curl fails for an error of the service.
PRELUDE = 'set -eu\ncurl() { command curl --fail-with-body -sS "$@"; echo; }\n'


class ShellBlock(NamedTuple):
    page: str
    text: str

    @property
    def elsewhere(self) -> str | None:
        """Where the block runs; None: here."""
        found = [
            where for (page, start), where in ELSEWHERE.items() if page == self.page and self.text.startswith(start)
        ]
        return found[0] if found else None


def shell_blocks() -> Iterator[ShellBlock]:
    """The indented blocks that begin with a command."""
    for pattern in PAGES:
        for page in sorted(ROOT.glob(pattern)):
            for block in BLOCK.findall(page.read_text()):
                text = dedent(block)
                if COMMAND.match(text.partition("\n")[0]):
                    yield ShellBlock(str(page.relative_to(ROOT)), text)


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
    """A working directory, as a reader has it: the environment and the examples of the checkout, and reports."""
    for name in ("examples", ".venv"):
        (tmp_path / name).symlink_to(ROOT / name)
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
