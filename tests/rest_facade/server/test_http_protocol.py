"""The HTTP protocol over real sockets, with verbatim bytes to uvicorn. Covers `rest_facade/server/request_head.py`."""

import contextlib
import logging
import socket
import struct
import time
import tracemalloc
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rest_facade.errors.closed_connection import ClosedConnection
from rest_facade.server import http_protocol as protocol
from tests.property_tests import examples
from tests.rest_facade.server.running import MIB, Answer, Service, answers, get, last, read_all, read_answers


def assert_refused(answer: Answer, status: int, code: str, message: str) -> None:
    request_id = answer.headers["x-request-id"]
    assert answer.status == status
    assert answer.body == {"error": {"code": code, "message": message, "request_id": request_id}}
    assert request_id
    del answer.headers["date"], answer.headers["content-length"], answer.headers["x-request-id"]
    expected = {
        "content-type": "application/json",
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "connection": "close",
    }
    assert answer.headers == expected | ({"allow": "GET, OPTIONS"} if status == 405 else {})


def assert_malformed(answer: Answer) -> None:
    assert_refused(answer, 400, "VALIDATION_ERROR", "Malformed HTTP request.")


def assert_too_large(answer: Answer) -> None:
    assert_refused(answer, 400, "VALIDATION_ERROR", "The request line or the headers are too large.")


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """No input, however wrong, is worth a warning."""
    caplog.set_level(logging.WARNING)
    yield
    assert caplog.get_records("call") == []


CHUNKED = b"Transfer-Encoding: chunked"

OFFERS = [
    (b"Connection: Upgrade, HTTP2-Settings", b"Upgrade: h2c", b"HTTP2-Settings: AAEAAEAA"),
    (b"Connection: upgrade", b"Upgrade: websocket", b"Sec-WebSocket-Version: 13"),
    (b"Connection: keep-alive, Upgrade", b"Upgrade: nothing/2, known", b"uPGRADE: here"),
]
CONNECT = b"CONNECT /1 HTTP/1.1\r\nHost: x\r\n\r\n"
H2C = b"\r\n".join([*OFFERS[0], b"", b""])

