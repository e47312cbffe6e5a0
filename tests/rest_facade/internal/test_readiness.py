"""/ready and /live: 200 when database and quota store answer, 503 that names what is unreachable.

Covers `rest_facade/internal/app.py`.
"""

import asyncio
import os
import signal
from functools import partial
from typing import Any

import httpx2 as httpx
import psycopg
import pytest
from pydantic import SecretStr

from db.reading.hosts.distribution import DistributionError
from db.reading.hosts.host import HostState
from rest_facade.access.counting_store import CountingStore
from rest_facade.access.rate_counter import CountingFailed
from rest_facade.composition import Service
from rest_facade.internal.app import internal_app
from rest_facade.internal.readiness import Readiness
from rest_facade.settings import Settings
from rest_facade.telemetry.worker_metrics import read_metrics
from tests.conftest import BASE_URL
from tests.db.reading.hosts.conftest import address_of, socket_of
from tests.faults.proxy import Proxy
from tests.rest_facade.graphql.client import varied

READY = {"status": "ready", "database": "reachable", "quota_store": "reachable"}
NOWHERE = "postgresql://nobody@127.0.0.1:1/nowhere"


async def asked(app: Any, path: str = "/ready") -> tuple[int, Any]:
    """Status and body that the internal listener answers."""
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=BASE_URL) as http:
        response = await http.get(path)
    assert response.headers["cache-control"] == "no-store"
    return response.status_code, response.json()


async def test_reachable_dependencies_are_ready(service: Service) -> None:
    assert await asked(service.internal) == (200, READY)


async def test_unreachable_database_is_live_and_unready(settings: Settings) -> None:
    async with varied(settings, NOWHERE, pool_wait=0.05) as service:
        assert await asked(service.internal) == (503, {**READY, "status": "unready", "database": "unreachable"})
        assert await asked(service.internal, "/live") == (200, {"status": "live"})


async def test_unreachable_quota_store_is_unready(service: Service) -> None:
    store = CountingStore("redis://127.0.0.1:1/0")
    with pytest.raises(CountingFailed):
        await store.ping()
    app = internal_app(
        Readiness({"database": service.database.ping, "quota_store": store.ping}),
        partial(read_metrics, service.public.metrics, None),
    )
    assert await asked(app) == (503, {**READY, "status": "unready", "quota_store": "unreachable"})


async def test_failing_and_hanging_checks_are_named() -> None:
    async def bad() -> None:
        raise OSError("gone")

    checks: Any = {"good": partial(asyncio.sleep, 0), "bad": bad, "silent": asyncio.Event().wait}
    assert await Readiness(checks, timeout=0.01).report() == {
        "good": (True, "reachable"),
        "bad": (False, "unreachable"),
        "silent": (False, "unreachable"),
    }


async def test_sentence_of_a_check_is_shown(service: Service) -> None:
    async def misplaced() -> None:
        raise DistributionError("Tables are distributed, but not teams beside them: run orgdata distribute.")

    app = internal_app(Readiness({"database": misplaced}), partial(read_metrics, service.public.metrics, None))
    sentence = "Tables are distributed, but not teams beside them: run orgdata distribute."
    assert await asked(app) == (503, {"status": "unready", "database": sentence})


async def test_stopping_service_is_503_and_live(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service.readiness, "stopping", True)
    assert await asked(service.internal) == (503, {**READY, "status": "stopping"})
    assert await asked(service.internal, "/live") == (200, {"status": "live"})


async def test_hanging_database_is_unready_until_timeout(settings: Settings, own_url: str) -> None:
    async with varied(settings.model_copy(update={"pool_size": 1}), own_url) as service:
        await service.database.ping()
        with psycopg.connect(own_url) as connection:
            found = connection.execute(
                "SELECT pid FROM pg_stat_activity WHERE application_name = 'orgdata' AND datname = current_database()"
            ).fetchall()
        pids = [pid for (pid,) in found]  # of each pool
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        try:
            report = await Readiness({"database": service.database.ping}, timeout=0.1).report()
            assert report == {"database": (False, "unreachable")}
            # The hanging connection is not used again.
            assert await asked(service.internal) == (200, READY)
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGCONT)


async def test_hosts_of_an_address_are_reported(settings: Settings, owner_url: str) -> None:
    with Proxy(socket_of(owner_url)) as good, Proxy(socket_of(owner_url)) as bad:
        bad.refuse = True
        url = address_of([good, bad], owner_url, password="correct-horse")
        async with varied(settings, url) as service:
            async with asyncio.timeout(20):
                while {host.state for host in service.database.hosts.all} != {HostState.up, HostState.down}:
                    await asyncio.sleep(0.01)
            opened_before = good.opened
            for _ in range(20):
                status, body = await asked(service.internal)
                reported, refusing = body.pop("database_hosts")
                assert (status, body) == (200, READY)
                up = {"state": "up", "role": "primary", "last_error": None, "lag_seconds": 0.0, "warning": None}
                assert reported == {"host": f"127.0.0.1:{good.port}", **up}
                assert (refusing["host"], refusing["state"]) == (f"127.0.0.1:{bad.port}", "down")
                assert refusing["last_error"]
                assert "correct-horse" not in str(refusing)
            # Each pool opens its first connection, and the monitor its own.
            assert good.opened <= opened_before + 4


async def test_hosts_of_the_primary_address_are_reported(settings: Settings, owner_url: str) -> None:
    nowhere = "host=127.0.0.1,127.0.0.1 port=1,2"
    async with varied(settings.model_copy(update={"keys_database_url": SecretStr(nowhere)}), owner_url) as service:
        status, body = await asked(service.internal)
        assert [each["host"] for each in body.pop("keys_database_hosts")] == ["127.0.0.1:1", "127.0.0.1:2"]
        assert (status, body) == (200, READY), "keys that a replica has are accepted without the primary"
