"""The README's section "Your own data": its lines run in a shell, as a reader pastes them."""

import json
import re
import subprocess
from pathlib import Path
from uuid import UUID

import pytest

from tests.faults.service import serving
from tests.helpers.repository import ROOT
from tests.processes import write_orgdata
from tests.rest_facade.commands.conftest import TIMEOUT, environment

pytestmark = pytest.mark.process

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
