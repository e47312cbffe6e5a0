"""Runs `orgdata` commands, each as a process of its own."""

import os
import pty
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

import pytest
from sqlalchemy.pool import QueuePool
from typer.testing import CliRunner

from db.admin import engine
from db.admin.engine import connect
from db.errors import OperatorError
from rest_facade.__main__ import app
from rest_facade.commands.imports import import_rows
from tests.processes import orgdata_command

TIMEOUT = 60.0
"""Seconds after which a test fails instead of waiting on."""

SIGNING_KEYS = "a signing key of the tests"


class CommandResult(NamedTuple):
    """Exit code and output of a command that has ended."""

    code: int | None
    out: str
    err: str
    """Without lines of progress, which a busy machine makes a job write."""


def without_progress(err: str) -> str:
    return "".join(line for line in err.splitlines(keepends=True) if not line.startswith('{"event":"progress"'))


Run = Callable[..., CommandResult]


def environment(**settings: str) -> dict[str, str]:
    """Environment variables with these settings only: ORGDATA_ variables of the outside are left out."""
    others = {name: value for name, value in os.environ.items() if not name.upper().startswith("ORGDATA_")}
    return others | {f"ORGDATA_{name}": value for name, value in settings.items()}


def run_command(
    arguments: list[str], variables: dict[str, str], folder: Path, timeout: float = TIMEOUT
) -> CommandResult:
    """Run a command until it ends, in a working directory."""
    with subprocess.Popen(
        [*orgdata_command(), *arguments],
        cwd=folder,
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        finally:
            process.kill()
    return CommandResult(process.returncode, out, without_progress(err))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The working directory of the command, without a file `.env`."""
    folder = tmp_path / "folder"
    folder.mkdir()
    return folder


@pytest.fixture
def orgdata(folder: Path) -> Run:
    """`orgdata("keys", "list", DATABASE_URL=url)` runs the command until it ends."""

    def run(*arguments: str, **settings: str) -> CommandResult:
        return run_command(list(arguments), environment(**settings), folder)

    return run


@pytest.fixture
def operate(orgdata: Run, owner_url: str) -> Run:
    """`operate("keys", "list")` runs the command with all settings that `serve` needs, on the shared database."""
    return partial(orgdata, DATABASE_URL=owner_url, SIGNING_KEYS=SIGNING_KEYS, PORT="0", INTERNAL_PORT="0")


@pytest.fixture
def run(owner_url: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`run("retain", "--all")` runs the command in this process, in `folder`: another would load the schema anew."""
    monkeypatch.chdir(folder)

    def run(*words: str, url: str = owner_url) -> CommandResult:
        result = CliRunner().invoke(app, words, env={"ORGDATA_DATABASE_URL": url})
        # As `main` ends it.
        sentence = f"orgdata: {result.exception}\n" if isinstance(result.exception, OperatorError) else ""
        return CommandResult(result.exit_code, result.stdout, without_progress(result.stderr) + sentence)

    return run


@pytest.fixture(scope="module")
def one_connection(owner_url: str) -> Iterator[None]:
    """All imports of a module use one connection: a new one reads the catalogue of the database anew."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "NullPool", QueuePool)
        owner = connect(owner_url)
        patch.setattr(import_rows, "owner_engine", lambda: owner)
        yield
    owner.dispose()


class OnTerminal:
    """A command over a database, whose errors are shown on a terminal."""

    def __init__(self, url: str, *words: str) -> None:
        self._shown, terminal = pty.openpty()
        self.process = subprocess.Popen(
            [*orgdata_command(), *words],
            env=environment(DATABASE_URL=url) | {"COLUMNS": "120", "TERM": "xterm"},
            stdout=subprocess.DEVNULL,
            stderr=terminal,
        )
        os.close(terminal)

    def end(self) -> tuple[int, str]:
        """The exit code, and what is on the terminal."""
        shown = b""
        with suppress(OSError):  # the other end of the terminal is closed
            while data := os.read(self._shown, 65536):
                shown += data
        os.close(self._shown)
        return self.process.wait(TIMEOUT), shown.decode()


@pytest.fixture
def own(organization: UUID) -> str:
    return str(organization)


def succeed(result: CommandResult) -> str:
    """What a command printed, which ended well."""
    assert (result.code, result.err) == (0, "")
    return result.out


def assert_refused(result: CommandResult, sentence: str) -> None:
    """The command printed one sentence to standard error, and its exit code is 1."""
    assert result == CommandResult(1, "", f"orgdata: {sentence}\n")
