"""The public listener as a client meets it: bytes over a real socket, answered from a real database."""

import asyncio
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Thread
from time import perf_counter, sleep
from uuid import UUID

import httpx2 as httpx
import pytest
import uvloop
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from sqlalchemy import text
from throttled.asyncio import RedisStore

from db.admin.migrate import connect
from rest_facade.access.failure_window import MemoryWindow
from rest_facade.access.quota import Quota
from rest_facade.access.rate_counter import RateCounter
from rest_facade.access.throttle import Throttle
from rest_facade.composition import Service, build_service
from rest_facade.rest.cors import Cors
from rest_facade.server import process, sockets
from rest_facade.server.http_protocol import Protocol
from rest_facade.settings import Settings
from tests.errors import assert_error
from tests.factories.rows import Rows
from tests.rest_facade.raw_client import PATIENCE, Connection, request

BASE_URL = "https://api.example.com"
DAY = 86_400
"""Seconds of a window, so that none ends in the middle of a test."""

ID = "11111111-1111-1111-1111-111111111111"
TEN_MEGABYTES = [bytes(2**20)] * 10
TEN_CHUNKS = [b"100000\r\n" + megabyte + b"\r\n" for megabyte in TEN_MEGABYTES] + [b"0\r\n\r\n"]
VARY = "Accept-Encoding, Origin"


@dataclass(frozen=True)
class Listening:
    """A public listener that serves."""

    service: Service
    address: tuple[str, int]

    def connect(self) -> Connection:
        return Connection(self.address)

    def ask(self, data: bytes, method: str = "GET") -> httpx.Response:
        """The answer to one request on a connection of its own."""
        with self.connect() as connection:
            connection.send(data)
            return connection.read(method)


@contextmanager
def listening(service: Service) -> Iterator[Listening]:
    """Serve as `orgdata serve` does, in a thread with an event loop of its own."""
    with sockets.bind("127.0.0.1", 0) as public:
        listener = process.uvicorn_server(service.public, 1, Protocol)

        async def serve() -> None:
            await service.open()
            try:
                await listener.serve(sockets=[public])
            finally:
                await service.close()

        def run() -> None:
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                runner.run(serve())

        thread = Thread(target=run, daemon=True)
        thread.start()
        try:
            while not listener.started:
                assert thread.is_alive()
                sleep(0.001)
            yield Listening(service, public.getsockname())
        finally:
            listener.should_exit = True
            thread.join(PATIENCE)
        assert not thread.is_alive()


@contextmanager
def growth_below(most: int) -> Iterator[None]:
    """Whatever the process, of which the listener is a thread, holds at once, it is less than `most` bytes more."""
    tracemalloc.start()
    try:
        yield
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < most


@pytest.fixture(scope="module")
def listener(owner_url: str, settings: Settings) -> Iterator[Listening]:
    daily = settings.model_copy(update={"quota_window": DAY})
    with listening(build_service(daily, url=owner_url, base_url=BASE_URL)) as listener:
        yield listener


@pytest.fixture
def public(listener: Listening, monkeypatch: pytest.MonkeyPatch) -> Listening:
    """The listener, which has seen no bad key yet."""
    throttle = Throttle(MemoryWindow())
    monkeypatch.setattr(listener.service.public, "throttle", throttle)
    return listener


@pytest.fixture
def organization(rows: Rows) -> UUID:
    return rows.organization()


@pytest.fixture
def key(rows: Rows, organization: UUID) -> str:
    return rows.partner_key(organization)


# Paths.


