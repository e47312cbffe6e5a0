"""Several workers: shared counts, replacement of dead workers, graceful shutdown, merged metrics.

Covers `rest_facade/server/workers.py` and `rest_facade/telemetry/worker_metrics.py`.
"""

import os
import re
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any, Self

import httpx2 as httpx
import psycopg
import pytest

from tests.errors import assert_error
from tests.factories.rows import Rows
from tests.faults.service import HANGUP, Serving, get, quiet_window, serving
from tests.faults.store import Store, free_port
from tests.helpers.repository import ROOT
from tests.helpers.waiting import until
from tests.rest_facade.graphql.locks import waiting
from tests.rest_facade.raw_client import Connection, request

pytestmark = pytest.mark.fault

TIMEOUT = 20.0

Working = Callable[..., AbstractContextManager[Serving]]
"""Starts the service with two or other workers."""


@pytest.fixture
def busy(rows: Rows) -> str:
    """A key with a practically unlimited quota."""
    organization = rows.organization()
    rows.quota(organization, 1_000_000)
    return rows.partner_key(organization)


@pytest.fixture
def working(folder: Path, owner_url: str, store: Store) -> Working:
    def start(workers: int = 2, drain: str = "0", **more: Any) -> AbstractContextManager[Serving]:
        settings: Any = {"database_url": owner_url, "quota_store": store.url, "drain": drain}
        return serving(folder, "--workers", str(workers), **settings, **more)

    return start


def answered_by(service: Serving) -> dict[str, int]:
    """The number of requests that each worker has answered with 200."""
    text = httpx.get(f"{service.internal}/metrics").text
    found = re.findall(r'orgdata_requests_total\{worker="(\d)",operation="listMembers",status="200".*\} (\d+)', text)
    return {worker: int(number) for worker, number in found}


def is_gone(pid: int) -> bool:
    return not Path(f"/proc/{pid}").exists()


class Load:
    """Threads that send requests without pause; with `keep`, each on a persistent connection."""

    def __init__(self, service: Serving, key: str, threads: int = 3, *, keep: bool = True) -> None:
        self.statuses: Counter[int] = Counter()
        self.failed: list[str] = []
        self._service, self._key, self._keep = service, key, keep
        self._end = threading.Event()
        self._threads = [threading.Thread(target=self._ask) for _ in range(threads)]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        self._end.set()
        for thread in self._threads:
            thread.join(TIMEOUT)

    def _ask(self) -> None:
        url, headers = f"{self._service.public}/v1/members/", {"X-SERVICE-API-KEY": self._key}
        limits = httpx.Limits(max_keepalive_connections=None if self._keep else 0)
        with httpx.Client(headers=headers, timeout=TIMEOUT, limits=limits) as client:
            while not self._end.is_set() and sum(self.statuses.values()) < 100_000:
                try:
                    self.statuses[client.get(url).status_code] += 1
                except httpx.TransportError as error:
                    self.failed.append(repr(error))


def test_workers_share_one_quota(working: Working, rows: Rows) -> None:
    organization = rows.organization()
    key = rows.partner_key(organization)
    with working(workers=3) as service:
        quiet_window(organization)
        with ThreadPoolExecutor(50) as pool:
            responses = list(pool.map(lambda _: get(service, key), range(100)))
        assert Counter(response.status_code for response in responses) == {200: 30, 429: 70}
        left = sorted(int(r.headers["ratelimit-remaining"]) for r in responses if r.status_code == 200)
        assert left == list(range(30))
        # More than one worker has answered.
        assert sum(answered_by(service).values()) == 30
        assert len([number for number in answered_by(service).values() if number]) > 1


def test_workers_share_one_throttle(working: Working, key: str) -> None:
    with working(workers=3) as service:
        assert [get(service, f"guess {number}").status_code for number in range(10)] == [401] * 10
        for _ in range(10):
            assert_error(get(service, key), 429, "AUTH_FAILURE_THROTTLE", "Too many failed authentications.")


def test_killed_worker_is_replaced(working: Working, busy: str) -> None:
    with working() as service:
        first, second = service.children()
        with Load(service, busy, keep=False) as load:
            until(lambda: load.statuses[200] > 20)
            os.kill(first, signal.SIGKILL)
            until(lambda: len(service.children()) == 2 and first not in service.children(), 3)
            until(lambda: sorted(answered_by(service)) == ["0", "1"], 3)
            answered = load.statuses[200]
            until(lambda: load.statuses[200] > answered + 50)
        assert second in service.children()
        assert set(load.statuses) == {200}
        # Only requests in flight at the killed worker fail: at most one per client.
        assert len(load.failed) <= 3, load.failed
        assert '"event":"worker died"' in service.log_text()
        assert service.stop() == 0


