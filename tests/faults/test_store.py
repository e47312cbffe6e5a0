"""The quota store fails, hangs or answers nonsense: 503 meanwhile, and recovery after it."""

import asyncio
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

import httpx2 as httpx
import pytest

from tests.errors import assert_error
from tests.factories.rows import Rows
from tests.faults.proxy import Proxy
from tests.faults.service import Serving, get, quiet_window, serving
from tests.faults.store import Store, assert_ok
from tests.helpers.waiting import until

pytestmark = pytest.mark.fault

REFUSED = 3
"""Requests, one after the other, that find the store unavailable."""

CountingAt = Callable[[str], AbstractContextManager[Serving]]
"""Starts the service with the store of an address."""


@pytest.fixture
def counting_at(folder: Path, owner_url: str) -> CountingAt:
    return lambda url: serving(folder, database_url=owner_url, quota_store=url, drain="0")


def remaining(response: httpx.Response) -> int:
    assert response.status_code == 200, response.text
    return int(response.headers["ratelimit-remaining"])


def assert_unavailable(service: Serving, key: str) -> None:
    for _ in range(REFUSED):
        response = get(service, key)
        assert_error(response, 503, "SERVICE_UNAVAILABLE", "Service temporarily unavailable.")
        assert response.headers["retry-after"] == "5"
        assert not any(name.startswith("ratelimit-") for name in response.headers)


def assert_back(service: Serving, key: str) -> httpx.Response:
    """Wait for the first 200; the answer after it."""
    until(lambda: get(service, key).status_code == 200)
    return get(service, key)


def kill(store: Store) -> Callable[[], None]:
    store.kill()
    return store.start


def hang(store: Store) -> Callable[[], None]:
    store.hang()
    return store.resume


def fill(store: Store) -> Callable[[], None]:
    """Out of memory: reads are answered, writes are refused."""
    assert store.ask("CONFIG", "SET", "maxmemory", "1") == b"+OK\r\n"
    return lambda: assert_ok(store.ask("CONFIG", "SET", "maxmemory", "0"))


def demote(store: Store) -> Callable[[], None]:
    """A replica without a primary, as after a failover: reads are answered, writes are refused."""
    assert_ok(store.ask("REPLICAOF", "127.0.0.1", "1"))
    return lambda: assert_ok(store.ask("REPLICAOF", "NO", "ONE"))


@pytest.mark.parametrize("fail", [kill, hang, fill, demote])
def test_failing_store_is_503_until_it_recovers(
    fail: Callable[[Store], Callable[[], None]], counting_at: CountingAt, store: Store, rows: Rows, key: str
) -> None:
    others = [rows.partner_key(rows.organization()) for _ in range(40)]
    scoped = rows.mcp_key(rows.organization(), "teams:read")
    with counting_at(store.url) as service:
        assert get(service, key).status_code == 200
        mend = fail(store)
        assert_unavailable(service, key)
        with ThreadPoolExecutor(20) as pool:
            assert {each.status_code for each in pool.map(lambda other: get(service, other), others)} == {503}
        # A check that passed counts for a second.
        until(lambda: httpx.get(f"{service.internal}/ready").status_code == 503)
        assert httpx.get(f"{service.internal}/ready").json()["quota_store"] == "unreachable"
        # Answers that need no count stay; a missing scope is reported before a failed count.
        assert_error(get(service, "malformed"), 401, "INVALID_API_KEY", "Invalid API key.")
        assert_error(get(service, scoped), 403, "SCOPE_DENIED")
        assert_error(get(service, key, "/v1/nowhere/"), 404, "ROUTE_NOT_FOUND", "Route not found.")
        assert httpx.options(f"{service.public}/v1/members/").status_code == 204

        mend()
        assert 0 <= remaining(assert_back(service, others[0])) <= 28
        until(lambda: httpx.get(f"{service.internal}/ready").status_code == 200)
        # One line for the outage, not one per request.
        assert service.log_text().count('"event":"store failed"') == 1


def test_restarted_store_counts_from_zero(counting_at: CountingAt, store: Store, rows: Rows) -> None:
    organization = rows.organization()
    key = rows.partner_key(organization)
    quiet_window(organization)
    with counting_at(store.url) as service:
        assert [remaining(get(service, key)) for _ in range(3)] == [29, 28, 27]
        store.kill()
        store.start()
        # Connections that died while idle cause no failure.
        assert [remaining(get(service, key)) for _ in range(3)] == [29, 28, 27]


