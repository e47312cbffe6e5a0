"""`orgdata erase`: what it prints, logs, writes and refuses."""

import json
import os
from pathlib import Path
from signal import SIGTERM
from typing import Any
from uuid import UUID

import pytest

from db.jobs.retention.erase import erase
from tests.factories.rows import Rows
from tests.rest_facade.commands.conftest import Run, assert_refused

IMAGE, THUMBNAIL = "2026/01/05/1.jpg", "2026/01/05/1-small.jpg"


@pytest.fixture
def ada(rows: Rows, own: str) -> str:
    ada = rows.member(UUID(own), full_name="Ada Byron", status="removed")
    rows.screenshot(UUID(own), ada, object_key=IMAGE, thumbnail_key=THUMBNAIL)
    rows.client(UUID(own), note="Ask Ada Byron.")
    return str(ada)


def test_erasure_is_printed_logged_and_listed(own: str, ada: str, folder: Path, operate: Run) -> None:
    counts = (
        "members\t1 changed\nscreenshots\t1 changed\nstored objects\t2 to delete\n"
        "clients.note\t1 more rows name the person; they are not of the person, and stay\n"
    )
    command = ("erase", "--organization", own, "--user", ada)
    assert operate(*command, "--dry-run") == (0, f"{counts}This was a dry run: nothing was written.\n", "")
    done = operate(*command, "--objects", "objects.ndjson")
    assert (done.code, done.out) == (0, counts)
    logged = {"event": "erased", "organization_id": own, "user_id": ada, "objects": 2}
    assert json.loads(done.err).items() >= (logged | {"rows": {"members": 1, "screenshots": 1}}).items()
    assert "Ada" not in done.err
    listed = folder / "objects.ndjson"
    assert listed.stat().st_mode & 0o777 == 0o600
    lines = [json.loads(line) for line in listed.read_text().splitlines()]
    assert [(line["table"], line["column"], line["key"]) for line in lines] == [
        ("screenshots", "object_key", IMAGE),
        ("screenshots", "thumbnail_key", THUMBNAIL),
    ]
    again = operate(*command)
    assert (again.code, again.out, json.loads(again.err)["rows"]) == (0, "", {})


def test_interrupt_erases_nothing(own: str, ada: str, run: Run, operate: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: Any, **options: Any) -> None:
        erase(*arguments, **options)
        os.kill(os.getpid(), SIGTERM)

    monkeypatch.setattr("rest_facade.commands.retention.erase.erase_person", interrupted)
    command = ("erase", "--organization", own, "--user", ada)
    assert run(*command, "--objects", "objects") == (143, "", "orgdata: Interrupted. Nothing was erased.\n")
    assert operate(*command, "--dry-run").out.startswith("members\t1 changed\n")


def test_objects_need_a_file(own: str, ada: str, folder: Path, operate: Run) -> None:
    command = ("erase", "--organization", own, "--user", ada)
    assert_refused(operate(*command), "The person has 2 stored objects: name a file for them with --objects.")
    assert_refused(operate(*command, "--objects", "."), ". cannot be written: Is a directory.")
    assert operate(*command, "--objects", "objects").code == 0
