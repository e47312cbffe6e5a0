"""HTTP on the public listener: headers without effect; tests/rest_facade/server/test_http_protocol.py has the rest.

Covers `rest_facade/rest/request.py`.
"""

from uuid import UUID

from tests.errors import assert_error
from tests.factories.rows import Rows
from tests.rest_facade.raw_client import request
from tests.rest_facade.rest.listener import VARY, Listener


def test_unused_header_changes_nothing(public: Listener, rows: Rows, organization: UUID, key: str) -> None:
    for name in ("Acme", "Globex"):
        rows.client(organization, name=name)
    rows.quota(organization, 100)
    plain = public.send(request("/v1/clients/?limit=1", key=key))
    for header in (
        *("Accept: text/html", "Accept: application/xml", "Accept: image/*;q=0", "Accept: application/json;q=0"),
        *("Accept-Encoding: gzip", "Accept-Encoding: gzip, br;q=0", "Accept-Encoding: *;q=0"),
        *("Accept-Encoding: identity;q=0", "Accept-Encoding: ;;q=x,,", "Accept-Language: de", "Range: bytes=0-10"),
        *("Range: bytes=999999-", "Range: lines=x", 'If-Range: "x"', "If-None-Match: *", "If-Match: *"),
        *("If-Modified-Since: Sat, 21 Nov 2099 00:00:00 GMT", "If-Unmodified-Since: Sat, 21 Nov 1999 00:00:00 GMT"),
        *("If-Modified-Since: garbage", "Expect: 100-continue", "Expect: a miracle", "TE: trailers"),
        *("Connection: keep-alive", "Host: evil", "X-Forwarded-Host: evil", "X-Forwarded-Proto: gopher"),
        *("Forwarded: host=evil;proto=gopher", "X-HTTP-Method-Override: DELETE", "X-Original-URL: /v1/teams/"),
        *("Content-Type: text/html", "Cookie: session=x", "X-Odd: \xff\xfe", "X-Empty:"),
    ):
        if header.startswith("Host:"):
            # In place of the usual one: two are refused (RFC 9112, 3.2).
            sent = request("/v1/clients/?limit=1", key=key).replace(b"Host: testserver", header.encode())
        else:
            sent = request("/v1/clients/?limit=1", header, key=key)
        response = public.send(sent)
        assert (response.status_code, response.content) == (200, plain.content), header
        assert response.headers["content-type"] == "application/json"
        assert response.headers["vary"] == VARY
        assert response.headers["x-content-type-options"] == "nosniff"
        assert not {"content-encoding", "content-range", "set-cookie", "server"} & response.headers.keys(), header


def test_only_malformed_http_closes_the_connection(public: Listener, key: str) -> None:
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
        connection.send(b"garbage\r\n\r\n")
        assert_error(connection.read(), 400, "VALIDATION_ERROR", "Malformed HTTP request.")
        assert connection.rest() == b""
