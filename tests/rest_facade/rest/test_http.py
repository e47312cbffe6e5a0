"""HTTP on the public listener: malformed requests, headers without effect, bodies, connections.

Covers `rest_facade/rest/request.py`.
"""

import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

import pytest

from tests.errors import assert_error
from tests.factories.rows import Rows
from tests.rest_facade.raw_client import request
from tests.rest_facade.rest.listener import VARY, Listener

TEN_MEGABYTES = [bytes(2**20)] * 10
TEN_CHUNKS = [b"100000\r\n" + megabyte + b"\r\n" for megabyte in TEN_MEGABYTES] + [b"0\r\n\r\n"]


@contextmanager
def growth_below(most: int) -> Iterator[None]:
    """Assert that the process, with the listener in a thread, allocates less than `most` bytes at its peak."""
    tracemalloc.start()
    try:
        yield
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < most


MALFORMED_PAIRS = [
    *(("Content-Length: 1", "Content-Length: 2"), ("Content-Length: 1", "Content-Length: 1")),
    *(("Content-Length: 5", "Transfer-Encoding: chunked"), ("Transfer-Encoding: chunked", "Content-Length: 5")),
    *(("Transfer-Encoding: chunked", "Transfer-Encoding: chunked"), ("X: a", " folded"), ("X: a", "\tfolded")),
]
MALFORMED_HEADERS = [
    *("Content-Length: 5, 5", "Content-Length: -1", "Content-Length: +5", "Content-Length: 0x5"),
    *("Content-Length: 5.0", "Content-Length: \xb2", "Content-Length:", "Content-Length: 99999999999999999999999"),
    *("Transfer-Encoding: identity", "Transfer-Encoding: xchunked", "Transfer-Encoding : chunked", " X: a"),
    *("X: a\x00b", "X: a\rb", "X: a\nb", "X: \x7f", "X\x00: a", "X\xff: a", "X : a", "X", ": a"),
]


