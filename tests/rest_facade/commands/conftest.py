"""Runs `orgdata` commands, each as a process of its own."""

import multiprocessing
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from rest_facade.__main__ import COMMANDS, main
from tests.factories.rows import Rows

TIMEOUT = 60.0
"""Seconds after which a test fails instead of waiting on."""

SIGNING_KEYS = "a signing key of the tests"

# Commands that end by themselves are forks of one process that has the imports, which take a second.
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(
    [*(f"rest_facade.commands.{each.path.split(':')[0]}" for each in COMMANDS.values()), __name__]
)


class CommandResult(NamedTuple):
    """Exit code and output of a command that has ended."""

    code: int | None
    out: str
    err: str


Run = Callable[..., CommandResult]


def environment(**settings: str) -> dict[str, str]:
    """Environment variables with these settings only: ORGDATA_ variables of the outside are left out."""
    others = {name: value for name, value in os.environ.items() if not name.upper().startswith("ORGDATA_")}
    return others | {f"ORGDATA_{name}": value for name, value in settings.items()}


def _orgdata(arguments: list[str], variables: dict[str, str], folder: Path, out: Path, err: Path) -> None:
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variables)
    for number, path in ((1, out), (2, err)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    sys.argv = ["orgdata", *arguments]
    main()


def run_command(
    arguments: list[str], variables: dict[str, str], folder: Path, outputs: Path, timeout: float = TIMEOUT
) -> CommandResult:
    """Run a command until it ends, in a working directory, with its output in files of the folder `outputs`."""
    out, err = outputs / "out", outputs / "err"
    process = FORKS.Process(target=_orgdata, args=(arguments, variables, folder, out, err))
    process.start()
    process.join(timeout)
    if process.is_alive():
        process.kill()
        process.join()
    return CommandResult(process.exitcode, out.read_text(), err.read_text())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The working directory of the command, without a file `.env`."""
    folder = tmp_path / "folder"
    folder.mkdir()
    return folder


@pytest.fixture
def orgdata(tmp_path: Path, folder: Path) -> Run:
    """`orgdata("keys", "list", DATABASE_URL=url)` runs the command until it ends."""

    def run(*arguments: str, **settings: str) -> CommandResult:
        return run_command(list(arguments), environment(**settings), folder, tmp_path)

    return run


@pytest.fixture
def operate(orgdata: Run, owner_url: str) -> Run:
    """`operate("keys", "list")` runs the command with all settings that `serve` needs, on the shared database."""
    return partial(orgdata, DATABASE_URL=owner_url, SIGNING_KEYS=SIGNING_KEYS, PORT="0", INTERNAL_PORT="0")


@pytest.fixture
def own(rows: Rows) -> str:
    """The id of an organization in the shared database."""
    return str(rows.organization())


def assert_refused(result: CommandResult, sentence: str) -> None:
    """The command printed one sentence to standard error, and its exit code is 1."""
    assert result == CommandResult(1, "", f"orgdata: {sentence}\n")
