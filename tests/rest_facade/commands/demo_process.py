"""A running `orgdata demo`."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from signal import SIGTERM
from threading import Timer

import httpx2 as httpx
import pytest

from tests.helpers.folders import open_folder
from tests.helpers.waiting import until
from tests.processes import is_running, orgdata_command
from tests.rest_facade.commands.conftest import TIMEOUT, environment

MEMBERS = 8


@contextmanager
def killed_after_timeout(process: subprocess.Popen[str]) -> Iterator[None]:
    """Kill a process after TIMEOUT seconds, because reading its output has no timeout."""
    watch = Timer(TIMEOUT, process.kill)
    watch.start()
    try:
        yield
    finally:
        watch.cancel()


class Demo:
    """A running demo: its process, the lines that it printed, and the details in its last line."""

    def __init__(self, process: subprocess.Popen[str], data: Path, errors: Path) -> None:
        self.process = process
        self.data = data
        self.errors = errors
        self.text: list[str] = []
        assert process.stdout
        with killed_after_timeout(process):
            for line in process.stdout:
                self.text.append(line)
                if line.startswith("{"):
                    break
        assert self.text, errors.read_text()
        self.details: dict[str, str] = json.loads(self.text[-1])

    @property
    def postgres(self) -> int:
        """The process id of its database."""
        return int((self.data / "postgres" / "postmaster.pid").read_text().split()[0])

    def get(self, path: str, key: str = "partner_key") -> httpx.Response:
        return httpx.get(f"{self.details['public']}{path}", headers={"X-SERVICE-API-KEY": self.details[key]})

    def members(self, key: str = "partner_key") -> list[str]:
        return [member["user_id"] for member in self.get("/v1/members/", key).json()["results"]]

    def end(self, number: int) -> None:
        """Send the signal and wait until the demo and its database are gone."""
        postgres = self.postgres
        self.process.send_signal(number)
        self.process.wait(TIMEOUT)
        until(lambda: not is_running(postgres), TIMEOUT)


@contextmanager
def demo(data: Path, **settings: str) -> Iterator[Demo]:
    command = [*orgdata_command(), "demo", "--port", "0", "--internal-port", "0"]
    command += ["--data", str(data), "--members", str(MEMBERS)]
    errors = data.with_name("errors")
    with (
        errors.open("w") as log,
        subprocess.Popen(
            command, cwd=data.parent, env=environment(**settings), stdout=subprocess.PIPE, stderr=log, text=True
        ) as process,
    ):
        try:
            yield Demo(process, data, errors)
        finally:
            process.kill()


@pytest.fixture(scope="module")
def running() -> Iterator[Demo]:
    with open_folder() as folder, demo(folder / "data") as running:
        yield running
        running.end(SIGTERM)
