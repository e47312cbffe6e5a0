"""Request log: one line per request with operation, caller and cost; no key, no path, no traceback of a refusal."""

import asyncio
import io
import json
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from db.admin.key_format import without_secrets
from rest_facade.errors.closed_connection import ClosedConnection
from rest_facade.rest.request import RequestState
from rest_facade.rest.request_log import RequestLog
from tests.conftest import Connect
from tests.factories.rows import Rows
from tests.helpers.waiting import becomes
from tests.rest_facade.conftest import Vary
from tests.rest_facade.graphql.locks import locked


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    """The lines since the last time."""
    found = [json.loads(line) for line in stream.getvalue().splitlines()]
    stream.seek(0)
    stream.truncate()
    return found


async def test_request_is_one_line(
    written: io.StringIO, vary: Vary, client: Connect, organization: UUID, key: str
) -> None:
    async with vary() as service, client(key, of=service) as http:
        first = await http.get("/v1/clients/?limit=1")
        second = await http.get("/v1/clients/")
    logged_lines = lines(written)
    assert [line.pop("timestamp")[-1] for line in logged_lines] == ["Z", "Z"]
    assert all(line.pop("ms") > 0 for line in logged_lines)
    assert logged_lines == [
        {"event": "request", "level": "info", "request_id": response.headers["x-request-id"], "status": 200}
        | {"operation": "listClients", "organization_id": str(organization), "key": key.split("_")[2]}
        | {"code": None, "statements": statements}
        # The first one reads the key, its organization and the quotas, too.
        for response, statements in ((first, 4), (second, 1))
    ]


async def test_ids_of_the_client_stand_beside_ours(written: io.StringIO, vary: Vary, client: Connect, key: str) -> None:
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    async with vary() as service, client(key, of=service) as http:
        for client_id, parent in [
            ("order-17_a", f"00-{trace}-00f067aa0ba902b7-01"),
            ("x" * 65, f"00-{'0' * 32}-00f067aa0ba902b7-01"),
            ('a" b', f"00-{trace}"),
            (key, ""),
        ]:
            await http.get("/v1/clients/", headers={"X-Request-ID": client_id, "traceparent": parent})
    named = [{name: line.get(name) for name in ("client_request_id", "trace_id")} for line in lines(written)]
    secret = without_secrets(key)
    assert secret.endswith("[redacted]")
    assert named == [
        {"client_request_id": "order-17_a", "trace_id": trace},
        {"client_request_id": None, "trace_id": None},
        {"client_request_id": None, "trace_id": None},
        {"client_request_id": secret, "trace_id": None},
    ]


async def test_refused_request_is_one_line(
    written: io.StringIO, vary: Vary, client: Connect, rows: Rows, organization: UUID, key: str
) -> None:
    rows.quota(organization, 3)
    public_id = key.split("_")[2]
    async with vary() as service, client(key, of=service) as http:
        for method, path in [
            ("GET", "/v1/nowhere/"),
            ("PUT", "/v1/clients/"),
            ("OPTIONS", "/v1/clients/"),
            ("GET", "/v1/clients/?limit=0"),
            ("GET", f"/v1/clients/{organization}/"),
            ("GET", "/v1/clients/"),
            ("GET", "/v1/clients/"),
        ]:
            await http.request(method, path)
        await http.get("/v1/clients/", headers={"X-SERVICE-API-KEY": f"{key}x"})
    async with vary() as service, client(rows.mcp_key(organization, "teams:read"), of=service) as http:
        await http.get("/v1/members/")
    logged_lines = lines(written)
    assert [(line["status"], line["operation"], line["code"], line["statements"]) for line in logged_lines] == [
        (404, None, "ROUTE_NOT_FOUND", 0),
        (405, None, "METHOD_NOT_ALLOWED", 0),
        (204, None, None, 0),
        (400, "listClients", "VALIDATION_ERROR", 3),
        (404, "retrieveClient", "RESOURCE_NOT_FOUND", 1),
        (200, "listClients", None, 1),
        (429, "listClients", "RATE_LIMIT_EXCEEDED", 0),
        (401, "listClients", "INVALID_API_KEY", 0),
        (403, "listMembers", "SCOPE_DENIED", 3),
    ]
    assert [line["key"] for line in logged_lines[:8]] == [None] * 3 + [public_id] * 4 + [None]
    assert all(line["level"] == "info" and "exception" not in line for line in logged_lines)


