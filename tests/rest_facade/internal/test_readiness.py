"""/ready and /live: 200 when database and quota store answer, 503 that names what is unreachable.

Covers `rest_facade/internal/app.py`.
"""

import asyncio
import os
import signal
from functools import partial
from typing import Any, NamedTuple
from unittest.mock import AsyncMock

import httpx2 as httpx
import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from pydantic import SecretStr

from db.admin.migrate import head
from db.errors import OperatorError
from db.reading.hosts.host import HostState
from db.sample.embedded.server import Server
from rest_facade.access.counting_store import CountingStore
from rest_facade.access.rate_counter import CountingFailed
from rest_facade.composition import Service
from rest_facade.internal.app import InternalApp
from rest_facade.internal.readiness import Readiness
from rest_facade.telemetry.worker_metrics import read_metrics
from tests.conftest import BASE_URL, Connect
from tests.db.reading.hosts.conftest import address_of, socket_of
from tests.factories.rows import Rows
from tests.faults.proxy import Proxy
from tests.helpers.waiting import becomes
from tests.rest_facade.conftest import Vary

READY = {"status": "ready", "database": "reachable", "quota_store": "reachable"}
REFUSED = "unreachable: 127.0.0.1:1: Connection refused"


class Broken(NamedTuple):
    """How a superuser breaks and repairs the database, what /ready says, and the status of requests meanwhile."""

    breaks: str
    repairs: str
    words: str
    status: int = 500


BROKEN = {
    "empty": Broken(
        "ALTER SCHEMA public RENAME TO elsewhere; CREATE SCHEMA public; GRANT USAGE ON SCHEMA public TO PUBLIC",
        "DROP SCHEMA public; ALTER SCHEMA elsewhere RENAME TO public",
        "The database has no tables of this service: run orgdata migrate.",
    ),
    "without revision": Broken(
        "DELETE FROM alembic_version",
        "INSERT INTO alembic_version VALUES ('{head}')",
        "The database is at no revision, this version needs {head}: run orgdata migrate.",
        200,
    ),
    "older revision": Broken(
        "UPDATE alembic_version SET version_num = '0024'",
        "UPDATE alembic_version SET version_num = '{head}'",
        "The database is at 0024, this version needs {head}: run orgdata migrate.",
        200,
    ),
    "schema not usable": Broken(
        "REVOKE USAGE ON SCHEMA public FROM PUBLIC, orgdata_service",
        "GRANT USAGE ON SCHEMA public TO orgdata_service",
        "The role orgdata_service may not use the schema public: run orgdata migrate, which grants it.",
    ),
    "table not readable": Broken(
        "REVOKE SELECT ON members FROM orgdata_service",
        "GRANT SELECT ON members TO orgdata_service",
        "The role orgdata_service may not read members: run orgdata migrate, which grants it.",
    ),
    "keys missing": Broken(
        "ALTER TABLE api_keys RENAME TO elsewhere",
        "ALTER TABLE elsewhere RENAME TO api_keys",
        "The database lacks api_keys: restore it from a backup.",
    ),
    "column of keys missing": Broken(
        "ALTER TABLE api_keys RENAME digest TO elsewhere",
        "ALTER TABLE api_keys RENAME elsewhere TO digest",
        "The database lacks api_keys.digest: orgdata doctor says what to do.",
    ),
    "function not executable": Broken(
        "REVOKE EXECUTE ON FUNCTION organization_not_set() FROM PUBLIC",
        "GRANT EXECUTE ON FUNCTION organization_not_set() TO PUBLIC",
        "The database refused: permission denied for function organization_not_set.",
    ),
    "role without login": Broken(
        "ALTER ROLE orgdata_service NOLOGIN",
        "ALTER ROLE orgdata_service LOGIN",
        'unreachable: {host}: FATAL:  role "orgdata_service" is not permitted to log in',
    ),
}


def as_superuser(server: Server, url: str, commands: str) -> None:
    name = str(conninfo_to_dict(url)["dbname"])
    with psycopg.connect(server.url("postgres", name)) as connection:
        connection.execute(commands.format(head=head(), database=name).encode())


def as_service(server: Server, url: str) -> str:
    """The same database, as the service's role logs in."""
    return server.url("orgdata_service", str(conninfo_to_dict(url)["dbname"]))


async def asked(app: Any, path: str = "/ready") -> tuple[int, Any]:
    """Status and body that the internal listener answers."""
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=BASE_URL) as http:
        response = await http.get(path)
    assert response.headers["cache-control"] == "no-store"
    return response.status_code, response.json()


async def test_reachable_dependencies_are_ready(service: Service) -> None:
    assert await asked(service.internal) == (200, READY)


async def test_unreachable_database_is_live_and_unready(vary: Vary) -> None:
    async with vary(url="postgresql://nobody@127.0.0.1:1/nowhere", pool_wait=0.05) as service:
        assert await asked(service.internal) == (503, {**READY, "status": "unready", "database": REFUSED})
        assert await asked(service.internal, "/live") == (200, {"status": "live"})