@pytest.mark.parametrize(
    "data",
    [
        *(b"garbage\r\n\r\n", b"\x00\x01\x02\x03", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(32)),
        *(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
        *(b"GET /v1/clients/\r\n\r\n", b"GET /v1/clients/ HTTP/0.9\r\n\r\n", b"GET /v1/clients/ HTTP/2.0\r\n\r\n"),
        *(b"GET /v1/clients/ HTTP/1.10\r\n\r\n", b"GET /v1/clients/ http/1.1\r\n\r\n"),
        *(b"GET\t/v1/clients/ HTTP/1.1\r\n\r\n", b" GET /v1/clients/ HTTP/1.1\r\n\r\n"),
        *(b"G@T /v1/clients/ HTTP/1.1\r\n\r\n", b"GET /v1/clients/ HTTP/1.1\nHost: testserver\n\n"),
        b"GET /v1/clients/ HTTP/1.1\r\nHost: testserver\n\r\n",
        *(b"GET /v1/clients/ HTTP/1.1\r\nHost: testserver\r\n\n", b"GET /v1/clients/ HTTP/1.1\rHost: testserver\r\r"),
        *(request("/", *headers) for headers in MALFORMED_PAIRS),
        *(request("/", header) for header in MALFORMED_HEADERS),
    ],
    ids=lambda data: ascii(data.removeprefix(request("/")[:-2]).strip(b"\r\n")),
)
def test_malformed_http_is_400_and_closes(data: bytes, public: Listener) -> None:
    with public.connect() as connection:
        connection.send(data)
        response = connection.read()
        assert_error(response, 400, "VALIDATION_ERROR", "Malformed HTTP request.")
        assert response.headers["connection"] == "close"
        assert connection.rest() == b""


@pytest.mark.parametrize(
    "data",
    [
        request("/v1/clients/", *(f"X-{number}: x" for number in range(500))),
        request("/v1/clients/", "X: " + "x" * 100_000),
        request("/v1/clients/", "x" * 100_000 + ": x"),
        request("/v1/clients/", "Cookie: " + "x=y; " * 20_000),
        request("/v1/clients/", key="x" * 100_000),
        request("/v1/clients/?x=" + "x" * 200_000),
        request("/v1/" + "x/" * 100_000),
        b"X" * 200_000,
    ],
    ids=["500 headers", "value", "name", "cookie", "key", "query", "path", "line"],
)
def test_too_large_head_is_400_and_not_buffered(data: bytes, public: Listener) -> None:
    message = "The request line or the headers are too large."
    with growth_below(1_000_000), public.connect() as connection:
        connection.send(data)
        assert_error(connection.read(), 400, "VALIDATION_ERROR", message)
        assert connection.rest() == b""


def test_large_head_within_limits_is_accepted(public: Listener, key: str) -> None:
    for data in (
        request("/v1/clients/", *(f"X-{number}: x" for number in range(90)), key=key),
        request("/v1/clients/", "Cookie: " + "x=y; " * 4_000, key=key),
        request("/v1/clients/?x=" + "x" * 20_000, key=key),
    ):
        assert public.send(data).status_code == 200


@pytest.mark.parametrize(
    "header",
    [
        *("Accept: text/html", "Accept: application/xml", "Accept: image/*;q=0", "Accept: application/json;q=0"),
        *("Accept-Encoding: gzip", "Accept-Encoding: gzip, br;q=0", "Accept-Encoding: *;q=0"),
        *("Accept-Encoding: identity;q=0", "Accept-Encoding: ;;q=x,,", "Accept-Language: de", "Range: bytes=0-10"),
        *("Range: bytes=999999-", "Range: lines=x", 'If-Range: "x"', "If-None-Match: *", "If-Match: *"),
        *("If-Modified-Since: Sat, 21 Nov 2099 00:00:00 GMT", "If-Unmodified-Since: Sat, 21 Nov 1999 00:00:00 GMT"),
        *("If-Modified-Since: garbage", "Expect: 100-continue", "Expect: a miracle", "TE: trailers"),
        *("Connection: keep-alive", "Host: evil", "X-Forwarded-Host: evil", "X-Forwarded-Proto: gopher"),
        *("Forwarded: host=evil;proto=gopher", "X-HTTP-Method-Override: DELETE", "X-Original-URL: /v1/teams/"),
        *("Content-Type: text/html", "Cookie: session=x", "X-Odd: \xff\xfe", "X-Empty:"),
    ],
)
def test_unused_header_changes_nothing(header: str, public: Listener, rows: Rows, organization: UUID, key: str) -> None:
    for name in ("Acme", "Globex"):
        rows.client(organization, name=name)
    plain = public.send(request("/v1/clients/?limit=1", key=key))
    if header.startswith("Host:"):
        # In place of the usual one: two are refused (RFC 9112, 3.2).
        sent = request("/v1/clients/?limit=1", key=key).replace(b"Host: testserver", header.encode())
    else:
        sent = request("/v1/clients/?limit=1", header, key=key)
    response = public.send(sent)
    assert response.status_code == 200
    assert response.content == plain.content
    assert response.headers["content-type"] == "application/json"
    assert response.headers["vary"] == VARY
    assert response.headers["x-content-type-options"] == "nosniff"
    for absent in ("content-encoding", "content-range", "set-cookie", "server"):
        assert absent not in response.headers


@pytest.mark.parametrize(
    "headers",
    [
        ("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA"),
        ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: eA=="),
    ],
    ids=["h2c", "websocket"],
)
def test_upgrade_is_ignored(headers: tuple[str, ...], public: Listener, key: str) -> None:
    assert public.send(request("/v1/clients/", *headers, key=key)).json()["results"] == []


# Bodies. No request needs one.

BODIES = pytest.mark.parametrize(
    ("framing", "body"),
    [("Content-Length: 10485760", TEN_MEGABYTES), ("Transfer-Encoding: chunked", TEN_CHUNKS)],
    ids=["length", "chunked"],
)
WITH_A_BODY = pytest.mark.parametrize(("method", "status"), [("GET", 200), ("POST", 405), ("OPTIONS", 204)])


@BODIES
@WITH_A_BODY
def test_response_does_not_wait_for_body(
    framing: str, body: list[bytes], method: str, status: int, public: Listener, key: str
) -> None:
    for header in (), ("Expect: 100-continue",):
        with public.connect() as connection:
            connection.send(request("/v1/clients/", framing, *header, method=method, key=key))
            response = connection.read()
            assert response.status_code == status
            assert response.headers["connection"] == "close"
            assert connection.rest() == b""


@BODIES
@WITH_A_BODY
def test_large_body_is_not_buffered(
    framing: str, body: list[bytes], method: str, status: int, public: Listener, key: str
) -> None:
    with growth_below(2_000_000), public.connect() as connection:
        connection.send(request("/v1/clients/", framing, method=method, key=key), *body)
        assert connection.read().status_code == status


@pytest.mark.parametrize(
    ("framing", "body"),
    [("Content-Length: 5", b"hello"), ("Transfer-Encoding: chunked", b"5;x=y\r\nhello\r\n0\r\nTrailer: x\r\n\r\n")],
    ids=["length", "chunked"],
)
def test_small_body_is_skipped(framing: str, body: bytes, public: Listener, key: str) -> None:
    with public.connect() as connection:
        connection.send(request("/v1/clients/", framing, key=key) + body + request("/v1/nonexistent/"))
        assert connection.read().json()["results"] == []
        assert_error(connection.read(), 404, "ROUTE_NOT_FOUND")


@pytest.mark.parametrize(
    "body", [b"zz\r\nhello\r\n0\r\n\r\n", b"-5\r\nhello\r\n", b"5\nhello\n0\n\n", b"f" * 20 + b"\r\n", b"5\r\nhelloX"]
)
def test_malformed_chunks_are_400(body: bytes, public: Listener, key: str) -> None:
    with public.connect() as connection:
        connection.send(request("/v1/clients/", "Transfer-Encoding: chunked", key=key) + body)
        assert_error(connection.read(), 400, "VALIDATION_ERROR", "Malformed HTTP request.")
        assert connection.rest() == b""


def test_pipelined_requests_are_answered_in_order(public: Listener, rows: Rows, organization: UUID, key: str) -> None:
    for _ in range(3):
        rows.member(organization)
    with public.connect() as connection:
        connection.send(b"".join(request(f"/v1/members/?limit={limit}", key=key) for limit in (3, 1, 2)))
        answers = [connection.read() for _ in range(3)]
    assert [len(answer.json()["results"]) for answer in answers] == [3, 1, 2]
    assert [answer.headers["ratelimit-remaining"] for answer in answers] == ["29", "28", "27"]


def test_errors_keep_the_connection_open(public: Listener, key: str) -> None:
    with public.connect() as connection:
        for data, status in [
            (request("/v1/nonexistent/"), 404),
            (request("/v1/clients/", method="DELETE"), 405),
            (request("/v1/clients/"), 401),
            (request("/v1/clients/?limit=0", key=key), 400),
            (b"\r\n" + request("/v1/clients/", key=key), 200),
        ]:
            connection.send(data)
            assert connection.read().status_code == status


@pytest.mark.parametrize(
    "head",
    [b"GET /v1/clients/ HTTP/1.0\r\n", b"GET /v1/clients/ HTTP/1.1\r\nHost: testserver\r\nConnection: close\r\n"],
)
def test_connection_close_is_respected(head: bytes, public: Listener, key: str) -> None:
    with public.connect() as connection:
        connection.send(head + f"X-SERVICE-API-KEY: {key}\r\n\r\n".encode())
        assert connection.read().json()["results"] == []
        assert connection.rest() == b""


def test_request_may_arrive_byte_by_byte(public: Listener, key: str) -> None:
    with public.connect() as connection:
        connection.send(*(bytes([byte]) for byte in request("/v1/clients/", key=key)))
        assert connection.read().json()["results"] == []
