"""`orgdata demo`: start, printed details, rows in every list, refused folders and ports, stop and restart.

The lines of the README's section "Your own data" run in a shell beside it, as a reader pastes them.
Covers `db/sample/demo/examples.py`.
"""

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from signal import SIGINT, SIGKILL, SIGTERM
from typing import Any
from uuid import UUID

import httpx2 as httpx
import pytest

from db.admin.engine import connect
from db.admin.key_format import parse_key
from rest_facade.server.sockets import bind_socket
from tests.factories.rows import Rows
from tests.faults.service import serving
from tests.helpers.folders import open_folder
from tests.helpers.repository import ROOT
from tests.processes import is_running, on_linux, write_orgdata
from tests.rest_facade.commands.conftest import TIMEOUT, Run, assert_refused, environment, succeed
from tests.rest_facade.commands.demo_process import MEMBERS, Demo, demo

pytestmark = pytest.mark.process


@pytest.fixture
def data() -> Iterator[Path]:
    with open_folder() as folder:
        yield folder / "data"


@pytest.fixture(scope="module")
def running() -> Iterator[Demo]:
    """One demo for all tests that do not change it."""
    with open_folder() as folder, demo(folder / "a folder with spaces") as demo_:
        yield demo_
        demo_.end(SIGTERM)
        # The log has only the lines of requests.
        assert {json.loads(line)["event"] for line in demo_.errors.read_text().splitlines()} <= {"request", "graphql"}


def test_last_line_is_json_for_scripts(running: Demo) -> None:
    details = running.details
    purposes = dict.fromkeys(("partner_key", "other_partner_key"), "partner")
    purposes |= {"mcp_key": "mcp", "internal_token": "internal"}
    keys = {name: parse_key(details[name]) for name in purposes}
    assert {name: key and key.purpose.value for name, key in keys.items()} == purposes
    addresses = {"public", "internal", "organization_id", "other_organization_id", "database_url"}
    assert details.keys() == addresses | purposes.keys()
    ready = {"status": "ready", "database": "reachable", "quota_store": "reachable"}
    assert httpx.get(f"{details['internal']}/ready").json() == ready


def test_printed_curl_commands_work(running: Demo) -> None:
    lines = [line.strip() for line in running.text if line.strip().startswith("curl ")]
    organization, members = (run_curl(line) for line in lines)
    assert organization["id"] == running.details["organization_id"]
    assert organization["members_count"] == MEMBERS
    assert members["count"] == MEMBERS
    assert len(members["results"]) == 2


def run_curl(line: str) -> Any:
    if shutil.which("curl"):
        command = f"{line} --silent --show-error --fail"
        return json.loads(subprocess.run(command, shell=True, check=True, capture_output=True, timeout=TIMEOUT).stdout)
    *_, header, url = shlex.split(line)
    name, value = header.split(": ")
    return httpx.get(url, headers={name: value}).json()


def test_keys_and_quotas_commands_work_on_its_database(running: Demo, orgdata: Run) -> None:
    url = running.details["database_url"]
    shown = {line.split("\t")[0] for line in succeed(orgdata("keys", "list", DATABASE_URL=url)).splitlines()}
    assert {running.details[name].split("_")[2] for name in ("partner_key", "mcp_key", "internal_token")} <= shown

    organization = running.details["other_organization_id"]
    assert orgdata("quotas", "set", "--organization", organization, "--limit", "7", DATABASE_URL=url).code == 0
    created = orgdata("keys", "create", "--purpose", "partner", "--organization", organization, DATABASE_URL=url)
    headers = {"X-SERVICE-API-KEY": created.out.strip()}
    assert httpx.get(f"{running.details['public']}/v1/teams/", headers=headers).headers["ratelimit-limit"] == "7"


@pytest.mark.parametrize("name", ["DATABASE_URL", "KEYS_DATABASE_URL"])
def test_demo_never_uses_the_database_of_the_environment(name: str, data: Path, orgdata: Run, owner_url: str) -> None:
    result = orgdata("demo", "--data", str(data), **{name: owner_url})
    assert_refused(
        result,
        f"ORGDATA_{name} is set, but the demo always uses an embedded database of its own: it inserts sample "
        "organizations and keys. Unset the variable, or serve that database with `orgdata serve`.",
    )
    assert not data.exists()


def test_folder_in_use_is_refused(running: Demo, orgdata: Run) -> None:
    ended = orgdata("demo", "--data", str(running.data), PORT="0", INTERNAL_PORT="0")
    assert_refused(ended, f"The folder {running.data} is in use by another run.")
    assert running.get("/v1/projects/").status_code == 200