@pytest.mark.parametrize(
    "path",
    [
        "/v1/clients",
        "/v1/clients?limit=1",
        f"/v1/clients/{ID}",
        "/v1//clients/",
        "//v1/clients/",
        "/V1/Clients/",
        "/V1/clients/",
        "/v1/Clients/",
        "/v2/clients/",
        "/v1/",
        "/v1",
        "/v1/?",
        "/v1//",
        "/%761/clients/",
        "/v1/%63lients/",
        "/v1%2Fclients/",
        "/v1/clients%2F",
        "/v1/clients//",
        "/v1/clients//projects/",
        "/v1/clients/%",
        f"/v1/clients/{ID}//",
        f"/v1/clients/{ID}/unknown/",
        f"/v1/teams/{ID}/",
        f"/v1/teams/{ID}/members",
        f"/v1/teams/{ID}/members/x/",
        "/v1/./clients/",
        "/v1/x/../clients/",
        "/v1/clients/../clients/",
        "/v1/clients;x/",
        "/v1\\clients/",
        "/v1/clients/" + "a" * 8001,
        "http://evil",
        "http://evil/v1/clients",
    ],
    ids=lambda path: path[:40],
)
def test_a_path_that_differs_in_any_byte_is_no_route_and_no_redirect(path: str, public: Listening, key: str) -> None:
    response = public.ask(request(path, key=key))
    assert_error(response, 404, "ROUTE_NOT_FOUND", "Route not found.")
    assert "location" not in response.headers
    assert "ratelimit-limit" not in response.headers


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "*",
        "/favicon.ico",
        "/robots.txt",
        "/.env",
        "/graphql",
        "/docs",
        "/openapi.json",
        "/live",
        "/ready",
        "/metrics",
    ],
)
def test_nothing_but_v1_is_public(path: str, public: Listening) -> None:
    for method in ("GET", "POST", "OPTIONS"):
        response = public.ask(request(path, method=method))
        assert_error(response, 404, "ROUTE_NOT_FOUND", "Route not found.")


@pytest.mark.parametrize(
    "segment", ["%00", "a%2Fb", "%ff%fe", "%E2%80%8B", "%", "%zz", ";x", "..", f"{ID}%0A", f"%20{ID}", "a" * 8001]
)
def test_a_segment_that_is_no_id_is_refused_before_the_database_sees_it(
    segment: str, public: Listening, key: str
) -> None:
    path, message = f"/v1/clients/{segment}/", "Invalid UUID format."
    response = public.ask(request(path, key=key))
    assert_error(response, 400, "VALIDATION_ERROR", message, {"client_id": [message]})
    assert_error(public.ask(request(path)), 401, "INVALID_API_KEY")


@pytest.mark.parametrize(
    "target",
    [
        "http://evil/v1/clients/?limit=1",
        "https://evil:8443/v1/clients/?limit=1",
        "HTTP://user:password@evil/v1/clients/?limit=1",
        "http://[::1]/v1/clients/?limit=1",
    ],
)
def test_an_absolute_target_answers_like_its_path(
    target: str, public: Listening, rows: Rows, organization: UUID, key: str
) -> None:
    for name in ("Acme", "Globex"):
        rows.client(organization, name=name)
    plain = public.ask(request("/v1/clients/?limit=1", key=key)).json()
    absolute = public.ask(request(target, key=key))
    assert absolute.status_code == 200
    assert absolute.json() == plain
    assert plain["next"].startswith("https://api.example.com/v1/clients/?limit=1&page=2&")


@pytest.mark.parametrize(
    "target",
    [
        "/v1/clients/#x",
        "/v1/clients/?limit=1#x",
        "http://evil/v1/clients/#x",
        "#",
        "v1/clients/",
        "?limit=1",
        "/v1/cli ents/",
        "/v1/clients/\x7f/",
        "/v1/clients/\xff/",
        "/v1/clients/?search=\xff",
        "http:///v1/clients/",
        "http://[::1/v1/clients/",
    ],
    ids=ascii,
)
def test_what_is_no_target_is_malformed(target: str, public: Listening, key: str) -> None:
    with public.connect() as connection:
        connection.send(request(target, key=key))
        assert_error(connection.read(), 400, "VALIDATION_ERROR", "Malformed HTTP request.")
        assert connection.rest() == b""


@pytest.mark.parametrize("end", ["", "/"])
def test_a_long_path_costs_no_time(end: str, public: Listening, key: str) -> None:
    def seconds() -> float:
        begin = perf_counter()
        public.ask(request("/v1/clients/" + "a" * 8001 + end, key=key))
        return perf_counter() - begin

    assert min(seconds() for _ in range(5)) < 0.05


# Methods.