MALFORMED = {
    "empty lines": b"\r\n" * 50_000,
    "control bytes": b"\x00\x01garbage\r\n\r\n",
    "words": b"hello world\r\n\r\n",
    "no version": b"GET /\r\nHost: x\r\n\r\n",
    "TLS ClientHello": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(64)),
    "SSH": b"SSH-2.0-OpenSSH_9.6\r\n",
    "preface of HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "HTTP/2.0": get(version=b"HTTP/2.0"),
    "HTTP/0.9": get(version=b"HTTP/0.9"),
    "HTTP/1.2": get(version=b"HTTP/1.2"),
    "a response": b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    "tab in the request line": b"GET\t/v1/clients/ HTTP/1.1\r\nHost: x\r\n\r\n",
    "space before the method": b" GET /v1/clients/ HTTP/1.1\r\nHost: x\r\n\r\n",
    "http/1.1": get(version=b"http/1.1"),
    "unknown method, HTTP/2.0": b"get /v1/clients/ HTTP/2.0\r\n\r\n",
    "method that is no token": b"G@T /v1/clients/ HTTP/1.1\r\n\r\n",
    "raw #": get(b"/v1/clients/#x"),
    "raw # in absolute-form": get(b"http://x/v1/clients/#x"),
    "NUL in the target": get(b"/v1/\x00/"),
    "no slash": get(b"v1/clients/"),
    "port that is none": get(b"http://x:99999/v1/clients/"),
    "two lengths": get(b"/", b"Content-Length: 1", b"Content-Length: 2"),
    "the same length twice": get(b"/", b"Content-Length: 1", b"Content-Length: 1") + b"x",
    "negative length": get(b"/", b"Content-Length: -1"),
    "digit that is not ASCII": get(b"/", b"Content-Length: \xb2") + b"he",
    "5, 5": get(b"/", b"Content-Length: 5, 5") + b"hello",
    "huge length": get(b"/", b"Content-Length: 99999999999999999999"),
    "length and chunks": get(b"/", b"Content-Length: 5", CHUNKED) + b"0\r\n\r\n",
    "chunks and length": get(b"/", CHUNKED, b"Content-Length: 5") + b"0\r\n\r\n",
    "unknown coding": get(b"/", b"Transfer-Encoding: x"),
    "chunked twice": get(b"/", CHUNKED, CHUNKED) + b"0\r\n\r\n",
    "identity": get(b"/", b"Transfer-Encoding: identity"),
    "coding after chunked": get(b"/", b"Transfer-Encoding: chunked, gzip"),
    "NUL in a value": get(b"/", b"A: \x00"),
    "CR in a value": get(b"/", b"A: a\rb"),
    "space before the colon": get(b"/", b"A : b"),
    "space in a name": get(b"/", b"A b: c"),
    "empty name": get(b"/", b": b"),
    "no colon": get(b"/", b"Abc"),
    "bare LF after the request line": b"GET / HTTP/1.1\nHost: x\r\n\r\n",
    "bare LF after a header": b"GET / HTTP/1.1\r\nHost: x\nA: b\r\n\r\n",
    "bare LF at the end": b"GET / HTTP/1.1\r\nHost: x\r\n\n",
    "bare CR": b"GET / HTTP/1.1\rHost: x\r\n\r\n",
    "LF in a value": get(b"/", b"A: a\nb"),
    "obs-fold": get(b"/", b"A: b", b" c"),
    "fold after the request line": b"GET / HTTP/1.1\r\n A: b\r\n\r\n",
    "size of a chunk: zz": get(b"/", CHUNKED) + b"zz\r\n",
    "size of a chunk: 17 digits": get(b"/", CHUNKED) + b"f" * 17 + b"\r\n",
    "bare LF after the size": get(b"/", CHUNKED) + b"5\nhello\r\n0\r\n\r\n",
    "chunk longer than its size": get(b"/", CHUNKED) + b"5\r\nhello!\r\n0\r\n\r\n",
    "size of a chunk without end of line": get(b"/", CHUNKED) + b"zz",
    "request line for a chunk": get(b"/", CHUNKED) + b"get /v1/ HTTP/1.1\r\n\r\n",
    "no Host": b"GET /v1/clients/ HTTP/1.1\r\nA: b\r\n\r\n",
    "no header": b"GET /v1/clients/ HTTP/1.1\r\n\r\n",
    "two Hosts": get(b"/v1/clients/", b"Host: y"),
    "two Hosts, HTTP/1.0": get(b"/v1/clients/", b"Host: y", version=b"HTTP/1.0"),
    "two spaces before the target": b"GET  /v1/clients/ HTTP/1.1\r\nHost: x\r\n\r\n",
    "two spaces before the version": b"GET /v1/clients/  HTTP/1.1\r\nHost: x\r\n\r\n",
    "two spaces in absolute-form": b"GET  http://x/v1/ HTTP/1.1\r\nHost: x\r\n\r\n",
    "two spaces behind an empty line": b"\r\nGET  / HTTP/1.1\r\nHost: x\r\n\r\n",
    "NUL in a trailer": get(b"/", CHUNKED) + b"0\r\nA: \x00\r\n\r\n",
    "raw # with an offer": get(b"/#", *OFFERS[0]),
    "two spaces with an offer": b"GET  / HTTP/1.1\r\nHost: x\r\n" + H2C,
    "no Host with an offer": b"GET / HTTP/1.1\r\n" + H2C,
}


def test_malformed(service: Service) -> None:
    for name, sent in MALFORMED.items():
        found = service.ask(sent)
        assert [answer.status for answer in found] == [400], name
        assert_malformed(found[0])


def test_url_that_is_not_encoded_is_refused_as_such(service: Service) -> None:
    message = "The URL must be ASCII without spaces: percent-encode other characters."
    for sent in [
        get(b"/v1/cli ents/"),
        get(b"/v1/members/?search=Ada Byron", version=b"HTTP/1.0"),
        get("/v1/é/".encode()),
        b"\r\n" + get(b"/v1/clients/?page=\xff"),
        b"GET /v1/members/?search=M\xc3",
    ]:
        (answer,) = service.ask(sent)
        assert_refused(answer, 400, "VALIDATION_ERROR", message)


def test_request_ids_differ(service: Service) -> None:
    sent = get(b"/#", b"X-Request-ID: mine")
    ids = {service.ask(sent)[0].headers["x-request-id"] for _ in range(3)}
    assert len(ids) == 3
    assert "mine" not in ids


