"""Progress of jobs on standard error: JSON, or a bar on a terminal. Covers `rest_facade/commands/progress.py`."""

import os
from pathlib import Path

import orjson
import pytest
from typer.testing import CliRunner

from rest_facade.__main__ import app
from rest_facade.commands import progress
from rest_facade.commands.progress import JobProgress
from tests.rest_facade.commands.conftest import OnTerminal


def test_line_has_rate_and_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([100.0, 105.0, 105.0, 110.0, 110.0])
    monkeypatch.setattr(progress, "monotonic", lambda: next(clock))
    job = JobProgress("import", 200)
    job.show("members.csv")
    job.advance(50)
    assert list(job.counted(["a", "b"])) == ["a", "b"]
    line = {"event": "progress", "job": "import", "step": "members.csv", "rows": 2, "rows_per_second": 0}
    assert orjson.loads(job.line()) == line | {"done": 0.25, "seconds": 5.0, "seconds_left": 15.0}
    job.step("Writing")
    assert orjson.loads(job.line()) == line | {"step": "Writing", "done": None, "seconds": 10.0, "seconds_left": None}


def test_parts_are_done_when_the_next_begins() -> None:
    job = JobProgress("doctor", None)
    for part in ("a", "b", "c"):
        job.begin(part, 4)
    assert orjson.loads(job.line())["done"] == 0.5


def test_job_that_waits_writes_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "INTERVAL", 0.01)
    reading, writing = os.pipe()
    with os.fdopen(reading) as read, os.fdopen(writing, "w") as write, JobProgress("seed", None).lines(write):
        assert [orjson.loads(read.readline())["job"] for _ in range(2)] == ["seed", "seed"]


@pytest.mark.parametrize(
    "words",
    [
        "import --organization {own} teams.csv",
        "export --organization {own} --to to",
        "doctor --organization {own}",
        "retain --organization {own} --dry-run",
        "seed --members 1 --days 0",
    ],
)
def test_each_job_tells_its_progress(
    words: str, own_url: str, own: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, owner_url: str
) -> None:
    monkeypatch.setattr(progress, "INTERVAL", 0.0005)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "teams.csv").write_text("external_id,name\nd,Design\n")
    url = own_url if words.startswith("seed") else owner_url
    result = CliRunner().invoke(app, words.format(own=own).split(), env={"ORGDATA_DATABASE_URL": url})
    lines = [orjson.loads(line) for line in result.stderr.splitlines() if line.startswith('{"event":"progress"')]
    assert {line["job"] for line in lines} == {words.split(maxsplit=1)[0]}


def test_terminal_shows_a_bar(own_url: str) -> None:
    code, shown = OnTerminal(own_url, "seed", "--members", "3", "--days", "2").end()
    assert code == 0, shown
    assert "Seed 1: money and leaves" in shown
    assert " rows, " in shown
    assert '"event"' not in shown
