"""`examples/dlt` against the demo: a load of changes ends equal to a fresh load, for all operations.

Also tests `examples/dlt/client.py` with refusals that the quota of a demo would need minutes for.
"""

import importlib.util
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from signal import SIGTERM
from threading import Thread
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar
from urllib.parse import parse_qsl, urlsplit
from uuid import UUID

import pytest
from sqlalchemy import text

from db.admin.engine import connect
from db.admin.quotas import set_quota
from rest_facade.v1 import ENDPOINTS
from tests.clients.dlt_example import EXAMPLE, TABLES, run_example
from tests.factories.base import set_row_organization
from tests.factories.rows import Rows
from tests.helpers.folders import open_folder
from tests.rest_facade.commands.demo_process import Demo, demo

pytestmark = pytest.mark.clients

FIRST_DAY = (datetime.now(UTC) - timedelta(days=20)).date().isoformat()

# Of the last days, so that both loads read the windows. Triggers delete what belongs to a deleted row.
CHANGES = (
    "UPDATE members SET job_title = 'Archivist' WHERE {a user_id of members}",
    "UPDATE projects SET name = 'Renamed', client_id = NULL WHERE {an id of projects}",
    "UPDATE invoices SET notes = 'Corrected' WHERE {an id of invoices}",
    "UPDATE payables SET note = 'Corrected' WHERE {an id of payables}",
    (
        "UPDATE clock_records SET clock_in_note = 'Corrected' WHERE id = ("
        " SELECT id FROM clock_records WHERE deleted_at IS NULL ORDER BY clock_in_at DESC LIMIT 1)"
    ),
    (
        "UPDATE timesheets SET project_id = NULL, task_id = NULL WHERE id = ("
        " SELECT id FROM timesheets WHERE deleted_at IS NULL AND ended_at IS NOT NULL ORDER BY started_at DESC LIMIT 1)"
    ),
    # A whole day of a person, with idle time.
    (
        "UPDATE timesheets SET deleted_at = now() WHERE (user_id, started_at::date) = ("
        " SELECT t.user_id, t.started_at::date FROM timesheets t JOIN idle_times i ON i.timesheet_id = t.id"
        " WHERE t.deleted_at IS NULL AND i.deleted_at IS NULL AND t.started_at < current_date"
        " ORDER BY t.started_at DESC LIMIT 1)"
    ),
    "UPDATE tasks SET deleted_at = now() WHERE {an id of tasks}",
    "UPDATE teams SET deleted_at = now() WHERE {an id of teams}",
    "UPDATE invoices SET deleted_at = now() WHERE {an id of invoices, the last}",
    "UPDATE leave_applications SET deleted_at = now() WHERE {an id of leave_applications}",
    "UPDATE one_time_payment_logs SET deleted_at = now() WHERE {an id of one_time_payment_logs}",
)
ROW = re.compile(r"\{an? (\w+) of (\w+)(, the last)?\}")


def condition(found: re.Match[str]) -> str:
    """SQL for one row of a table that is not deleted."""
    key, table, is_last = found.groups()
    order = "DESC" if is_last else "ASC"
    return f"{key} = (SELECT {key} FROM {table} WHERE deleted_at IS NULL ORDER BY {key} {order} LIMIT 1)"


def change(demo: Demo) -> None:
    """Insert, update and delete rows of the organization."""
    own = UUID(demo.details["organization_id"])
    now = datetime.now(UTC).replace(microsecond=0)
    rows = Rows(connect(demo.details["database_url"]))
    new = {"created_at": now}
    user_id = rows.member(own, **new, email="new@example.com", first_joined_at=now - timedelta(days=9))
    project_id = rows.project(own, **new, name="New")
    start = now - timedelta(days=1, hours=2)
    rows.timesheet(own, user_id, **new, project_id=project_id, started_at=start, ended_at=start + timedelta(hours=1))
    record = rows.clock_record(own, user_id, **new, clock_in_at=start, clock_out_at=start + timedelta(hours=2))
    rows.break_time(own, user_id, **new, clock_record_id=record, started_at=start + timedelta(hours=1), is_paid=True)
    rows.payable(own, user_id, **new, amount=10)
    with rows.connection.begin():
        set_row_organization(rows.connection, own)
        for statement in CHANGES:
            assert rows.connection.execute(text(ROW.sub(condition, statement))).rowcount, statement
    rows.connection.close()