async def test_failed_request_is_an_error_line(
    written: io.StringIO, vary: Vary, client: Connect, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    traces: list[str] = []
    monkeypatch.setattr(
        "rest_facade.rest.app.log.exception", lambda event, **values: traces.append(values["request_id"]), raising=False
    )
    # Failures are logged with a share of 0, too.
    async with vary(request_log=0.0) as service, client(key, of=service) as http:
        assert (await http.get("/v1/clients/")).status_code == 200
        monkeypatch.setattr(service.database, "read_rows", None)
        response = await http.get("/v1/clients/")
    assert response.status_code == 500
    (line,) = lines(written)
    assert (line["level"], line["status"], line["code"]) == ("error", 500, "INTERNAL_ERROR")
    assert [line["request_id"]] == traces == [response.headers["x-request-id"]]


async def test_line_has_no_key_and_no_path(written: io.StringIO, vary: Vary, client: Connect, key: str) -> None:
    secret = key.split("_")[3][:32]
    encoded = key.replace("_", "%5F")
    paths = (f"?api_key={key}", f"?{key}=1", f"?{encoded}=1", f"?x{key}&page=1", f"{key}/", f"{encoded}/", f"../{key}/")
    names: list[dict[str, str]] = [{key: "1"}, {"X-Request-ID": key}, {"X-SERVICE-API-KEY": key[:-1]}]
    async with vary() as service, client(key, of=service) as http:
        answers = [await http.get(f"/v1/clients/{path}") for path in paths]
        answers += [await http.get("/v1/clients/", headers=headers) for headers in names]
        asked = {"Origin": "https://app.example.com", "Access-Control-Request-Headers": key}
        answers.append(await http.options("/v1/clients/", headers=asked | {"Access-Control-Request-Method": "GET"}))
    text = written.getvalue()
    assert len(lines(written)) == len(answers) == 11
    assert "/v1/" not in text and "orgd_" not in text.replace("orgd_live_[redacted]", "")
    told = text + "".join(f"{answer.headers} {answer.text}" for answer in answers)
    assert [part for start in range(25) if (part := secret[start : start + 8]) in told] == []


def test_sampling_threshold_is_exact(written: io.StringIO) -> None:
    for share, request_id, expected in [
        (1.0, "f" * 32, 1),
        (0.0, "0" * 32, 0),
        (0.5, "7" + "f" * 31, 1),
        (0.5, "8" + "0" * 31, 0),
    ]:
        RequestLog(share).write(request_id, RequestState(), 429, 0.001, None)
        assert len(lines(written)) == expected


@pytest.mark.parametrize(("why", "status"), [(ClosedConnection.CLIENT_LEFT, 499), ("shutdown", 500)])
async def test_cancelled_request_is_a_line_of_its_key(
    why: str, status: int, written: io.StringIO, vary: Vary, client: Connect, key: str, owner_url: str
) -> None:
    async with vary() as service, client(key, of=service) as http:
        with locked(owner_url, "clients"):
            asked = asyncio.create_task(http.get("/v1/clients/"))
            await becomes(lambda: service.public.in_progress)
            asked.cancel(why)
            # The client of the test misses the answer to one that left.
            await asyncio.gather(asked, return_exceptions=True)
            assert service.public.in_progress == {}
    (line,) = lines(written)
    assert (line["status"], line["operation"], line["key"]) == (status, "listClients", key.split("_")[2])


async def test_refused_key_is_logged_with_client(written: io.StringIO, vary: Vary, client: Connect, rows: Rows) -> None:
    key = rows.partner_key(rows.organization(), expires_at=datetime(2020, 1, 1, tzinfo=UTC))
    for log_addresses, shown in ((False, "10.0.0.0/24"), (True, "10.0.0.9")):
        async with vary(log_addresses=log_addresses) as service, client(key, "10.0.0.9", of=service) as http:
            await http.get("/v1/clients/")
            await http.get("/v1/clients/", headers={"X-SERVICE-API-KEY": f"{key}x"})
        found = [(line["status"], line["key"], line["address"]) for line in lines(written)]
        assert found == [(401, key.split("_")[2], shown), (401, None, shown)]