@pytest.mark.parametrize("version", [b"HTTP/1.1", b"HTTP/1.0"])
def test_method_unknown_to_the_parser_is_404_or_405(service: Service, version: bytes) -> None:
    for method in [b"get", b"FOO", b"GETX", b"Get", b"PRI", b"ANNOUNCE", b"FLUSH", b"A-b_1!"]:
        (answer,) = service.ask(method + b" /v1/clients/?page=1 " + version + b"\r\nHost: x\r\n\r\n")
        assert_refused(answer, 405, "METHOD_NOT_ALLOWED", "Method not allowed.")
        (answer,) = service.ask(method + b" /graphql " + version + b"\r\nHost: x\r\n\r\n")
        assert_refused(answer, 404, "ROUTE_NOT_FOUND", "Route not found.")


def test_parsed_method_reaches_the_application(service: Service) -> None:
    for method in ["TRACE", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "CONNECT"]:
        (answer,) = service.ask(last().replace(b"GET", method.encode()))
        assert (answer.status, answer.body["method"], answer.body["raw_path"]) == (200, method, "/v1/clients/")


def test_request_in_single_bytes(service: Service) -> None:
    for sent, status in [
        (last(), 200),
        (b"\r\n" + last(), 200),
        (b"get /v1/clients/ HTTP/1.1\r\nHost: x\r\n\r\n", 405),
        (b"PLAY /v1/clients/ HTTP/1.1\r\nHost: x\r\n\r\n", 405),
        (b"FOO /v2/ HTTP/1.1\r\nHost: x\r\n\r\n", 404),
        (b"CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n", 404),
        (b"PRI /v1/ HTTP/1.1\r\n\r\n", 405),
        (b"PRI * HTTP/2.0\r\n\r\n", 400),
        (get(version=b"HTTP/2.0"), 400),
        (b"get /v1/clients/ HTTP/2.0\r\n\r\n", 400),
        (last(b"/v1/#"), 400),
        (last(b"/", b"A: \x00"), 400),
    ]:
        with service.connect() as connection:
            for byte in sent:
                with service.seen.more("received"):
                    connection.sendall(bytes([byte]))
            (answer,) = answers(read_all(connection))
        assert answer.status == status


def test_target(service: Service) -> None:
    for target, raw_path, query_string in [
        (b"/v1/clients/?page=2&limit=3", "/v1/clients/", "page=2&limit=3"),
        (b"//v1/clients/", "//v1/clients/", ""),
        (b"/v1/clients/%00/%ff%23", "/v1/clients/%00/%ff%23", ""),
        (b"http://evil/v1/clients/?page=2", "/v1/clients/", "page=2"),
        (b"http://evil:80/v1/clients/", "/v1/clients/", ""),
        (b"http://[::1]/v1/clients/", "/v1/clients/", ""),
        (b"http://evil?page=2", "/", "page=2"),
        (b"http://evil", "/", ""),
        (b"*", "*", ""),
        (b"/" + b"a" * 8000, "/" + "a" * 8000, ""),
        (b"/v1/clients/?" + b"a" * 16384, "/v1/clients/", "a" * 16384),
    ]:
        (answer,) = service.ask(last(target))
        assert answer.status == 200
        assert (answer.body["raw_path"], answer.body["query_string"]) == (raw_path, query_string)


def test_http_1_0_with_and_without_host(service: Service) -> None:
    for sent in [get(version=b"HTTP/1.0"), b"GET /v1/clients/ HTTP/1.0\r\n\r\n"]:
        (answer,) = service.ask(sent)
        assert (answer.status, answer.headers["connection"]) == (200, "close")


@pytest.mark.parametrize("offer", OFFERS, ids=lambda fields: fields[1].decode())
def test_offer_of_another_protocol_is_ignored(service: Service, offer: tuple[bytes, ...]) -> None:
    body = b"Content-Length: 5\r\n\r\nhello"
    chunks = b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nUpgrade: h2c\r\n\r\n"
    requests = [get(b"/1", *offer), get(b"http://x/2", *offer)[:-2] + body, get(b"/read", *offer)[:-2] + chunks]
    found = service.ask(b"".join([*requests, last(b"/4", *offer)]))
    expected = [("/1", None), ("/2", None), ("/read", None), ("/4", "close")]
    assert [(answer.body["raw_path"], answer.headers.get("connection")) for answer in found] == expected
    assert [answer.body["read"] for answer in found] == [0, 0, 5, 0]
    assert not any("upgrade" in answer.body["headers"] for answer in found)


