"""Slow readers, half-closed clients, the limit of open connections. Covers `rest_facade/server/open_connections.py`."""

import contextlib
import resource
import socket
import struct
import time
from ipaddress import ip_network
from typing import Any

import pytest

from rest_facade.errors.closed_connection import ClosedConnection
from rest_facade.server import http_protocol as protocol
from rest_facade.server.listener_protocols import connection_limits
from tests.rest_facade.server.running import LARGE, TIMEOUT, Service, answers, get, last, read_all, read_answers


@pytest.fixture
def hasty(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    shorten_timeouts(service, monkeypatch)


def shorten_timeouts(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the timeouts of all connections, open ones included; timers that run already are not changed."""
    monkeypatch.setattr(service.protocol, "READ_TIMEOUT", 0.3)
    monkeypatch.setattr(service.server.config, "timeout_keep_alive", 0.1)
    connections: list[Any] = list(service.server.server_state.connections)
    for connection in connections:
        connection.timeout_keep_alive = 0.1
    monkeypatch.setattr(service.protocol, "HEAD_TIMEOUT", 0.1)
    monkeypatch.setattr(protocol, "DISCARD_SECONDS", 0.1)


def read_large(connection: socket.socket) -> None:
    """Read exactly one large response."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        byte = connection.recv(1)
        assert byte
        head += byte
    left = LARGE
    while left:
        piece = connection.recv(min(left, 65536))
        assert piece
        left -= len(piece)


def connection_of(service: Service, client: tuple[str, int]) -> Any:
    """The server's end of the connection of a client."""
    open_: list[Any] = list(service.server.server_state.connections)
    (found,) = [it for it in open_ if it.client == client]
    return found


def end_idle_timer(connection: Any) -> None:
    """Check the idle time now. The timer that runs has the time that a listener allows."""

    def check() -> None:
        if connection.timeout_keep_alive_task is not None:
            connection.timeout_keep_alive_task.cancel()
            connection.timeout_keep_alive_handler()

    connection.loop.call_soon_threadsafe(check)


UNREAD = {
    "kept": get(b"/large"),
    "closed": last(b"/large"),
    "HTTP/1.0": get(b"/large", version=b"HTTP/1.0"),
    "pipelined": get(b"/large") * 50,
    "body that is late": get(b"/large", b"Content-Length: 5"),
    "refused behind it": get(b"/large") + b"junk\r\n\r\n",
    "begun behind it": get(b"/large") + b"GET / HTTP",
}


@pytest.mark.parametrize("half", [False, True], ids=["open", "half closed"])
@pytest.mark.usefixtures("hasty")
def test_clients_that_never_read_are_closed(service: Service, half: bool) -> None:
    with contextlib.ExitStack() as stack, service.seen.more("closed", len(UNREAD)):
        for sent in UNREAD.values():
            connection = stack.enter_context(service.connect_narrow())
            connection.sendall(sent)
            if half:
                connection.shutdown(socket.SHUT_WR)
    assert service.seen.cuts.count(ClosedConnection.SLOW_READER) == len(UNREAD)


@pytest.mark.parametrize("end", [last(), get(version=b"HTTP/1.0"), b"junk\r\n\r\n", b"GET / HTTP", None, b""])
def test_unread_below_watermark_is_closed(service: Service, monkeypatch: pytest.MonkeyPatch, end: bytes | None) -> None:
    """The unread output stays below the high-water mark, so that writing is not paused."""
    with service.connect_narrow() as connection:
        name = connection.getsockname()
        with service.seen.more("closed"):
            # With the timeouts of a listener: short ones would close this connection when the test itself is slow.
            for _ in range(1000):
                with service.seen.more("finished"):
                    connection.sendall(get(b"/" + b"a" * 20_000))
                served = connection_of(service, name)
                size = served.transport.get_write_buffer_size()
                if size > 25_000:  # the socket buffers are full
                    break
            assert 25_000 < size < 65_536
            shorten_timeouts(service, monkeypatch)
            # After the next response, the timeout of idle connections is a short one, too.
            with service.seen.more("finished"):
                connection.sendall(get())
            if not end:
                end_idle_timer(served)
            # A slow test may find the connection closed before it sends the end.
            with contextlib.suppress(OSError):
                if end is None:
                    connection.shutdown(socket.SHUT_WR)
                else:
                    connection.sendall(end)
    assert service.seen.cuts[-1] == ClosedConnection.SLOW_READER


@pytest.mark.usefixtures("hasty")
def test_reading_single_bytes_does_not_extend_the_timeout(service: Service) -> None:
    with service.connect_narrow() as connection, service.seen.more("closed"):
        connection.sendall(get(b"/large"))
        until = time.monotonic() + TIMEOUT
        with contextlib.suppress(ConnectionError):
            while not service.seen.cuts and time.monotonic() < until:
                if not connection.recv(1):
                    break
                time.sleep(0.001)
    assert service.seen.cuts == [ClosedConnection.SLOW_READER]


def test_client_that_reads_late_gets_everything(service: Service) -> None:
    with service.connect_narrow() as connection:
        with service.seen.more("finished"):
            connection.sendall(last(b"/large"))
        read_large(connection)
    assert service.seen.cuts == []


def test_read_timeout_stops_after_the_read(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service.protocol, "READ_TIMEOUT", 0.5)
    with service.connect_narrow() as connection:
        connection.sendall(get(b"/large"))
        read_large(connection)
        # An idle connection shows when the time is over for the first one, too.
        monkeypatch.setattr(service.protocol, "HEAD_TIMEOUT", 0.8)
        with service.connect() as idle:
            assert read_all(idle) == b""
        connection.sendall(last())
        assert answers(read_all(connection))[0].status == 200
    assert service.seen.cuts == [ClosedConnection.SLOW_HEAD]


@pytest.mark.parametrize(
    ("sent", "paths"),
    [
        (get(b"/wait"), ["/wait"]),
        (last(b"/wait"), ["/wait"]),
        (get(b"/wait", b"Content-Length: 5") + b"hello", ["/wait"]),
        (get(b"/wait") + get(b"/2") + get(b"/3"), ["/wait", "/2", "/3"]),
        (get(b"/wait") + b"GET / HTTP", ["/wait"]),
    ],
    ids=["one", "the last", "with a body", "three", "one and a half"],
)
def test_half_closed_client_gets_its_answers(service: Service, sent: bytes, paths: list[str]) -> None:
    with service.connect() as connection, service.seen.more("closed"):
        with service.seen.more("asked"):
            connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        # The server has seen the end of input once it has served a later connection.
        assert service.ask(last())[0].status == 200
        service.released.set()
        found = answers(read_all(connection))
    assert [answer.body["raw_path"] for answer in found] == paths
    assert found[-1].headers["connection"] == "close"


@pytest.mark.parametrize("sent", [b"", b"GET / HT", get()], ids=["nothing", "half a request", "one that is answered"])
def test_idle_half_closed_client_is_closed(service: Service, sent: bytes) -> None:
    with service.connect() as connection, service.seen.more("closed"):
        connection.sendall(sent)
        if sent == get():
            read_answers(connection, 1)
        connection.shutdown(socket.SHUT_WR)
        assert read_all(connection) == b""


@pytest.mark.parametrize("how", ["reset", "closed", "half closed"])
def test_request_of_a_departed_client_is_cancelled(service: Service, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    monkeypatch.setattr(protocol, "HALF_CLOSED_SECONDS", 0.1)
    with service.seen.more("closed"), service.seen.more("finished"):
        connection = service.connect()
        with service.seen.more("asked"):
            connection.sendall(get(b"/forever"))
        if how == "reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        if how == "half closed":
            connection.shutdown(socket.SHUT_WR)
            assert connection.recv(1) == b""
        connection.close()
    assert service.seen.cuts == [ClosedConnection.CLIENT_LEFT]
    assert service.ask(last())[0].status == 200


@pytest.fixture
def three(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """A listener with room for three connections."""
    with service.seen.more("asked"):
        service.ask(last())
    monkeypatch.setattr(service.protocol, "max_connections", lambda _: 3)
    monkeypatch.setattr(service.protocol, "per_address", 3)


@pytest.mark.usefixtures("three")
def test_connection_beyond_the_limit_takes_the_place_of_the_oldest_idle_one(service: Service) -> None:
    with contextlib.ExitStack() as stack:
        kept = [stack.enter_context(service.connect()) for _ in range(3)]
        for connection in kept:
            connection.sendall(get())
            read_answers(connection, 1)
        first = stack.enter_context(service.connect())
        newest = stack.enter_context(service.connect())
        with contextlib.suppress(ConnectionError):
            assert first.recv(1) == b""
        for connection in (newest, kept[1], kept[2]):
            connection.sendall(get())
            assert read_answers(connection, 1)[0].status == 200
        with contextlib.suppress(ConnectionError):
            assert kept[0].recv(1) == b""
        assert service.seen.cuts == [ClosedConnection.TOO_MANY] * 2


@pytest.mark.usefixtures("three")
def test_connection_beyond_busy_ones_is_closed(service: Service) -> None:
    with contextlib.ExitStack() as stack:
        busy = [stack.enter_context(service.connect()) for _ in range(3)]
        with service.seen.more("asked", 3):
            for connection in busy:
                connection.sendall(get(b"/wait"))
        for _ in range(5):
            with service.connect() as connection, contextlib.suppress(ConnectionError):
                connection.sendall(get())
                assert connection.recv(1) == b""
        assert service.seen.cuts == [ClosedConnection.TOO_MANY] * 5
        service.released.set()
        for connection in busy:
            assert read_answers(connection, 1)[0].status == 200


def test_address_has_a_bound_of_its_own_unless_it_is_a_proxy(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service.protocol, "per_address", 2)
    with contextlib.ExitStack() as stack:
        stack.enter_context(service.connect_from("127.0.0.2"))
        crowd = [stack.enter_context(service.connect_from("127.0.0.3")) for _ in range(5)]
        crowd[-1].sendall(get())
        assert read_answers(crowd[-1], 1)[0].status == 200
        assert service.seen.cuts == [ClosedConnection.TOO_MANY] * 3
        monkeypatch.setattr(service.protocol, "trusted_proxies", (ip_network("127.0.0.4/32"),))
        for _ in range(5):
            proxied = stack.enter_context(service.connect_from("127.0.0.4"))
            proxied.sendall(get())
            assert read_answers(proxied, 1)[0].status == 200
        assert service.seen.cuts == [ClosedConnection.TOO_MANY] * 3


@pytest.mark.parametrize(
    ("files", "limits"),
    [
        (resource.RLIM_INFINITY, (10_000, 256)),
        (1_048_576, (10_000, 256)),
        (4096, (3744, 256)),
        (1024, (696, 232)),
        (128, (16, 16)),
        (16, (16, 16)),
    ],
)
def test_limits_follow_file_descriptors(files: int, limits: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (files, files))
    assert connection_limits.__wrapped__() == limits