def run(demo: Demo, *command: str | Path, folder: Path = EXAMPLE) -> Any:
    return run_example(demo.details["partner_key"], *command, folder=folder)


def load(demo: Demo, database: Path) -> dict[str, Any]:
    options = ["--url", demo.details["public"], "--database", str(database), "--first-day", FIRST_DAY, "--all"]
    report: dict[str, Any] = run(demo, "load.py", *options)
    return report


def documented_load() -> list[str]:
    """The words of the line of the README that loads, after its environment."""
    (line,) = re.findall(r"^    (SERVICE_API_KEY=.*)$", (EXAMPLE / "README.md").read_text(), re.MULTILINE)
    key, python, *words = str(line).split()
    assert (key, python) == ("SERVICE_API_KEY=orgd_live_...", ".venv/bin/python")
    return words


@pytest.fixture
def running() -> Iterator[Demo]:
    with open_folder() as folder, demo(folder / "data") as running:
        with connect(running.details["database_url"]).begin() as connection:
            set_quota(connection, UUID(running.details["organization_id"]), "", 100_000)
        yield running
        running.end(SIGTERM)


def test_load_of_changes_ends_equal_to_a_fresh_load(running: Demo, tmp_path: Path) -> None:
    kept, fresh = tmp_path / "kept.duckdb", tmp_path / "fresh.duckdb"
    first = load(running, kept)
    before = run(running, TABLES, kept)
    change(running)
    second = load(running, kept)
    load(running, fresh)
    after, expected = (run(running, TABLES, database) for database in (kept, fresh))
    assert {name for name in expected if before[name] != expected[name]} >= {
        *("members", "projects", "tasks", "teams", "invoices", "clock_records", "payables", "one_time_payment_logs"),
        *("time_activity_days", "timesheet_idle_times", "leave_applications"),
    }
    for name in sorted(expected.keys() | after.keys()):
        kept_rows, fresh_rows = after.get(name, []), expected.get(name, [])
        # Not as one comparison: pytest would take minutes to explain it.
        assert [row for row in kept_rows if row not in fresh_rows] == [], name
        assert [row for row in fresh_rows if row not in kept_rows] == [], name
        assert len(kept_rows) == len(fresh_rows), name
    changed = ("members", "projects", "tasks", "invoices", "suspicious_activity_logs", "leave_applications")
    assert sum(second["rows"].get(name, 0) for name in changed) < sum(first["rows"][name] for name in changed) / 4
    (tmp_path / "report.json").write_text(json.dumps([first, second]))


def test_line_of_the_readme_loads_as_it_stands(running: Demo, tmp_path: Path) -> None:
    words = documented_load()
    script, *options = [running.details["public"] if word == "http://127.0.0.1:8000" else word for word in words]
    report = run(running, EXAMPLE / script, *options, folder=tmp_path)
    assert report["rows"]["members"] > 0
    assert (tmp_path / "orgdata.duckdb").exists()
    shown = run(running, TABLES, tmp_path / "orgdata.duckdb")
    assert len(shown["members"]) == report["rows"]["members"]


class SlowWalk(BaseHTTPRequestHandler):
    """Two pages of teams that are read an hour apart. It keeps each `updated_since`."""

    asked: ClassVar[list[str | None]] = []

    def do_GET(self) -> None:
        query = dict(parse_qsl(urlsplit(self.path).query))
        self.asked.append(query.get("updated_since"))
        hour, next_ = (11, None) if "page" in query else (10, "http://test/v1/teams/?page=2")
        row = {"id": f"team of {hour}", "updated_at": f"2026-03-02T{hour - 1:02}:59:30Z", "deleted_at": None}
        self.send_response(200)
        self.send_header("X-Data-As-Of", f"2026-03-02T{hour}:00:00.000000Z")
        self.end_headers()
        self.wfile.write(json.dumps({"results": [row], "next": next_}).encode())

    def log_message(self, *_: object) -> None:
        """Nothing."""


