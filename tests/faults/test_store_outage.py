"""Outages of the quota store that are shorter than its grace, or that Sentinel ends: requests are counted meanwhile."""

import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from tests.errors import assert_error
from tests.factories.rows import Rows
from tests.faults.service import get, serving
from tests.faults.store import Store, assert_ok, find_redis
from tests.helpers.waiting import until

pytestmark = pytest.mark.fault

GRACE = 8.0


@pytest.fixture
def keys(rows: Rows) -> list[str]:
    """Keys of organizations that one test uses."""
    return [rows.partner_key(rows.organization()) for _ in range(40)]


@pytest.mark.parametrize("fault", ["killed", "paused"])
def test_store_grace_counts_in_each_process_and_then_is_503(
    fault: str, folder: Path, store: Store, owner_url: str, keys: list[str]
) -> None:
    settings: Any = {"quota_store": store.url, "quota_store_grace": str(GRACE), "drain": "0"}
    with (
        serving(folder, "--workers", "2", database_url=owner_url, **settings) as service,
        httpx.Client(base_url=service.public, timeout=10) as http,
        ThreadPoolExecutor(8) as pool,
    ):

        def ask(key: str) -> httpx.Response:
            return http.get("/v1/members/", headers={"X-SERVICE-API-KEY": key})

        def statuses(asked: list[str]) -> set[int]:
            return {response.status_code for response in pool.map(ask, asked)}

        assert statuses(keys) == {200}
        (store.kill if fault == "killed" else store.hang)()
        counted = list(pool.map(ask, keys))
        assert {response.status_code for response in counted} == {200}
        assert all(int(response.headers["ratelimit-remaining"]) >= 28 for response in counted)

        def ready() -> httpx.Response:
            return httpx.get(f"{service.internal}/ready")

        # A check that passed is kept for a second.
        until(lambda: ready().json()["quota_store"].startswith("unreachable, each process counts by itself for "), 5)
        assert ready().status_code == 200
        # A quota holds in each of the two processes.
        assert statuses([keys[0]] * 70) == {200, 429}
        until(lambda: statuses(keys[1:9]) == {503}, GRACE + 5, every=1.0)
        assert_error(ask(keys[20]), 503, "SERVICE_UNAVAILABLE", "Service temporarily unavailable.")
        until(lambda: ready().status_code == 503, 5)
        (store.start if fault == "killed" else store.resume)()
        until(lambda: statuses(keys[9:17]) == {200}, 5)
        assert service.log_text().count('"event":"this process counts requests by itself"') == 2


@contextmanager
def sentinel(folder: Path, primary: Store) -> Iterator[Store]:
    """A sentinel that watches a primary, as a store that can be asked."""
    asked = Store(folder)
    lines = ["monitor quotas 127.0.0.1 {} 1", "down-after-milliseconds quotas 300", "failover-timeout quotas 2000"]
    config = "\n".join(f"sentinel {line}" for line in lines).format(primary.port)
    (folder / "sentinel.conf").write_text(f"port {asked.port}\nbind 127.0.0.1\ndir {folder}\n{config}\n")
    command = [find_redis(), str(folder / "sentinel.conf"), "--sentinel"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        try:
            yield asked
        finally:
            process.kill()


def answers(store: Store, *words: str) -> bytes:
    """What a store answers that may not have started yet."""
    try:
        return store.ask(*words)
    except OSError:
        return b""


@pytest.mark.parametrize("fault", ["killed", "paused"])
def test_service_follows_sentinel_to_promoted_store(fault: str, folder: Path, owner_url: str, keys: list[str]) -> None:
    other = folder / "other"
    other.mkdir()
    with Store(folder) as primary, Store(other) as replica, sentinel(folder, primary) as asked:
        assert_ok(replica.ask("REPLICAOF", "127.0.0.1", str(primary.port)))
        # The first sentinel of the address does not exist. A sentinel asks the primary for its replicas now and then.
        address = f"redis+sentinel://127.0.0.1:1,127.0.0.1:{asked.port}/quotas"
        until(lambda: str(replica.port).encode() in answers(asked, "SENTINEL", "REPLICAS", "quotas"), 30)
        with serving(folder, database_url=owner_url, quota_store=address, quota_store_grace="10", drain="0") as service:
            assert get(service, keys[0]).headers["ratelimit-remaining"] == "29"
            (primary.kill if fault == "killed" else primary.hang)()
            ended = time.monotonic() + 20
            statuses = []
            while b"role:master" not in replica.ask("INFO", "replication"):
                assert time.monotonic() < ended
                statuses.append(get(service, keys[1]).status_code)
            assert set(statuses) <= {200, 429}, "the grace covers the failover"
            until(lambda: httpx.get(f"{service.internal}/ready").json()["quota_store"] == "reachable", 5)
            assert get(service, keys[2]).headers["ratelimit-remaining"] == "29"
            assert replica.ask("KEYS", "orgdata:*quota:*").count(b"GET") > 0