def head_of(size: int) -> bytes:
    """A valid request whose head has `size` bytes."""
    empty = last(b"/", b"A: ")
    return last(b"/", b"A: " + b"a" * (size - len(empty)))


def fields(count: int) -> bytes:
    return last(b"/", *(b"A: b" for _ in range(count - 2)))


@pytest.mark.parametrize("sent", [head_of(32768), fields(100)], ids=["32 KiB", "100 fields"])
def test_largest_head(service: Service, sent: bytes) -> None:
    assert [answer.status for answer in service.ask(sent)] == [200]
    assert [answer.status for answer in service.ask(sent[:20000], sent[20000:])] == [200]


TOO_LARGE = {
    "32 KiB and a byte": head_of(32769),
    "20,000 fields": fields(20000),
    "query of 60 KB": last(b"/v1/clients/?" + b"a=b&" * 15000),
    "header of 100 KB": head_of(100_000),
    "URL of 200 KB": last(b"/" + b"a" * 200_000),
    "URL of 200 KB, unknown method": last(b"/" + b"a" * 200_000).replace(b"GET", b"get"),
    "name of 100 KB": last(b"/", b"a" * 100_000 + b": b"),
    "method of 100 KB": b"A" * 100_000,
    "trailers": get(b"/wait", CHUNKED) + b"0\r\n" + b"A: b\r\n" * 20_000,
    "trailer without end": get(b"/wait", CHUNKED) + b"0\r\nA: " + b"b" * 100_000,
    "extension of a chunk": get(b"/wait", CHUNKED) + b"5;" + b"b" * 100_000,
}


def test_too_large(service: Service) -> None:
    for sent in TOO_LARGE.values():
        (answer,) = service.ask(sent)
        assert_too_large(answer)
    for count in (101, 500):
        (answer,) = service.ask(fields(count))
        assert_refused(answer, 400, "VALIDATION_ERROR", "The request has too many headers.")


@contextlib.contextmanager
def in_little_memory() -> Iterator[None]:
    """The block takes less than 2 MB at any time."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < 2 * MIB
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("start", [get()[:-2] + b"A: ", b"GET /", b"G" * 8, get(b"/", b"Content-Length: x")])
def test_endless_head(service: Service, start: bytes) -> None:
    """The client reads its answer, goes on sending, and is cut off; what it sends is kept nowhere."""
    block = b"a" * 65536
    sent = 0
    with in_little_memory(), service.connect() as connection:
        connection.sendall(start + block)
        (answer,) = answers(read_all(connection))
        assert answer.status == 400
        with contextlib.suppress(ConnectionError):
            while sent < 200 * MIB:
                sent += connection.send(block)
    assert sent < 100 * MIB


@pytest.mark.parametrize("size", [5, 10 * MIB])
@pytest.mark.parametrize("chunked", [False, True])
def test_unread_body(service: Service, size: int, chunked: bool) -> None:
    """The answer doesn't wait for the body; a client that sends all of it before it reads gets the answer too."""
    body = b"x" * size
    if chunked:
        sent = get(b"/v1/clients/", CHUNKED) + b"%x\r\n" % size + body + b"\r\n0\r\n\r\n"
    else:
        sent = get(b"/v1/clients/", b"Content-Length: %d" % size) + body
    with in_little_memory(), service.connect() as connection:
        connection.sendall(sent)
        (answer,) = read_answers(connection, 1)
        if size == 10 * MIB:
            assert answer.headers["connection"] == "close"
            assert read_all(connection) == b""
    assert answer.status == 200


@pytest.mark.parametrize("body", [(b"Content-Length: 5", b"hello"), (CHUNKED, b"5\r\nhello\r\n0\r\nB: c\r\n\r\n")])
def test_keep_alive_after_a_complete_body(service: Service, body: tuple[bytes, bytes]) -> None:
    with service.connect() as connection:
        for _ in range(3):
            connection.sendall(get(b"/v1/clients/", body[0]) + body[1])
            (answer,) = read_answers(connection, 1)
            assert (answer.status, "connection" in answer.headers) == (200, False)
            assert "b" not in answer.body["headers"]  # a trailer is no header
        connection.sendall(b"get /v1/ HTTP/1.1\r\n\r\n")
        (answer,) = answers(read_all(connection))
    assert answer.status == 405