def test_load_reads_again_what_changed_during_the_last_walk(tmp_path: Path) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), SlowWalk) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        for _ in range(2):
            run_example("key", "load.py", "--url", url, "--database", tmp_path / "slow.duckdb", "--only", "listTeams")
    assert SlowWalk.asked == [None, None, "2026-03-02T09:59:00+00:00", None]
    # What was erased since a load is nowhere but in the database.
    assert list((tmp_path / "slow.state").rglob("*.insert_values*")) == []


def module(name: str) -> ModuleType:
    """A file of the example, without its folder on the path."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


class Answers:
    """A session that gives prepared responses, and a clock that waiting moves."""

    def __init__(self, *responses: tuple[int, dict[str, str], Any]) -> None:
        self.responses = list(responses)
        self.queries: list[Any] = []
        self.now = 1_000.0
        self.waits: list[float] = []

    def get(self, url: str, params: Any, headers: Any, timeout: float) -> Any:
        self.queries.append((url, params))
        status, headers, body = self.responses.pop(0)
        if status == 0:
            raise ConnectionError
        return SimpleNamespace(status_code=status, headers=headers, json=lambda: body, text="")

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds

    def client(self) -> Any:
        return module("client").Client("http://test", "key", self, sleep=self.sleep, clock=lambda: self.now)


ERROR = {"error": {"code": "RATE_LIMIT_EXCEEDED", "message": "Rate limit exceeded."}}


def test_client_waits_for_the_window_when_the_quota_is_used_up() -> None:
    last = {"RateLimit-Remaining": "0", "RateLimit-Reset": "1042"}
    answers = Answers((200, last, 1), (200, {}, 2), (200, {}, 3))
    client = answers.client()
    assert [client.get(path, {}) for path in ("/v1/members/", "/v1/teams/", "/v1/members/")] == [1, 2, 3]
    assert answers.waits == [42.0]
    assert client.requests == {"members": 2, "teams": 1}


def test_client_retries_refused_requests_after_the_time_told() -> None:
    answers = Answers((429, {"Retry-After": "7"}, ERROR), (503, {"Retry-After": "5"}, ERROR), (200, {}, "done"))
    assert answers.client().get("/v1/members/x/payables/", {}) == "done"
    first, second = answers.waits
    assert 7 <= first < 8
    assert 5 <= second < 6


def test_client_asks_again_where_a_connection_broke_on_the_way() -> None:
    answers = Answers((200, {}, 1), (0, {}, None), (502, {}, ERROR), (200, {}, 2))
    client = answers.client()
    assert [client.get("/v1/teams/", {}) for _ in range(2)] == [1, 2]
    first, second = answers.waits
    assert 2 <= first < 3
    assert 4 <= second < 5
    with pytest.raises(ConnectionError):
        Answers((0, {}, None)).client().get("/v1/teams/", {})


def test_client_follows_next_at_its_own_address() -> None:
    following = "https://elsewhere.example/v1/tasks/?limit=2&page=2&after=abc"
    answers = Answers((200, {}, {"results": [1, 2], "next": following}), (200, {}, {"results": [3], "next": None}))
    assert list(answers.client().pages("/v1/tasks/", {"limit": "2"})) == [[1, 2], [3]]
    assert answers.queries[1] == ("http://test/v1/tasks/", {"limit": "2", "page": "2", "after": "abc"})


def test_example_declares_every_operation_as_it_is() -> None:
    declared = module("operations").OPERATIONS
    assert {name: operation.path for name, operation in declared.items()} == {
        endpoint.operation: endpoint.path for endpoint in ENDPOINTS
    }
    for endpoint in ENDPOINTS:
        operation = declared[endpoint.operation]
        names = set(endpoint.query_names)
        if operation.is_polled and operation.name != "listScreenshots":
            assert "updated_since" in names
        assert not operation.takes_deleted or "include_deleted" in names
        assert (operation.window_days is not None) == ({"start_date"} <= names and operation.window_days is not None)