def test_shutdown_drains_and_finishes_requests(working: Working, owner_url: str, busy: str) -> None:
    with working(drain="1") as service:
        workers = service.children()
        assert get(service, busy).status_code == 200
        with (
            psycopg.connect(owner_url) as lock,
            Connection(service.address) as one,
            Connection(service.address) as idle,
            httpx.Client() as operator,
        ):
            lock.execute("LOCK TABLE clients")
            one.send(request("/v1/clients/", key=busy))
            idle.send(request("/v1/members/", key=busy))
            assert idle.read().status_code == 200
            until(lambda: waiting(owner_url))
            service.process.send_signal(signal.SIGTERM)
            until(lambda: operator.get(f"{service.internal}/ready").json()["status"] == "stopping")
            # During the drain a new connection is still answered, once.
            late = get(service, busy)
            assert (late.status_code, late.headers["connection"]) == (200, "close")
            idle.send(request("/v1/members/", key=busy))
            assert idle.read().headers["connection"] == "close"
            assert idle.rest() == b""
            lock.rollback()
            answer = one.read()
            assert answer.status_code == 200
        assert service.process.wait(TIMEOUT) == 0
        assert all(map(is_gone, workers))


@pytest.mark.parametrize("workers", [1, 2])
def test_new_instance_fails_no_request(workers: int, working: Working, busy: str) -> None:
    start = partial(working, workers=workers, port=free_port(), drain="1")
    with (
        start(name="old") as old,
        Load(old, busy, 2) as kept,
        Load(old, busy, 2, keep=False) as new,
        start(name="new") as taking_over,
    ):
        until(lambda: kept.statuses[200] > 50 and new.statuses[200] > 50)
        assert old.stop() == 0
        answered = kept.statuses[200], new.statuses[200]
        until(lambda: kept.statuses[200] > answered[0] + 50 and new.statuses[200] > answered[1] + 50)
        kept.end()
        new.end()
        assert taking_over.process.poll() is None
    assert (kept.failed, new.failed) == ([], [])
    assert set(kept.statuses) == set(new.statuses) == {200}


@pytest.mark.parametrize("number", [signal.SIGTERM, HANGUP])
def test_signal_to_process_group_is_a_graceful_shutdown(
    number: signal.Signals, working: Working, owner_url: str, busy: str
) -> None:
    """A service manager, or a terminal that closes, signals the parent and each worker at the same time."""
    with working() as service:
        with psycopg.connect(owner_url) as lock, Connection(service.address) as one:
            lock.execute("LOCK TABLE clients")
            one.send(request("/v1/clients/", key=busy))
            until(lambda: waiting(owner_url))
            os.killpg(service.process.pid, number)
            until(service.refuses)
            lock.rollback()
            assert one.read().status_code == 200
        assert service.process.wait(TIMEOUT) == 0


def test_workers_stop_when_their_parent_is_killed(working: Working) -> None:
    with working() as service:
        workers = service.children()
        service.process.kill()
        until(lambda: all(map(is_gone, workers)))


@pytest.mark.parametrize("workers", [1, 2])
def test_second_signal_stops_at_once(workers: int, working: Working, owner_url: str, busy: str) -> None:
    with working(workers=workers) as service:
        children = service.children()
        with psycopg.connect(owner_url) as lock, Connection(service.address) as one:
            lock.execute("LOCK TABLE clients")
            one.send(request("/v1/clients/", key=busy))
            until(lambda: waiting(owner_url))
            service.process.send_signal(signal.SIGTERM)
            until(service.refuses)
            assert service.stop() == 0
            text = one.rest()
        assert text == b"" or (text.startswith(b"HTTP/1.1 500 ") and b'{"error":{"code":"INTERNAL_ERROR"' in text)
        assert all(map(is_gone, children))


def test_metrics_include_all_workers(working: Working, busy: str) -> None:
    with working() as service:
        for _ in range(20):
            assert get(service, busy).status_code == 200
        counts = [answered_by(service) for _ in range(4)]
        assert {sum(each.values()) for each in counts} == {20}
        text = httpx.get(f"{service.internal}/metrics").text
        families = re.findall(r"^# TYPE (\w+) ", text, re.MULTILINE)
        assert len(families) == len(set(families))
        for line in text.splitlines():
            assert line.startswith("# ") or 'worker="' in line


def test_failing_worker_start_is_reported() -> None:
    script = """
import sys
from rest_facade.telemetry import logging as log
from db.errors import OperatorError
from rest_facade.server.workers import Workers
log.configure()
def fail(worker):
    raise RuntimeError(f"worker {worker.number} has nothing to do")
try:
    Workers(fail, 2).start()
except OperatorError as error:
    sys.exit(str(error))
"""
    command = [sys.executable, "-c", script]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    assert ended.returncode == 1
    assert "worker 0 has nothing to do" in ended.stderr
    assert ended.stderr.endswith("A worker ended while it started; the log says why.\n")
