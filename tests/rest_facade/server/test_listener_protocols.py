"""The internal listener's protocol: bodies of POST requests, time-outs, and connections of its own."""

import contextlib
import socket
import time
from collections.abc import Iterator

import pytest

from rest_facade.errors.closed_connection import ClosedConnection
from rest_facade.server import http_protocol, listener_protocols
from rest_facade.server.listener_protocols import ConnectionLimits, InternalProtocol, PublicProtocol
from tests.rest_facade.server.running import TIMEOUT, Service, answers, get, last, read_all, read_answers


@pytest.fixture(scope="module")
def running() -> Iterator[Service]:
    with Service(InternalProtocol) as running:
        yield running


@pytest.fixture
def hasty(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service.protocol, "READ_TIMEOUT", 0.3)
    monkeypatch.setattr(service.protocol, "HEAD_TIMEOUT", 0.2)
    monkeypatch.setattr(service.protocol, "BODY_TIMEOUT", 0.2)
    monkeypatch.setattr(service.server.config, "timeout_keep_alive", 0.1)
    monkeypatch.setattr(http_protocol, "DISCARD_SECONDS", 0.1)


def post(target: bytes, *lines: bytes) -> bytes:
    return get(target, *lines).replace(b"GET", b"POST", 1)


CHUNKED = b"Transfer-Encoding: chunked"
BODIES = {
    "length": (b"Content-Length: 11", b"hello world"),
    "chunks": (CHUNKED, b"5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"),
}


OFFER = (b"Connection: Upgrade, HTTP2-Settings", b"Upgrade: h2c", b"HTTP2-Settings: AAEAAEAA")


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
@pytest.mark.parametrize("offer", [(), OFFER], ids=["", "with the offer of another protocol"])
def test_body_in_pieces_is_read_and_keeps_the_connection(
    service: Service, body: tuple[bytes, bytes], offer: tuple[bytes, ...]
) -> None:
    field, content = body
    with service.connect() as connection:
        for cut in (0, 1, 7, len(content) - 1, len(content)):
            for segment in (post(b"/read", *offer, field), content[:cut], content[cut:]):
                with service.seen.more("received", len(segment)):
                    connection.sendall(segment)
            (answer,) = read_answers(connection, 1)
            assert (answer.status, answer.body["read"], "connection" in answer.headers) == (200, 11, False)
        connection.sendall(last())
        assert answers(read_all(connection))[0].status == 200


@pytest.mark.parametrize("offer", [(), OFFER], ids=["", "with the offer of another protocol"])
def test_expected_continue_is_sent_before_the_body(service: Service, offer: tuple[bytes, ...]) -> None:
    with service.connect() as connection:
        connection.sendall(post(b"/read", *offer, b"Content-Length: 5", b"Expect: 100-continue"))
        assert connection.recv(1000) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(b"hello")
        (answer,) = read_answers(connection, 1)
    assert (answer.status, answer.body["read"], "connection" in answer.headers) == (200, 5, False)


def test_body_of_a_closing_request_is_read(service: Service) -> None:
    (answer,) = service.ask(post(b"/read", b"Content-Length: 5", b"Connection: close"), b"he", b"llo")
    assert (answer.status, answer.body["read"], answer.headers["connection"]) == (200, 5, "close")


def test_body_of_a_pipelined_request_is_read(service: Service) -> None:
    found = service.ask(get(b"/pause") + post(b"/read", b"Content-Length: 5"), b"he", b"llo" + last())
    assert [(answer.status, answer.body["read"]) for answer in found] == [(200, 0), (200, 5), (200, 0)]


def test_too_many_pipelined_bodies_are_refused(service: Service) -> None:
    """The refused request, whose body would not be read, waited for it."""
    found = service.ask((post(b"/read", b"Content-Length: 5") + b"hello") * 1_000)
    assert [answer.status for answer in found] == [200] * (len(found) - 1) + [400]
    message = "Too many requests wait for their answers on this connection."
    assert found[-1].body["error"]["message"] == message