@pytest.mark.parametrize("path", ["/v1/clients/", "/v1/nonexistent/", "/v1/", f"/v1/clients/{ID}"])
@pytest.mark.parametrize(
    "method",
    [
        "POST",
        "PUT",
        "PATCH",
        "DELETE",
        "HEAD",
        "TRACE",
        "CONNECT",
        "PROPFIND",
        "QUERY",
        "FOO",
        "DESCRIBE",
        "get",
        "Get",
        "options",
    ],
)
def test_another_method_below_v1_is_405_with_and_without_a_key(
    method: str, path: str, public: Listening, key: str
) -> None:
    for given in (key, None):
        response = public.ask(request(path, "X-Secret: echo me", method=method, key=given), method)
        assert response.headers["allow"] == "GET, OPTIONS"
        assert "ratelimit-limit" not in response.headers
        assert "echo me" not in f"{response.headers}{response.text}"
        if method == "HEAD":
            assert response.status_code == 405
        else:
            assert_error(response, 405, "METHOD_NOT_ALLOWED", "Method not allowed.")


@pytest.mark.parametrize(
    ("method", "target"),
    [("POST", "/v1"), ("POST", "/V1/clients/"), ("get", "/"), ("FOO", "/v1"), ("CONNECT", "evil:443")],
)
def test_another_method_elsewhere_is_no_route(method: str, target: str, public: Listening) -> None:
    response = public.ask(request(target, method=method))
    assert_error(response, 404, "ROUTE_NOT_FOUND", "Route not found.")
    assert "allow" not in response.headers


@pytest.mark.parametrize(
    "data",
    [
        request("/favicon.ico"),
        request("/v1/nonexistent/"),
        request("/v1/clients/", method="POST"),
        request("/v1/clients/", method="get"),
        request("/v1/clients/", method="OPTIONS"),
        request("/v1/clients/", "Origin: https://a.example", "Access-Control-Request-Method: GET", method="OPTIONS"),
        b"garbage\r\n\r\n",
    ],
    ids=lambda data: data.decode().partition("\r\n")[0],
)
def test_what_asks_for_no_key_counts_as_no_failed_key(data: bytes, public: Listening) -> None:
    for _ in range(11):
        assert public.ask(data).status_code in (204, 400, 404, 405)
    assert_error(public.ask(request("/v1/clients/")), 401, "INVALID_API_KEY", "Invalid API key.")


# OPTIONS and CORS.


@pytest.mark.parametrize("path", ["/v1/clients/", "/v1/nonexistent/", "/v1/", "http://evil/v1/clients/"])
def test_plain_options_tells_the_methods_and_costs_nothing(path: str, public: Listening, key: str) -> None:
    for given in (key, "wrong", None):
        response = public.ask(request(path, method="OPTIONS", key=given))
        assert response.status_code == 204
        assert response.headers["allow"] == "GET, OPTIONS"
        assert "ratelimit-limit" not in response.headers
        assert "access-control-allow-origin" not in response.headers
    assert public.ask(request("/v1/clients/", key=key)).headers["ratelimit-remaining"] == "29"


def test_a_preflight_is_answered_without_key_quota_and_database(public: Listening) -> None:
    def connections_asked_for() -> int:
        return public.service.database.query_stats.round_trips

    before = connections_asked_for()
    asked = ("Access-Control-Request-Method: GET", "Access-Control-Request-Headers: x-service-api-key")
    response = public.ask(request("/v1/clients/", "Origin: https://a.example", *asked, method="OPTIONS"))
    assert response.status_code == 204
    assert response.headers["access-control-allow-origin"] == "*"
    assert response.headers["access-control-allow-methods"] == "GET, OPTIONS"
    assert response.headers["access-control-allow-headers"] == "X-SERVICE-API-KEY"
    assert response.headers["vary"] == VARY
    assert "access-control-allow-credentials" not in response.headers
    assert connections_asked_for() == before


def test_a_preflight_may_have_a_body(public: Listening) -> None:
    with public.connect() as connection:
        connection.send(request("/v1/clients/", "Content-Length: 2", method="OPTIONS") + b"{}")
        assert connection.read().status_code == 204
        connection.send(request("/v1/nonexistent/"))
        assert connection.read().status_code == 404


