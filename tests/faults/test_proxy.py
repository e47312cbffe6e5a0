"""The proxy of the fault tests: it carries bytes unchanged, and injects each fault."""

import contextlib
import socket
import socketserver
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.proxy import Proxy, Target
from tests.faults.service import until

LARGE = bytes(range(256)) * 4096
"""A megabyte."""


class Echo(socketserver.BaseRequestHandler):
    """Sends back what it receives."""

    def handle(self) -> None:
        with contextlib.suppress(OSError):
            while received := self.request.recv(65536):
                self.request.sendall(received)


@pytest.fixture(params=["tcp", "unix"])
def echo(request: pytest.FixtureRequest) -> Iterator[Target]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "echo")
        unix = request.param == "unix"
        server = (
            socketserver.ThreadingUnixStreamServer(str(path), Echo)
            if unix
            else socketserver.ThreadingTCPServer(("127.0.0.1", 0), Echo)
        )
        server.daemon_threads = True
        with server:
            threading.Thread(target=server.serve_forever, args=(0.01,)).start()
            yield path if unix else ("127.0.0.1", server.socket.getsockname()[1])
            server.shutdown()


@pytest.fixture
def proxy(echo: Target) -> Iterator[Proxy]:
    with Proxy(echo) as proxy:
        yield proxy


@contextlib.contextmanager
def connected(proxy: Proxy) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", proxy.port), timeout=10) as client:
        yield client


def echo_of(client: socket.socket, data: bytes) -> bytes:
    """Send `data`; return what comes back, until it is as long or the connection ends."""
    threading.Thread(target=client.sendall, args=(data,), daemon=True).start()
    received = b""
    while len(received) < len(data) and (more := client.recv(65536)):
        received += more
    return received


def test_bytes_pass_unchanged(proxy: Proxy) -> None:
    with connected(proxy) as client, connected(proxy) as other:
        assert echo_of(client, LARGE) == LARGE
        assert echo_of(other, b"other") == b"other"
        assert proxy.connections == 2
        client.shutdown(socket.SHUT_WR)
        assert client.recv(1) == b""
    until(lambda: proxy.connections == 0)


def test_round_trips_and_connections_are_counted(proxy: Proxy) -> None:
    for _ in range(2):
        with connected(proxy) as client:
            for _ in range(3):
                assert echo_of(client, b"x") == b"x"
    assert (proxy.round_trips, proxy.opened) == (6, 2)


def test_latency_is_added_once_per_round_trip(proxy: Proxy) -> None:
    proxy.latency = 0.2
    with connected(proxy) as client:
        started = time.monotonic()
        assert echo_of(client, LARGE) == LARGE
        assert 0.2 <= time.monotonic() - started < 2


def test_bandwidth_is_shared_by_all_connections(proxy: Proxy) -> None:
    proxy.bandwidth = 100_000
    with connected(proxy) as client, connected(proxy) as other:
        started = time.monotonic()
        first = threading.Thread(target=echo_of, args=(client, LARGE[:20_000]))
        first.start()
        assert echo_of(other, LARGE[:20_000]) == LARGE[:20_000]
        first.join()
        assert time.monotonic() - started >= 0.4


def test_slices_pass_all_bytes(proxy: Proxy) -> None:
    proxy.slice = 7
    with connected(proxy) as client:
        assert echo_of(client, LARGE[:5000]) == LARGE[:5000]


@pytest.mark.parametrize("abrupt", [False, True])
def test_limit_truncates_the_answer(proxy: Proxy, abrupt: bool) -> None:
    with connected(proxy) as client:
        assert echo_of(client, b"before") == b"before"
        proxy.abrupt, proxy.limit = abrupt, 1000
        if abrupt:
            with pytest.raises(ConnectionResetError):
                echo_of(client, LARGE)
        else:
            assert echo_of(client, LARGE[:2000]) == LARGE[:1000]
    proxy.limit = None
    with connected(proxy) as client:
        assert echo_of(client, LARGE) == LARGE


def test_reset_ends_only_open_connections(proxy: Proxy) -> None:
    with connected(proxy) as client, connected(proxy) as other:
        assert echo_of(client, b"x") + echo_of(other, b"y") == b"xy"
        assert proxy.reset() == 2
        for end in (client, other):
            with pytest.raises(ConnectionResetError):
                end.recv(1)
    with connected(proxy) as client:
        assert echo_of(client, b"x") == b"x"


def test_swallowing_connections_stay_silent(proxy: Proxy) -> None:
    with connected(proxy) as old:
        assert echo_of(old, b"x") == b"x"
        proxy.swallow = True
        with connected(proxy) as new:
            for client in (old, new):
                client.settimeout(0.1)
                client.sendall(b"lost")
                with pytest.raises(TimeoutError):
                    client.recv(1)
            proxy.swallow = False
            old.sendall(b"later")
            with pytest.raises(TimeoutError):
                old.recv(1)
    with connected(proxy) as client:
        assert echo_of(client, b"x") == b"x"


def test_lost_connections_stay_silent_later_ones_work(proxy: Proxy) -> None:
    with connected(proxy) as old:
        assert echo_of(old, b"x") == b"x"
        assert proxy.silence() == 1
        old.settimeout(0.1)
        old.sendall(b"lost")
        with pytest.raises(TimeoutError):
            old.recv(1)
        with connected(proxy) as new:
            assert echo_of(new, b"x") == b"x"
    until(lambda: proxy.connections == 0)


def test_missing_target_or_refusal_is_a_reset(proxy: Proxy) -> None:
    proxy.refuse = True
    with Proxy(Path("/nonexistent")) as absent:
        for each in (proxy, absent):
            with pytest.raises(ConnectionResetError), connected(each) as client:
                client.recv(1)