def test_late_answer_is_not_read_as_another_count(counting_at: CountingAt, store: Store, rows: Rows) -> None:
    """The late reply to a request of one organization must not be read as the count of another."""
    organizations = [rows.organization() for _ in range(2)]
    spent, fresh = map(rows.partner_key, organizations)
    quiet_window(*organizations)
    with Proxy(("127.0.0.1", store.port)) as proxy, counting_at(f"redis://127.0.0.1:{proxy.port}/0") as service:
        assert [remaining(get(service, spent)) for _ in range(5)] == [29, 28, 27, 26, 25]
        proxy.latency = 0.4
        assert_unavailable(service, spent)
        proxy.latency = 0.0
        # Requests that were given up may have been counted.
        assert 0 <= remaining(assert_back(service, spent)) <= 24
        assert [remaining(get(service, fresh)) for _ in range(5)] == [29, 28, 27, 26, 25]


@pytest.mark.parametrize("fault", ["swallow", "refuse", "cut"])
def test_broken_network_to_store_is_503(fault: str, counting_at: CountingAt, store: Store, key: str) -> None:
    with Proxy(("127.0.0.1", store.port)) as proxy, counting_at(f"redis://127.0.0.1:{proxy.port}/0") as service:
        assert get(service, key).status_code == 200
        if fault == "cut":
            # A truncated reply: ":1" without its end.
            proxy.limit = 2
        else:
            setattr(proxy, fault, True)
            proxy.reset()
        opened = proxy.opened
        assert_unavailable(service, key)
        # A call that fails loses its connection, and the client connects twice if the first connection ends at once. No
        # request calls a second time: each call may wait for the store.
        assert 1 <= proxy.opened - opened <= 2 * REFUSED
        proxy.limit, proxy.swallow, proxy.refuse = None, False, False
        proxy.reset()
        assert_back(service, key)


def test_key_guesses_are_429_without_the_store(counting_at: CountingAt, store: Store) -> None:
    with counting_at(store.url) as service:
        store.kill()
        statuses = [get(service, f"guess {number}").status_code for number in range(50)]
    assert statuses == [401] * 10 + [429] * 40


def test_store_password_is_used_and_not_logged(folder: Path, counting_at: CountingAt, key: str) -> None:
    secret = "not the key of anything"
    with Store(folder, password=secret) as store:
        quoted = secret.replace(" ", "%20")
        with counting_at(f"redis://:{quoted}@127.0.0.1:{store.port}/0") as service:
            assert get(service, key).status_code == 200
            assert httpx.get(f"{service.internal}/ready").status_code == 200
        with counting_at(f"redis://:{quoted}x@127.0.0.1:{store.port}/0") as service:
            assert_error(get(service, key), 503, "SERVICE_UNAVAILABLE")
            text = service.log_text()
            assert "WRONGPASS" in text or "invalid username-password" in text
            assert secret not in text
            assert quoted not in text


def test_store_certificate_is_verified(
    folder: Path, store: Store, counting_at: CountingAt, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, other = certificate(folder, "made"), certificate(folder, "other")
    with over_tls(made, store.port) as port:
        monkeypatch.setenv("SSL_CERT_FILE", str(made.with_suffix(".crt")))
        with counting_at(f"rediss://127.0.0.1:{port}/0") as service:
            assert get(service, key).status_code == 200
        monkeypatch.setenv("SSL_CERT_FILE", str(other.with_suffix(".crt")))
        with counting_at(f"rediss://127.0.0.1:{port}/0") as service:
            assert_error(get(service, key), 503, "SERVICE_UNAVAILABLE")


def certificate(folder: Path, name: str) -> Path:
    """A self-signed certificate of 127.0.0.1 and its key: the path with `.crt` and `.key`."""
    path = folder / name
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=test".split()
    command += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", f"{path}.key", "-out", f"{path}.crt"]
    subprocess.run(command, check=True, capture_output=True, timeout=30)
    return path


@contextmanager
def over_tls(certificate: Path, port: int) -> Iterator[int]:
    """A TLS-terminating proxy to `port`; yields its own port."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{certificate}.crt", f"{certificate}.key")
    ended = threading.Event()
    started: Future[int] = Future()

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while chunk := await reader.read(65536):
                writer.write(chunk)
                await writer.drain()
        writer.close()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(carry(reader, inner_writer), carry(inner_reader, writer))

    async def serve() -> None:
        async with await asyncio.start_server(accept, "127.0.0.1", 0, ssl=context) as listener:
            started.set_result(listener.sockets[0].getsockname()[1])
            await asyncio.to_thread(ended.wait)

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    try:
        yield started.result(10)
    finally:
        ended.set()
        thread.join(10)