def test_port_in_use_is_refused_before_folder_is_created(data: Path, orgdata: Run) -> None:
    with bind_socket("127.0.0.1", 0) as taken:
        port = str(taken.getsockname()[1])
        for ports in (("--port", port, "--internal-port", "0"), ("--port", "0", "--internal-port", port)):
            ended = orgdata("demo", *ports, "--data", str(data))
            assert_refused(
                ended,
                f"Can't listen on 127.0.0.1 port {port}: Address already in use."
                " Choose another: --port, --internal-port.",
            )
    assert not data.exists()


@pytest.mark.parametrize(
    ("place", "reason"), [("file", "File exists"), ("file/data", "Not a directory"), ("a" * 300, "File name too long")]
)
def test_folder_that_cannot_be_created_is_refused(place: str, reason: str, folder: Path, orgdata: Run) -> None:
    (folder / "file").write_text("kept")
    ended = orgdata("demo", "--data", place, PORT="0", INTERNAL_PORT="0")
    assert_refused(ended, f"The folder {place} cannot be made: {reason}.")
    assert (folder / "file").read_text() == "kept"


def test_ctrl_c_stops_everything(data: Path) -> None:
    with demo(data) as demo_:
        postgres = demo_.postgres
        assert is_running(postgres)
        with httpx.Client() as kept_open:
            kept_open.get(f"{demo_.details['public']}/v1/")
            demo_.process.send_signal(SIGINT)
            assert demo_.process.wait(TIMEOUT) == 0
        assert not is_running(postgres)
        assert demo_.process.stdout
        assert demo_.process.stdout.read() == ""
        # Nothing but the line of the one request.
        assert [json.loads(line)["event"] for line in demo_.errors.read_text().splitlines()] == ["request"]
    assert sorted(path.name for path in data.iterdir()) == ["lock", "postgres", "postgres.log", "signing-key"]
    assert (data / "signing-key").stat().st_mode & 0o777 == 0o600


@on_linux
def test_restart_after_crash_keeps_data_and_creates_keys(data: Path) -> None:
    with demo(data) as first:
        details, members = first.details, first.members()
        next_page = first.get("/v1/members/?limit=3").json()["next"].removeprefix(details["public"])
        assert "&after=" in next_page
        # Page 2 by number now starts with the last row of page 1; the signed page token starts after it.
        rows = Rows(connect(details["database_url"]))
        newcomer = rows.member(UUID(details["organization_id"]), created_at=datetime(1999, 1, 1, tzinfo=UTC))
        rows.connection.close()
        first.end(SIGKILL)
    with demo(data) as second:
        said = f"orgdata: {data} has the organizations of an earlier start: --members has no effect."
        assert second.errors.read_text().splitlines()[0] == said
        assert second.members() == [str(newcomer), *members]
        assert [member["user_id"] for member in second.get(next_page).json()["results"]] == members[3:6]
        for name in ("organization_id", "other_organization_id"):
            assert second.details[name] == details[name]
        for name in ("partner_key", "mcp_key", "internal_token", "other_partner_key"):
            assert second.details[name] != details[name]
        second.end(SIGTERM)


SECTION = re.compile(r"^## Your own data\n(.*?)^## ", re.DOTALL | re.MULTILINE)


def shell_lines() -> str:
    """The lines of the section that are indented."""
    section = SECTION.search((ROOT / "README.md").read_text())
    assert section
    return "\n".join(line[4:] for line in section[1].splitlines() if line.startswith("    "))


def test_lines_of_the_readme_show_a_report(own_url: str, tmp_path: Path) -> None:
    (tmp_path / "demo.log").write_text(f'{{"organization_id": "x", "database_url": "{own_url}"}}\n')
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    write_orgdata(tmp_path / ".venv" / "bin")
    with serving(tmp_path, database_url=own_url, drain="0") as service:
        script = "set -e\n" + shell_lines().replace("http://127.0.0.1:8000", service.public) + "\necho; echo $studio"
        command = ["bash", "-c", script]
        shown = subprocess.run(
            command, cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, text=True, timeout=TIMEOUT, check=True
        )
    *imported, report, studio = shown.stdout.splitlines()
    assert UUID(studio).version == 7
    assert "members\t4 new\t0 changed\t0 deleted\t0 unchanged" in imported
    assert "timesheets\t33 new\t0 changed\t0 deleted\t0 unchanged" in imported
    rows = json.loads(report)["results"]
    assert {row["user"]["full_name"]: (row["tracked_seconds"], row["billable_seconds"]) for row in rows} == {
        "Nora Lindqvist": (113_400, 95_400),
        "Tomás Ferreira": (132_300, 132_300),
        "Mei Tanaka": (70_200, 70_200),
        "Jonas Weber": (68_400, 68_400),
    }
