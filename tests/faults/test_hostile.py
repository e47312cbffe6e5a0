"""Damaged requests on a raw socket: every answer is JSON or none, and never a 5xx."""

import json
import re
import socket
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import httpx2 as httpx
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.factories.rows import Rows
from tests.faults.clients import get, metric_value
from tests.faults.service import Serving, serving
from tests.property_tests import examples

pytestmark = pytest.mark.fault

TIMEOUT = 10.0
EXAMPLES = 800

LENGTH = re.compile(rb"(?i)\r\ncontent-length: (\d+)\r\n")

_numbers = count(1)


@pytest.fixture(scope="module")
def key(rows: Rows) -> str:
    organization = rows.organization()
    rows.quota(organization, 1_000_000)
    for _ in range(3):
        rows.member(organization)
        rows.client(organization)
    return rows.partner_key(organization)


@pytest.fixture(scope="module")
def service(owner_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with serving(tmp_path_factory.mktemp("hostile"), database_url=owner_url) as service:
        yield service


def exchange(service: Serving, data: bytes) -> list[tuple[int, bytes]]:
    """Send the bytes and nothing after them, from an address of its own; all that is answered."""
    number = next(_numbers)
    source = f"127.{1 + (number >> 16)}.{number >> 8 & 255}.{number & 255}"
    with socket.create_connection(service.address, TIMEOUT, (source, 0)) as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        received = b""
        while piece := connection.recv(65536):
            received += piece
    return answers(received)


def answers(data: bytes) -> list[tuple[int, bytes]]:
    """Status and body of each answer, of which none may be cut or be anything but JSON."""
    found = []
    while data:
        head, blank, data = data.partition(b"\r\n\r\n")
        assert blank and head.startswith(b"HTTP/1.1 "), head
        status = int(head[9:12])
        length = LENGTH.search(head + b"\r\n")
        size = int(length[1]) if length is not None else 0
        assert len(data) >= size
        if status != 204:
            assert b"content-type: application/json" in head.lower()
            assert isinstance(json.loads(data[:size]), dict | list)
        found.append((status, data[:size]))
        data = data[size:]
    return found


REQUESTS = [
    get("/v1/members/?page=1&limit=2", "KEY"),
    get("/v1/clients/?is_active=true&updated_since=2026-01-05T09:00:00Z", "KEY", "Accept-Encoding: gzip"),
    get("/v1/clients/01890a5d-ac96-774b-bcce-b302099a8057/projects/", "KEY"),
    get("/v1/time_activity_reports/?start_date=2026-01-05&end_date=2026-01-06&timezone=Europe/London", "KEY"),
    get("/v1/timesheet_idle_times/?start_date=2026-01-05&end_date=2026-01-06&cursor=abc", "KEY"),
    get("/v1/screenshots/?user_id=01890a5d-ac96-774b-bcce-b302099a8057&date=2026-01-05", "KEY"),
    get("/v1/members/", "KEY", "Content-Length: 5") + b"hello",
    get("/v1/members/", "KEY", "Transfer-Encoding: chunked") + b"5\r\nhello\r\n0\r\n\r\n",
    get("/v1/members/?limit=1", "KEY") * 3,
    get("/v1/members/", None, "Origin: https://a.example").replace(b"GET", b"OPTIONS"),
]
PIECES = [
    *(b"\r\n", b"\n", b"\0", b"\xff", b" ", b"#", b"%", b"%00", b"%ff", b"&", b"=", b"+", b"/", b"//", b"..", b":"),
    *(b"get", b"POST", b"HTTP/2.0", b"-1", b"9" * 30, b"{}", b"[]", b"'", b'"', b"\xe2\x80\x8b", b"a" * 40_000),
    *(b"Content-Length: 7\r\n", b"Transfer-Encoding: chunked\r\n", b"Connection: close\r\n"),
]


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A request, some stretches of which are replaced, repeated or left out."""
    data = draw(st.sampled_from(REQUESTS))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = start + draw(st.integers(0, 12))
        put = draw(st.sampled_from([*PIECES, data[start:end] * 2, b""]) | st.binary(max_size=8))
        data = data[:start] + put + data[end:]
    return data


@given(data=damaged() | st.binary(min_size=1, max_size=300))
@example(data=b"\r\n")
@example(data=REQUESTS[0][:-2])
@settings(max_examples=examples(EXAMPLES), deadline=None, suppress_health_check=list(HealthCheck))
def test_damaged_requests_get_json_and_no_5xx(data: bytes, service: Serving, key: str) -> None:
    for status, body in exchange(service, data.replace(b"KEY", key.encode())):
        assert status in {200, 204, 400, 401, 404, 405}, body
        assert status in {200, 204} or json.loads(body)["error"]["request_id"]
    ((status, _),) = exchange(service, get("/v1/members/?limit=1", key))
    assert status == 200


def test_unparsable_requests_are_counted_and_logged(service: Serving) -> None:
    labels = ('operation="none"', 'status="400"')
    exchange(service, b"garbage\r\n\r\n")
    counted = metric_value(service, "orgdata_requests_total", *labels)
    refused = metric_value(service, "orgdata_refusals_total", 'code="VALIDATION_ERROR"')
    ((status, body),) = exchange(service, b"garbage\r\n\r\n")
    assert status == 400
    assert metric_value(service, "orgdata_requests_total", *labels) == counted + 1
    assert metric_value(service, "orgdata_refusals_total", 'code="VALIDATION_ERROR"') == refused + 1
    id_ = json.loads(body)["error"]["request_id"]
    (line,) = [json.loads(line) for line in service.log_text().splitlines() if id_ in line]
    assert (line["event"], line["status"], line["code"], line["statements"]) == ("request", 400, "VALIDATION_ERROR", 0)


ZONES = ["UTC", "Europe/London", "Asia/Calcutta", "EST5EDT", "Mars/Olympus", "zone.tab", "posixrules", "localtime"]


def test_time_zones_do_not_depend_on_the_host(
    service: Serving, owner_url: str, key: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answered(of: Serving) -> list[tuple[int, bytes]]:
        query = "start_date=2026-03-28&end_date=2026-03-30&timezone="
        return [
            (response.status_code, response.content.partition(b"request_id")[0])
            for response in (
                httpx.get(
                    f"{of.public}/v1/time_activity_reports/?{query}{zone}",
                    headers={"X-SERVICE-API-KEY": key},
                    timeout=TIMEOUT,
                )
                for zone in ZONES
            )
        ]

    usual = answered(service)
    assert [status for status, _ in usual] == [200] * 4 + [400] * 4
    monkeypatch.setenv("PYTHONTZPATH", "")
    with serving(folder, database_url=owner_url) as without:
        assert answered(without) == usual