def test_request_in_progress_outlasts_the_idle_time(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """The timer that began behind the first response ends during the second request."""
    monkeypatch.setattr(service.server.config, "timeout_keep_alive", 0.5)
    with service.connect() as connection:
        with service.seen.more("idle_checks"):
            connection.sendall(get())
            read_answers(connection, 1)
            connection.sendall(get(b"/wait"))
        service.released.set()
        assert [answer.status for answer in read_answers(connection, 1)] == [200]


def test_malformed_body_while_it_is_read(service: Service) -> None:
    (answer,) = service.ask(get(b"/read", CHUNKED), b"5\r\nhello\r\n", b"zz\r\n")
    assert_malformed(answer)


def test_malformed_body_of_a_request_in_progress(service: Service) -> None:
    """The application finishes the request; its response is discarded."""
    with service.connect() as connection, service.seen.more("finished"):
        with service.seen.more("asked"):
            connection.sendall(get(b"/wait", CHUNKED))
        connection.sendall(b"zz\r\n")
        (answer,) = answers(read_all(connection))
        assert_malformed(answer)
        service.released.set()


def test_malformed_body_of_a_pipelined_request(service: Service) -> None:
    with service.connect() as connection:
        with service.seen.more("asked"):
            connection.sendall(get(b"/wait") + get(b"/2", CHUNKED) + b"zz\r\n")
        service.released.set()
        found = answers(read_all(connection))
    assert found[0].body["raw_path"] == "/wait"
    assert_malformed(found[1])


def test_expect_100_continue(service: Service) -> None:
    (answer,) = service.ask(get(b"/v1/clients/", b"Expect: 100-continue", b"Content-Length: 5"))
    assert (answer.status, answer.headers["connection"]) == (200, "close")


def test_maximum_of_pipelined_requests(service: Service) -> None:
    found = service.ask(b"".join(get(b"/%d" % number) for number in range(100)) + last(b"/100"))
    assert [answer.body["raw_path"] for answer in found] == [f"/{number}" for number in range(101)]


@pytest.mark.parametrize("cut", [1, 2, 3])
def test_blank_line_over_two_reads_ends_its_head(service: Service, cut: int) -> None:
    """The next head was checked as a part of this one: two spaces passed, and 32 KB were too large together."""
    first = get(b"/1", b"A: " + b"a" * 20_000)
    found = service.ask(first[:-cut], first[-cut:] + last(b"/2", b"A: " + b"a" * 20_000))
    assert [answer.body["raw_path"] for answer in found] == ["/1", "/2"]
    _, refused = service.ask(first[:-cut], first[-cut:] + get(b"/2").replace(b" /2", b"  /2"))
    assert_malformed(refused)


def test_too_many_pipelined_requests(service: Service) -> None:
    """A read of 256 KB could hold 14,000 of them."""
    asked = service.seen.asked
    found = service.ask(get(b"/") * 10_000)
    assert [answer.status for answer in found[:-1]] == [200] * (len(found) - 1)
    assert_refused(found[-1], 400, "VALIDATION_ERROR", "Too many requests wait for their answers on this connection.")
    assert service.seen.asked - asked == len(found) - 1 <= 110


@pytest.mark.parametrize("behind", [get(b"/2"), get(b"/2").replace(b"GET", b"OPTIONS")])
@pytest.mark.parametrize("body", [(b"Content-Length: 5", b"hello"), (CHUNKED, b"5\r\nhello\r\n0\r\n\r\n")])
def test_request_behind_a_body_arrives_in_pieces(service: Service, body: tuple[bytes, bytes], behind: bytes) -> None:
    """The parser reports no positions, so the first bytes of such a head are not known."""
    sent = get(b"/1", body[0]) + body[1] + behind + last(b"/3")
    for cut in range(len(get(b"/1", body[0])) + len(body[1]) - 2, len(sent), 3):
        found = service.ask(sent[:cut], sent[cut:])
        assert [answer.body["raw_path"] for answer in found] == ["/1", "/2", "/3"][: len(found)]
        assert len(found) == 3 or found[-1].headers["connection"] == "close"


@pytest.mark.parametrize("how", ["reset", "half closed", "closed"])
@pytest.mark.parametrize("junk", [b"junk\r\n\r\n", b"\x00" * 100_000, b""])
@pytest.mark.parametrize("count", [3, 200])
def test_client_that_leaves_pipelined_requests(service: Service, count: int, junk: bytes, how: str) -> None:
    """The running request is not the newest. It must not write to a closed transport (`quiet` sees the traceback)."""
    with service.seen.more("closed", 5):
        for _ in range(5):
            with service.connect() as connection, contextlib.suppress(ConnectionError):
                connection.sendall(get(b"/pause") * count + junk)
                if how == "half closed":
                    connection.shutdown(socket.SHUT_WR)
                elif how == "reset":
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                connection.recv(1)
    assert service.ask(last())[0].status == 200


@pytest.mark.parametrize(
    ("refused", "status"),
    [
        (b"get /v1/clients/ HTTP/1.1\r\nHost: x\r\n\r\n", 405),
        (b"FOO / HTTP/1.1\r\nHost: x\r\n\r\n", 404),
        (get(b"/#"), 400),
        (b"\x00\r\n\r\n", 400),
        (head_of(40_000), 400),
    ],
)
def test_refusal_comes_after_earlier_answers(service: Service, refused: bytes, status: int) -> None:
    found = service.ask(get(b"/1") + get(b"/2") + refused + get(b"/3"))
    assert [answer.status for answer in found] == [200, 200, status]
    assert [answer.body["raw_path"] for answer in found[:2]] == ["/1", "/2"]


@pytest.mark.parametrize("behind", [get(b"/2"), b"junk\r\n\r\n", b"get /v1/ HTTP/1.1\r\n\r\n"])
@pytest.mark.parametrize(
    "sent",
    [
        *(last(b"/1"), get(b"/1", version=b"HTTP/1.0"), CONNECT, last(b"/1", *OFFERS[0])),
        *(get(b"/1", b"Connection: close, Upgrade", b"Upgrade: h2c"), get(b"/1", *OFFERS[1], version=b"HTTP/1.0")),
    ],
)
def test_requests_behind_the_last_are_ignored(service: Service, sent: bytes, behind: bytes) -> None:
    (answer,) = service.ask(sent + behind)
    assert (answer.status, answer.body["raw_path"], answer.headers["connection"]) == (200, "/1", "close")


@pytest.mark.parametrize("behind", [get(b"/2"), b"\x00\r\n\r\n", b"get /v1/ HTTP/1.1\r\n\r\n", last(b"/#")])
def test_requests_behind_a_late_body_are_ignored(service: Service, behind: bytes) -> None:
    asked = service.seen.asked
    with service.connect() as connection:
        with service.seen.more("asked"):
            connection.sendall(get(b"/wait", b"Content-Length: 5") + b"he")
        with service.seen.more("received", 3 + len(behind)):
            connection.sendall(b"llo" + behind)
        service.released.set()
        (answer,) = answers(read_all(connection))
    assert (answer.body["raw_path"], answer.headers["connection"]) == ("/wait", "close")
    assert service.ask(last())[0].status == 200
    assert service.seen.asked - asked == 2


@contextlib.contextmanager
def hasty(service: Service, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setattr(service.protocol, "HEAD_TIMEOUT", 0.3)
        yield


def pass_limit(service: Service) -> None:
    with service.connect() as idle:
        assert read_all(idle) == b""


HALF = b"GET / HTTP/1.1\r\nHost: x\r\n"


@pytest.mark.parametrize(
    "sent", [[b""], [b"G"], [HALF], [b"FOO /v1/"], [b"\r\n"], [get(), b"G"], [get(), HALF], [get(), b"\r\n"]]
)
def test_slow_head(service: Service, monkeypatch: pytest.MonkeyPatch, sent: list[bytes]) -> None:
    monkeypatch.setattr(service.server.config, "timeout_keep_alive", 60)
    with hasty(service, monkeypatch), service.connect() as connection:
        for answered in sent[:-1]:
            connection.sendall(answered)
            read_answers(connection, 1)
        connection.sendall(sent[-1])
        assert read_all(connection) == b""


def test_slow_head_byte_by_byte(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each byte doesn't buy more time."""
    with hasty(service, monkeypatch), service.connect() as connection, service.seen.more("closed"):
        started = time.monotonic()
        connection.settimeout(0.05)
        # A byte that is on its way while the server closes resets the connection.
        with contextlib.suppress(ConnectionError):
            for byte in get(b"/" + b"a" * 400):
                connection.sendall(bytes([byte]))
                with contextlib.suppress(TimeoutError):
                    assert connection.recv(1) == b""
                    break
    assert service.seen.cuts == [ClosedConnection.SLOW_HEAD]
    assert time.monotonic() - started < 5


@pytest.mark.parametrize(
    ("sent", "count"),
    [
        (get(b"/wait"), 1),
        (get(b"/wait", b"Content-Length: 5") + b"he", 1),
        (get(b"/wait", CHUNKED) + b"5\r\nhe", 1),
        (get(b"/wait") + b"GET / HTTP", 1),
        (get(b"/wait") + get(b"/2") + b"GET / HTTP", 2),
    ],
)
def test_head_timeout_keeps_request(service: Service, monkeypatch: pytest.MonkeyPatch, sent: bytes, count: int) -> None:
    with hasty(service, monkeypatch), service.connect() as connection:
        connection.sendall(sent)
        pass_limit(service)
        pass_limit(service)
        service.released.set()
        assert [answer.status for answer in read_answers(connection, count)] == [200] * count


def test_head_timeout_keeps_body_in_progress(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    with hasty(service, monkeypatch), service.connect() as connection:
        connection.sendall(get(b"/read", CHUNKED) + b"5")
        pass_limit(service)
        connection.sendall(b"\r\nhello\r\n0")
        pass_limit(service)
        connection.sendall(b"\r\n\r\n")
        (answer,) = answers(read_all(connection))
    assert (answer.status, answer.body["read"]) == (200, 5)


def test_head_timeout_is_cancelled_after_body(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here the end of the body is in a piece of its own, behind 32 KiB."""
    with hasty(service, monkeypatch), service.connect() as connection:
        for _ in range(2):
            connection.sendall(get(b"/", CHUNKED) + b"7ff8\r\n" + b"x" * 0x7FF8 + b"\r\n0\r\n\r\n")
            (answer,) = read_answers(connection, 1)
            assert "connection" not in answer.headers
            pass_limit(service)


def test_head_timeout_is_cancelled_after_refusal(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    with hasty(service, monkeypatch), service.connect() as connection:
        for segment in (get(b"/wait"), b"GET / HT", b"\x00"):
            with service.seen.more("received", len(segment)):
                connection.sendall(segment)
        pass_limit(service)
        service.released.set()
        assert [answer.status for answer in answers(read_all(connection))] == [200, 400]


def test_client_that_never_closes_is_closed(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the last answer it's closed from our side, however long the client keeps its end open."""
    monkeypatch.setattr(protocol, "DISCARD_SECONDS", 0.1)
    with service.connect() as connection, service.seen.more("closed"):
        connection.sendall(b"junk\r\n\r\n")
        assert_malformed(answers(read_all(connection))[0])


@pytest.mark.parametrize("sent", [b"junk\r\n\r\n", CONNECT], ids=["refused", "answered"])
def test_reset_behind_response_closes_quietly(service: Service, sent: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    raised: list[Exception] = []
    half_close = protocol.LimitedProtocol.half_close
    with service.connect() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

        def reset_then_half_close(open_protocol: protocol.LimitedProtocol) -> None:
            connection.close()
            try:
                half_close(open_protocol)
            except Exception as error:
                raised.append(error)
                raise

        monkeypatch.setattr(protocol.LimitedProtocol, "half_close", reset_then_half_close)
        with service.seen.more("closed"):
            connection.sendall(sent)
    assert raised == []


VALID = [
    last(b"/v1/clients/?page=1", b"Accept: */*", b"X-SERVICE-API-KEY: abc"),
    last(b"http://x/v1/clients/", b"Expect: 100-continue", b"Content-Length: 5") + b"hello",
    last(b"/", CHUNKED) + b"5;a=b\r\nhello\r\n0\r\nB: c\r\n\r\n",
    get(b"/1") + get(b"/2") + last(b"/3"),
    last(b"/", *OFFERS[0], b"Content-Length: 5") + b"hello",
]
PIECES = [b"\r\n", b"\n", b"\x00", b"\xff", b" ", b"#", b":", b"get", b"HTTP/2.0", b"Upgrade: x", b"a" * 40_000]


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A valid request, some stretches of which are replaced."""
    data = draw(st.sampled_from(VALID))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = start + draw(st.integers(0, 8))
        data = data[:start] + draw(st.sampled_from(PIECES) | st.binary(max_size=8)) + data[end:]
    return data


@given(sent=st.binary(max_size=200) | mutated())
@settings(max_examples=examples(50), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_arbitrary_bytes_get_known_statuses(service: Service, sent: bytes) -> None:
    with service.connect() as connection:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        for answer in answers(read_all(connection)):
            assert answer.status in {200, 400, 404, 405}
    assert service.ask(last())[0].status == 200
