"""`orgdata doctor`: lines or JSON, its exit code, an end in the middle. Covers `rest_facade/commands/options.py`."""

import json
import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from db.admin.engine import connect
from db.admin.migrate import migrate
from db.jobs.doctor.checks import CHECKS, ORGANIZATION_CHECKS
from db.sample.embedded.database import DATABASE, ensure_database
from db.sample.embedded.server import Server
from rest_facade.commands.progress import JobProgress
from tests.conftest import _copy as copy_of
from tests.conftest import server_parent
from tests.db.jobs.doctor.states.tenant import HOUR, THEN, A, B, Tenant
from tests.factories.rows import Rows
from tests.rest_facade.commands.conftest import Run


@pytest.fixture(scope="module")
def durable_server() -> Iterator[Server]:
    """A server without the settings of the tests, which the doctor would name."""
    with tempfile.TemporaryDirectory(prefix="orgdata-test-", dir=server_parent()) as name:
        Path(name).chmod(0o755)
        with Server(Path(name)) as server:
            with connect(ensure_database(server)).connect() as connection:
                migrate(connection)
            yield server


@pytest.fixture
def durable_url(durable_server: Server) -> Iterator[str]:
    with copy_of(durable_server, DATABASE) as url:
        yield url


@pytest.fixture
def tenant(durable_url: str) -> Tenant:
    return Tenant(Rows(connect(durable_url)))


def test_nothing_wrong_is_one_sentence(run: Run, durable_url: str) -> None:
    assert run("doctor", url=durable_url) == (0, "Nothing is wrong.\n", "")
    assert run("doctor", "--json", url=durable_url) == (0, '{\n  "findings": []\n}\n', "")


def test_error_is_shown_and_in_json_with_remedy_and_exit_code_1(run: Run, durable_url: str, tenant: Tenant) -> None:
    tenant.timesheet(A)
    tenant.timesheet(B)
    code, out, err = run("doctor", url=durable_url)
    assert (code, err) == (1, "")
    title, sentence, example, remedy = out.splitlines()
    assert title == f"error  overlapping-timesheets  {tenant.id}  1"
    assert sentence.startswith("    Timesheets of one person overlap: ")
    assert example == f"    {B}"
    assert remedy.startswith("    Soft-delete the row that was sent twice")
    code, out, err = run("doctor", "--json", "--organization", str(tenant.id), url=durable_url)
    assert (code, err) == (1, "")
    found = {"severity": "error", "check": "overlapping-timesheets", "organization_id": str(tenant.id), "count": 1}
    found |= {"examples": [str(B)], "finding": sentence.strip(), "remedy": remedy.strip()}
    assert json.loads(out) == {"findings": [found | {"unfinished": None, "is_recent": False}]}


def test_warnings_exit_with_0_and_are_explained_once(run: Run, durable_url: str, tenant: Tenant) -> None:
    for each in sorted((tenant, Tenant(tenant.rows)), key=lambda tenant: tenant.id):
        each.timesheet(A, THEN, None, tracked_until=THEN + HOUR)
    code, out, _ = run("doctor", url=durable_url)
    lines = out.splitlines()
    assert code == 0
    assert [len(line) - len(line.lstrip()) for line in lines] == [0, 4, 4, 4, 0, 4]
    assert lines[5] == lines[2] == f"    {A}"


def test_terminated_run_has_printed_findings_and_says_where_to_go_on(
    run: Run, durable_url: str, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = sorted((tenant, Tenant(tenant.rows)), key=lambda tenant: tenant.id)
    for each in (first, second):
        each.timesheet(A, THEN, None, tracked_until=THEN + HOUR)
    begun = []

    def terminate(_bar: JobProgress, check: str, _total: int | None = None) -> None:
        begun.append(check)
        if begun.count("overlapping-timesheets") == 2:
            os.kill(os.getpid(), signal.SIGTERM)

    with monkeypatch.context() as patch:
        patch.setattr(JobProgress, "begin", terminate)
        code, out, err = run("doctor", url=durable_url)
    assert out.splitlines()[0] == f"warning  stale-timers  {first.id}  1"
    interrupted, reached = err.splitlines()
    assert (code, interrupted) == (143, "orgdata: Interrupted. The findings until then are printed.")
    done, total = len(begun) - 1, len(CHECKS) + len(ORGANIZATION_CHECKS)
    assert reached == f"orgdata: {done} of {total} checks were done; go on with --from {second.id}."
    rest = run("doctor", "--json", "--from", str(second.id), url=durable_url)
    found = [(each["check"], each["organization_id"]) for each in json.loads(rest.out)["findings"]]
    assert found == [("stale-timers", str(second.id))]