async def test_unreachable_quota_store_is_unready(service: Service) -> None:
    store = CountingStore("redis://127.0.0.1:1/0")
    with pytest.raises(CountingFailed):
        await store.ping()
    app = InternalApp(
        Readiness({"database": service.database.ping, "quota_store": store.ping}),
        partial(read_metrics, service.public.metrics, None),
    )
    assert await asked(app) == (503, {**READY, "status": "unready", "quota_store": "unreachable"})


async def test_failing_and_hanging_checks_are_named() -> None:
    bad = AsyncMock(side_effect=OSError("gone"))
    checks: Any = {"good": partial(asyncio.sleep, 0), "bad": bad, "silent": asyncio.Event().wait}
    assert await Readiness(checks, timeout=0.01).report() == {
        "good": (True, "reachable"),
        "bad": (False, "unreachable"),
        "silent": (False, "unreachable: no answer within 0.01 s"),
    }


async def test_checks_are_shared_kept_when_passed_else_repeated() -> None:
    check = AsyncMock(side_effect=[OSError("gone"), OSError("gone"), None])
    readiness = Readiness({"database": check}, kept=60.0)
    for passes in (False, False, True, True):
        reports = await asyncio.gather(readiness.report(), readiness.report())
        assert [report["database"].passes for report in reports] == [passes] * 2
    assert check.await_count == 3


async def test_wait_ends_once_every_check_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rest_facade.internal.readiness.RECHECK_SECONDS", 0)
    check = AsyncMock(side_effect=[OSError("gone"), OSError("gone"), None])
    await Readiness({"database": check}).wait()
    assert check.await_count == 3


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
async def test_broken_database_is_unready_until_repaired(
    broken: Broken, own_url: str, database: Rows, server: Server, vary: Vary, client: Connect
) -> None:
    key = database.partner_key(database.organization())
    as_superuser(server, own_url, broken.breaks)
    try:
        async with vary(url=as_service(server, own_url), pool_wait=0.2) as service:
            words = broken.words.format(head=head(), host=service.database.hosts.all[0].label)
            assert await asked(service.internal) == (503, {**READY, "status": "unready", "database": words})
            http = client(key, of=service)
            assert (await http.get("/v1/members/")).status_code == broken.status
            as_superuser(server, own_url, broken.repairs)
            assert await asked(service.internal) == (200, READY)
            assert (await http.get("/v1/members/")).status_code == 200
    except BaseException:
        as_superuser(server, own_url, "ALTER ROLE orgdata_service LOGIN")
        raise


async def test_settings_of_the_role_break_nothing(
    own_url: str, database: Rows, server: Server, vary: Vary, client: Connect
) -> None:
    """Each transaction replaces them."""
    key = database.partner_key(database.organization())
    for setting in ("search_path = ''", "row_security = off"):
        as_superuser(server, own_url, f"ALTER ROLE orgdata_service IN DATABASE {{database}} SET {setting}")
    async with vary(url=as_service(server, own_url)) as service, client(key, of=service) as http:
        assert await asked(service.internal) == (200, READY)
        assert (await http.get("/v1/members/")).status_code == 200


async def test_sentence_of_a_check_is_shown(service: Service) -> None:
    sentence = "Tables are distributed, but not teams beside them: run orgdata distribute."
    misplaced = AsyncMock(side_effect=OperatorError(sentence))
    app = InternalApp(Readiness({"database": misplaced}), partial(read_metrics, service.public.metrics, None))
    assert await asked(app) == (503, {"status": "unready", "database": sentence})


async def test_stopping_service_is_503_and_live(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service.readiness, "stopping", True)
    assert await asked(service.internal) == (503, {**READY, "status": "stopping"})
    assert await asked(service.internal, "/live") == (200, {"status": "live"})


async def test_hanging_database_is_unready_until_timeout(vary: Vary, own_url: str) -> None:
    async with vary(url=own_url, pool_size=1) as service:
        await service.checked_database.ping()
        with psycopg.connect(own_url) as connection:
            found = connection.execute(
                "SELECT pid FROM pg_stat_activity WHERE application_name = 'orgdata' AND datname = current_database()"
            ).fetchall()
        pids = [pid for (pid,) in found]  # of each pool
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        try:
            report = await Readiness({"database": service.checked_database.ping}, timeout=0.1).report()
            assert report == {"database": (False, "unreachable: no answer within 0.1 s")}
            # The hanging connection is not used again.
            assert await asked(service.internal) == (200, READY)
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGCONT)


async def test_hosts_of_an_address_are_reported(vary: Vary, owner_url: str) -> None:
    with Proxy(socket_of(owner_url)) as good, Proxy(socket_of(owner_url)) as bad:
        bad.refuse = True
        async with vary(url=address_of([good, bad], owner_url, password="correct-horse")) as service:
            hosts = service.database.hosts.all
            await becomes(lambda: {host.state for host in hosts} == {HostState.up, HostState.down}, 20)
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
            assert good.opened <= opened_before + 5


async def test_hosts_of_the_primary_address_are_reported(vary: Vary) -> None:
    async with vary(keys_database_url=SecretStr("host=127.0.0.1,127.0.0.1 port=1,2")) as service:
        status, body = await asked(service.internal)
        assert [each["host"] for each in body.pop("keys_database_hosts")] == ["127.0.0.1:1", "127.0.0.1:2"]
        assert (status, body) == (200, READY), "keys that a replica has are accepted without the primary"
