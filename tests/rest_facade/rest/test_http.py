"""HTTP on the public listener: headers without effect, and X-Data-As-Of.

Covers `rest_facade/rest/request.py`; tests/rest_facade/server/test_http_protocol.py has the rest.
"""

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import httpx2 as httpx
import pytest

from db.reading.data_as_of import UNKNOWN
from db.reading.query_stats import QueryStats
from rest_facade.rest.request import data_as_of
from tests.conftest import Connect
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


MOMENT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("moment", "header"),
    [
        (MOMENT, "2026-03-02T09:00:00.000000Z"),
        (MOMENT + timedelta(microseconds=1), "2026-03-02T09:00:00.000001Z"),
        (UNKNOWN, None),
        (None, None),
    ],
)
def test_value_is_rfc_3339_with_z(moment: datetime | None, header: str | None) -> None:
    assert data_as_of(QueryStats(data_as_of=moment)) == header


async def test_responses_of_data_have_the_moment(http: httpx.AsyncClient) -> None:
    before = datetime.now(UTC)
    statuses = {}
    for path in (f"/v1/projects/{uuid4()}/", "/v1/teams/", "/v1/teams/?limit=0", "/v1/nowhere/"):
        response = await http.get(path)
        statuses[response.status_code, path] = "x-data-as-of" in response.headers
        if "x-data-as-of" in response.headers:
            assert before <= datetime.fromisoformat(response.headers["x-data-as-of"]) <= datetime.now(UTC)
    assert list(statuses.values()) == [True, True, False, False]
    assert [status for status, _ in statuses] == [404, 200, 400, 404]


async def test_moment_can_be_sent_as_updated_since(rows: Rows, client: Connect, organization: UUID, key: str) -> None:
    http = client(key)
    moment = (await http.get("/v1/teams/")).headers["x-data-as-of"]
    team = rows.team(organization, updated_at=datetime.now(UTC))
    response = await http.get("/v1/teams/", params={"updated_since": moment})
    assert [item["id"] for item in response.json()["results"]] == [str(team)]