def test_a_page_may_read_answers_errors_and_the_headers_about_limits(public: Listening, key: str) -> None:
    for given, path, status in ((key, "/v1/clients/", 200), (None, "/v1/clients/", 401), (None, "/", 404)):
        response = public.ask(request(path, "Origin: https://a.example", key=given))
        assert response.status_code == status
        assert response.headers["access-control-allow-origin"] == "*"
        exposed = response.headers["access-control-expose-headers"].split(", ")
        assert {"X-Request-ID", "Retry-After", "RateLimit-Remaining"} <= set(exposed)


@pytest.mark.parametrize(
    ("origin", "allowed"),
    [
        ("https://app.example.com", "https://app.example.com"),
        ("https://evil.example", None),
        ("https://app.example.com.evil.example", None),
        ("http://app.example.com", None),
        ("https://APP.example.com", None),
        ("null", None),
        ("", None),
    ],
)
def test_only_listed_origins_are_allowed_where_there_is_a_list(
    origin: str, allowed: str | None, public: Listening, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(public.service.public, "cors", Cors(["https://app.example.com", "https://other.example.com"]))
    for method, status in (("OPTIONS", 204), ("GET", 200)):
        asked = (f"Origin: {origin}", "Access-Control-Request-Method: GET")
        response = public.ask(request("/v1/clients/", *asked, method=method, key=key))
        assert response.status_code == status
        assert response.headers.get("access-control-allow-origin") == allowed
        assert response.headers["vary"] == VARY
        cors = [name for name in response.headers if name.startswith("access-control-")]
        assert bool(cors) == (allowed is not None)


# Parsing.


@pytest.mark.parametrize(
    "data",
    [
        b"garbage\r\n\r\n",
        b"\x00\x01\x02\x03",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(32),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        b"GET /v1/clients/\r\n\r\n",
        b"GET /v1/clients/ HTTP/0.9\r\n\r\n",
        b"GET /v1/clients/ HTTP/2.0\r\n\r\n",
        b"GET /v1/clients/ HTTP/1.10\r\n\r\n",
        b"GET /v1/clients/ http/1.1\r\n\r\n",
        b"GET\t/v1/clients/ HTTP/1.1\r\n\r\n",
        b" GET /v1/clients/ HTTP/1.1\r\n\r\n",
        b"G@T /v1/clients/ HTTP/1.1\r\n\r\n",
        b"GET /v1/clients/ HTTP/1.1\nHost: testserver\n\n",
        b"GET /v1/clients/ HTTP/1.1\r\nHost: testserver\n\r\n",
        b"GET /v1/clients/ HTTP/1.1\r\nHost: testserver\r\n\n",
        b"GET /v1/clients/ HTTP/1.1\rHost: testserver\r\r",
        request("/", "Content-Length: 1", "Content-Length: 2"),
        request("/", "Content-Length: 1", "Content-Length: 1"),
        request("/", "Content-Length: 5, 5"),
        request("/", "Content-Length: -1"),
        request("/", "Content-Length: +5"),
        request("/", "Content-Length: 0x5"),
        request("/", "Content-Length: 5.0"),
        request("/", "Content-Length: \xb2"),
        request("/", "Content-Length:"),
        request("/", "Content-Length: 99999999999999999999999"),
        request("/", "Content-Length: 5", "Transfer-Encoding: chunked"),
        request("/", "Transfer-Encoding: chunked", "Content-Length: 5"),
        request("/", "Transfer-Encoding: chunked", "Transfer-Encoding: chunked"),
        request("/", "Transfer-Encoding: identity"),
        request("/", "Transfer-Encoding: xchunked"),
        request("/", "Transfer-Encoding : chunked"),
        request("/", "X: a", " folded"),
        request("/", "X: a", "\tfolded"),
        request("/", " X: a"),
        request("/", "X: a\x00b"),
        request("/", "X: a\rb"),
        request("/", "X: a\nb"),
        request("/", "X: \x7f"),
        request("/", "X\x00: a"),
        request("/", "X\xff: a"),
        request("/", "X : a"),
        request("/", "X"),
        request("/", ": a"),
    ],
    ids=lambda data: ascii(data.removeprefix(request("/")[:-2]).strip(b"\r\n")),
)
def test_what_is_not_http_is_refused_and_ends_the_connection(data: bytes, public: Listening) -> None:
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
def test_a_head_that_is_too_large_is_refused_and_not_kept(data: bytes, public: Listening) -> None:
    message = "The request line or the headers are too large."
    with growth_below(1_000_000), public.connect() as connection:
        connection.send(data)
        assert_error(connection.read(), 400, "VALIDATION_ERROR", message)
        assert connection.rest() == b""


def test_a_head_that_is_large_but_not_too_large_is_read(public: Listening, key: str) -> None:
    for data in (
        request("/v1/clients/", *(f"X-{number}: x" for number in range(90)), key=key),
        request("/v1/clients/", "Cookie: " + "x=y; " * 4_000, key=key),
        request("/v1/clients/?x=" + "x" * 20_000, key=key),
    ):
        assert public.ask(data).status_code == 200


# Headers that change nothing.


@pytest.mark.parametrize(
    "header",
    [
        "Accept: text/html",
        "Accept: application/xml",
        "Accept: image/*;q=0",
        "Accept: application/json;q=0",
        "Accept-Encoding: gzip",
        "Accept-Encoding: gzip, br;q=0",
        "Accept-Encoding: *;q=0",
        "Accept-Encoding: identity;q=0",
        "Accept-Encoding: ;;q=x,,",
        "Accept-Language: de",
        "Range: bytes=0-10",
        "Range: bytes=999999-",
        "Range: lines=x",
        'If-Range: "x"',
        "If-None-Match: *",
        "If-Match: *",
        "If-Modified-Since: Sat, 21 Nov 2099 00:00:00 GMT",
        "If-Unmodified-Since: Sat, 21 Nov 1999 00:00:00 GMT",
        "If-Modified-Since: garbage",
        "Expect: 100-continue",
        "Expect: a miracle",
        "TE: trailers",
        "Connection: keep-alive",
        "Host: evil",
        "X-Forwarded-Host: evil",
        "X-Forwarded-Proto: gopher",
        "Forwarded: host=evil;proto=gopher",
        "X-HTTP-Method-Override: DELETE",
        "X-Original-URL: /v1/teams/",
        "Content-Type: text/html",
        "Cookie: session=x",
        "X-Odd: \xff\xfe",
        "X-Empty:",
    ],
)
def test_a_header_that_means_nothing_here_changes_nothing(
    header: str, public: Listening, rows: Rows, organization: UUID, key: str
) -> None:
    for name in ("Acme", "Globex"):
        rows.client(organization, name=name)
    plain = public.ask(request("/v1/clients/?limit=1", key=key))
    response = public.ask(request("/v1/clients/?limit=1", header, key=key))
    assert response.status_code == 200
    assert response.content == plain.content
    assert response.headers["content-type"] == "application/json"
    assert response.headers["vary"] == VARY
    for absent in ("content-encoding", "content-range", "set-cookie", "server"):
        assert absent not in response.headers


def test_a_request_id_is_ours_and_never_the_clients(public: Listening) -> None:
    theirs = "0123456789abcdef0123456789abcdef"
    given = [public.ask(request("/v1/clients/", f"X-Request-ID: {theirs}")) for _ in range(2)]
    for response in given:
        assert_error(response, 401, "INVALID_API_KEY")
        assert response.json()["error"]["request_id"] != theirs


@pytest.mark.parametrize(
    "headers",
    [
        ("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA"),
        ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: eA=="),
    ],
    ids=["h2c", "websocket"],
)
def test_an_upgrade_is_not_made_but_the_request_is_answered(
    headers: tuple[str, ...], public: Listening, key: str
) -> None:
    assert public.ask(request("/v1/clients/", *headers, key=key)).json()["results"] == []


# Bodies, which no request here needs.

BODIES = pytest.mark.parametrize(
    ("framing", "body"),
    [("Content-Length: 10485760", TEN_MEGABYTES), ("Transfer-Encoding: chunked", TEN_CHUNKS)],
    ids=["length", "chunked"],
)
WITH_A_BODY = pytest.mark.parametrize(("method", "status"), [("GET", 200), ("POST", 405), ("OPTIONS", 204)])


@BODIES
@WITH_A_BODY
def test_the_answer_does_not_wait_for_a_body(
    framing: str, body: list[bytes], method: str, status: int, public: Listening, key: str
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
def test_a_body_of_10_megabytes_is_never_held(
    framing: str, body: list[bytes], method: str, status: int, public: Listening, key: str
) -> None:
    with growth_below(2_000_000), public.connect() as connection:
        connection.send(request("/v1/clients/", framing, method=method, key=key), *body)
        assert connection.read().status_code == status


@pytest.mark.parametrize(
    ("framing", "body"),
    [("Content-Length: 5", b"hello"), ("Transfer-Encoding: chunked", b"5;x=y\r\nhello\r\n0\r\nTrailer: x\r\n\r\n")],
    ids=["length", "chunked"],
)
def test_a_small_body_is_skipped_and_not_taken_for_the_next_request(
    framing: str, body: bytes, public: Listening, key: str
) -> None:
    with public.connect() as connection:
        connection.send(request("/v1/clients/", framing, key=key) + body + request("/v1/nonexistent/"))
        assert connection.read().json()["results"] == []
        assert_error(connection.read(), 404, "ROUTE_NOT_FOUND")


@pytest.mark.parametrize(
    "body", [b"zz\r\nhello\r\n0\r\n\r\n", b"-5\r\nhello\r\n", b"5\nhello\n0\n\n", b"f" * 20 + b"\r\n", b"5\r\nhelloX"]
)
def test_a_body_with_broken_chunks_is_malformed(body: bytes, public: Listening, key: str) -> None:
    with public.connect() as connection:
        connection.send(request("/v1/clients/", "Transfer-Encoding: chunked", key=key) + body)
        assert_error(connection.read(), 400, "VALIDATION_ERROR", "Malformed HTTP request.")
        assert connection.rest() == b""


# Connections.


def test_three_requests_sent_at_once_are_answered_in_order_and_counted_each(
    public: Listening, rows: Rows, organization: UUID, key: str
) -> None:
    for _ in range(3):
        rows.member(organization)
    with public.connect() as connection:
        connection.send(b"".join(request(f"/v1/members/?limit={limit}", key=key) for limit in (3, 1, 2)))
        answers = [connection.read() for _ in range(3)]
    assert [len(answer.json()["results"]) for answer in answers] == [3, 1, 2]
    assert [answer.headers["ratelimit-remaining"] for answer in answers] == ["29", "28", "27"]


def test_a_connection_outlives_refusals(public: Listening, key: str) -> None:
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
def test_a_connection_that_is_not_to_be_kept_is_ended(head: bytes, public: Listening, key: str) -> None:
    with public.connect() as connection:
        connection.send(head + f"X-SERVICE-API-KEY: {key}\r\n\r\n".encode())
        assert connection.read().json()["results"] == []
        assert connection.rest() == b""


def test_bytes_may_come_one_by_one(public: Listening, key: str) -> None:
    with public.connect() as connection:
        connection.send(*(bytes([byte]) for byte in request("/v1/clients/", key=key)))
        assert connection.read().json()["results"] == []


# Errors: `assert_error` says what all have in common; here, what none may say.

SECRETS = ("traceback", "psycopg", "redis", "select", "relation", "clients_", "uvicorn", "starlette", "python")


def assert_discreet(response: httpx.Response, status: int, code: str, message: str) -> None:
    assert_error(response, status, code, message)
    assert response.headers["vary"] == VARY
    said = f"{response.headers}{response.text}".lower()
    assert [word for word in SECRETS if word in said] == []


@pytest.mark.parametrize(
    ("status", "code", "message", "data"),
    [
        (401, "INVALID_API_KEY", "Invalid API key.", lambda key: request("/v1/clients/")),
        (405, "METHOD_NOT_ALLOWED", "Method not allowed.", lambda key: request("/v1/clients/", method="PUT", key=key)),
        (404, "ROUTE_NOT_FOUND", "Route not found.", lambda key: request("/v1/", key=key)),
        (404, "RESOURCE_NOT_FOUND", "Client not found.", lambda key: request(f"/v1/clients/{ID}/", key=key)),
        (400, "VALIDATION_ERROR", "page must be >= 1.", lambda key: request("/v1/clients/?page=0", key=key)),
    ],
    ids=lambda value: value if isinstance(value, str) and value.isupper() else "",
)
def test_a_refusal_says_no_more_than_its_message(
    status: int, code: str, message: str, data: Callable[[str], bytes], public: Listening, key: str
) -> None:
    assert_discreet(public.ask(data(key)), status, code, message)


def test_a_scope_that_is_missing_is_403_and_counted(public: Listening, rows: Rows, organization: UUID) -> None:
    response = public.ask(request("/v1/clients/", key=rows.mcp_key(organization, "teams:read")))
    assert_discreet(response, 403, "SCOPE_DENIED", "The key lacks the scope that this endpoint needs.")
    assert response.headers["ratelimit-remaining"] == "29"


def test_a_used_up_quota_is_429_until_the_window_ends(
    public: Listening, rows: Rows, organization: UUID, key: str
) -> None:
    rows.quota(organization, 1)
    assert public.ask(request("/v1/clients/", key=key)).status_code == 200
    response = public.ask(request("/v1/clients/", key=key))
    assert_discreet(response, 429, "RATE_LIMIT_EXCEEDED", "Rate limit exceeded.")
    assert response.headers["ratelimit-limit"] == "1"
    assert response.headers["ratelimit-remaining"] == "0"
    assert 1 <= response.json()["error"]["retry_after_seconds"] <= DAY
    assert response.headers["retry-after"] == str(response.json()["error"]["retry_after_seconds"])


def test_after_ten_failed_keys_everything_is_429(public: Listening, key: str) -> None:
    for _ in range(10):
        assert_error(public.ask(request("/v1/clients/", key="wrong")), 401, "INVALID_API_KEY")
    for data in (
        request("/v1/clients/", key=key),
        request("/v1/clients/", method="OPTIONS"),
        request("/v1/clients/", method="POST"),
        request("/favicon.ico"),
    ):
        response = public.ask(data)
        assert_discreet(response, 429, "AUTH_FAILURE_THROTTLE", "Too many failed authentications.")
        assert 1 <= int(response.headers["retry-after"]) <= DAY
        assert "ratelimit-limit" not in response.headers


def test_without_the_store_of_the_quota_it_is_503(public: Listening, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    options = {"CONNECTION_POOL_KWARGS": {"retry": Retry(NoBackoff(), 0)}}
    nowhere = RedisStore(server="redis://127.0.0.1:1", options=options)
    monkeypatch.setattr(public.service.public, "quota", Quota(RateCounter(nowhere, prefix="quota", window=60), 30))
    response = public.ask(request("/v1/clients/", key=key))
    assert_discreet(response, 503, "SERVICE_UNAVAILABLE", "Service temporarily unavailable.")
    assert response.headers["retry-after"] == "5"
    assert "ratelimit-limit" not in response.headers


def test_what_the_database_refuses_is_500_and_told_to_the_log_only(own_url: str, settings: Settings) -> None:
    engine = connect(own_url)
    rows = Rows(engine)
    key = rows.partner_key(rows.organization())
    rows.connection.close()
    with engine.begin() as connection:
        connection.execute(text("ALTER TABLE clients RENAME TO elsewhere"))
    daily = settings.model_copy(update={"quota_window": DAY})
    with listening(build_service(daily, url=own_url, base_url=BASE_URL)) as public:
        response = public.ask(request("/v1/clients/", key=key))
        assert_discreet(response, 500, "INTERNAL_ERROR", "An unexpected error occurred.")
        assert response.headers["ratelimit-remaining"] == "29"
        assert public.ask(request("/v1/members/", key=key)).status_code == 200