def test_response_before_the_whole_body_closes(service: Service) -> None:
    """A refusal, such as 401 or 413: the rest of the body is not awaited."""
    with service.connect() as connection:
        connection.sendall(post(b"/", b"Content-Length: 1000000") + b"x" * 1000)
        (answer,) = answers(read_all(connection))
    assert (answer.status, answer.headers["connection"]) == (200, "close")


def test_large_body_is_read_whole(service: Service) -> None:
    (answer,) = service.ask(post(b"/read", b"Content-Length: 5000000", b"Connection: close") + b"x" * 5_000_000)
    assert (answer.status, answer.body["read"]) == (200, 5_000_000)


@pytest.mark.parametrize(
    "sent",
    [
        post(b"/read", b"Content-Length: 5"),
        post(b"/read", b"Content-Length: 5") + b"hell",
        post(b"/read", CHUNKED) + b"5\r\nhe",
        get() + post(b"/read", b"Content-Length: 5"),
        post(b"/wait", b"Content-Length: 5"),
    ],
)
@pytest.mark.usefixtures("hasty")
def test_slow_body_is_closed(service: Service, sent: bytes) -> None:
    with service.connect() as connection, service.seen.more("closed"):
        connection.sendall(sent)
        with contextlib.suppress(ConnectionError):
            read_all(connection)
    service.released.set()
    assert service.seen.cuts == [ClosedConnection.SLOW_BODY]


@pytest.mark.usefixtures("hasty")
def test_single_bytes_do_not_extend_the_body_timeout(service: Service) -> None:
    with service.connect() as connection, service.seen.more("closed"):
        connection.sendall(post(b"/read", b"Content-Length: 100000"))
        until = time.monotonic() + TIMEOUT
        with contextlib.suppress(ConnectionError):
            while not service.seen.cuts and time.monotonic() < until:
                connection.sendall(b"x")
                time.sleep(0.01)
    assert service.seen.cuts == [ClosedConnection.SLOW_BODY]


@pytest.mark.usefixtures("hasty")
def test_body_timeout_ends_with_the_body(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service.server.config, "timeout_keep_alive", 60)
    with service.connect() as connection:
        for segment in (post(b"/wait", b"Content-Length: 5"), b"hello"):
            with service.seen.more("received", len(segment)):
                connection.sendall(segment)
        # A later connection without a request shows when the time is over for this one, too.
        with service.connect() as idle:
            assert read_all(idle) == b""
        service.released.set()
        assert read_answers(connection, 1)[0].status == 200
        connection.sendall(last())
        assert answers(read_all(connection))[0].status == 200
    assert service.seen.cuts == [ClosedConnection.SLOW_HEAD]


@pytest.mark.parametrize("sent", [get(), post(b"/read", b"Content-Length: 5") + b"hello"])
@pytest.mark.usefixtures("hasty")
def test_idle_connection_is_closed(service: Service, sent: bytes) -> None:
    with service.connect() as connection, service.seen.more("closed"):
        connection.sendall(sent)
        read_all(connection)


def test_client_that_leaves_amid_a_body(service: Service) -> None:
    with service.connect() as connection:
        with service.seen.more("asked"):
            connection.sendall(post(b"/read", b"Content-Length: 5") + b"he")
        connection.shutdown(socket.SHUT_WR)
        # A connection of an earlier test may close first.
        with service.seen.changed:
            assert service.seen.changed.wait_for(lambda: service.seen.cuts, TIMEOUT)
    assert service.seen.cuts == [ClosedConnection.CLIENT_LEFT]
    assert service.ask(last())[0].status == 200


def test_each_listener_has_its_own_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener_protocols, "connection_limits", lambda: ConnectionLimits(public=7, internal=3))
    assert PublicProtocol.max_connections(object.__new__(PublicProtocol)) == 7
    assert InternalProtocol.max_connections(object.__new__(InternalProtocol)) == 3
