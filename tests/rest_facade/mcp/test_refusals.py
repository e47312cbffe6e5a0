"""Refusals over MCP: invalid keys, throttle, message sizes, messages that are none of JSON-RPC, the missing extra.

Covers `rest_facade/mcp/http.py`, `rest_facade/mcp/options.py`, `rest_facade/mcp/messages.py`
and `rest_facade/rest/json_body.py`.
"""

import io
import json
import subprocess
import sys
from pathlib import Path
from unittest.mock import AsyncMock

import orjson
import pytest
from mcp.shared.exceptions import MCPError

from db.errors import OperatorError
from rest_facade.commands.mcp import stdio
from rest_facade.composition import Service
from rest_facade.mcp.messages import INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR, fault_of
from rest_facade.mcp.options import ExtraMissing, tool_options
from rest_facade.rest.cors import Cors
from rest_facade.settings import load
from tests.errors import CHALLENGE, NO_API_KEY
from tests.factories.rows import Rows
from tests.rest_facade.access.clock import END, UNREACHABLE, freeze
from tests.rest_facade.conftest import Vary
from tests.rest_facade.mcp.clients import TIMEOUT, call_refused, connect_http, connect_stdio
from tests.rest_facade.mcp.endpoint import PING, direct, endpoint, post

UNKNOWN = "orgd_mcp_00000000_"
SETTINGS = {"DATABASE_URL": "postgresql://localhost/name", "SIGNING_KEYS": "a signing key of the tests"}

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}

MISSING = "MCP needs the extra `mcp`: run `make mcp`, or `pip install '.[mcp]'` in a checkout."


async def test_every_message_counts_for_the_key(service: Service, rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    app = endpoint(service, limit=3, clock=freeze(monkeypatch))
    own = rows.organization()
    async with direct(app, "10.200.0.3", rows.mcp_key(own)) as http:
        for body in ({"json": PING}, {"json": LIST}, {"json": "no message"}):
            assert (await http.post("/mcp", **body)).status_code in (200, 400)
        refused = await http.post("/mcp", json=PING)
    assert refused.status_code == 429
    assert refused.headers["retry-after"] == "30"
    assert [refused.headers[f"ratelimit-{name}"] for name in ("limit", "remaining", "reset")] == ["3", "0", str(END)]
    message = "Rate limit exceeded."
    error = {"code": "RATE_LIMIT_EXCEEDED", "message": message, "request_id": refused.headers["x-request-id"]}
    data = {"error": error | {"retry_after_seconds": 30}}
    expected = {"code": INVALID_REQUEST, "message": message, "data": data}
    assert refused.json() == {"jsonrpc": "2.0", "id": None, "error": expected}
    async with direct(app, "10.200.0.3", rows.mcp_key(own)) as http:
        assert (await http.post("/mcp", json=PING)).status_code == 200


async def test_message_that_cannot_be_counted_is_503(service: Service, rows: Rows) -> None:
    app = endpoint(service, storage=UNREACHABLE)
    async with direct(app, "10.200.0.4", rows.mcp_key(rows.organization())) as http:
        refused = await http.post("/mcp", json=PING)
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "5")
    assert refused.json()["error"]["data"]["error"]["code"] == "SERVICE_UNAVAILABLE"


async def test_tool_call_costs_a_message_and_a_request(service: Service, rows: Rows) -> None:
    own = rows.organization()
    rows.quota(own, 1)
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "listTeams", "arguments": {}}}
    async with direct(endpoint(service, limit=3), "10.200.0.5", rows.mcp_key(own, "teams:read")) as http:
        results = [(await http.post("/mcp", json=call)).json()["result"] for _ in range(3)]
        assert (await http.post("/mcp", json=call)).status_code == 429
    assert [result["isError"] for result in results] == [False, True, True]
    assert orjson.loads(results[1]["content"][0]["text"])["error"]["code"] == "RATE_LIMIT_EXCEEDED"


async def test_invalid_key_is_401_before_the_body(listener: str) -> None:
    for key in (None, UNKNOWN):
        answer = await post(listener, key, content=b"\xff no message at all")
        assert answer.status_code == 401
        message = NO_API_KEY if key is None else "Invalid API key."
        error = answer.json()["error"]
        assert (error["message"], error["data"]["error"]["code"]) == (message, "INVALID_API_KEY")
        assert answer.headers["www-authenticate"] == CHALLENGE
        assert answer.headers["cache-control"] == "no-store"


async def test_sdk_client_shows_the_refusal(listener: str) -> None:
    with pytest.RaisesGroup(pytest.RaisesExc(MCPError, match="Invalid API key"), flatten_subgroups=True):
        async with connect_http(listener, UNKNOWN, mode="legacy"):
            pass


async def test_unknown_key_is_refused_then_throttled(owner_url: str, tmp_path: Path) -> None:
    async with connect_stdio(owner_url, UNKNOWN, log=tmp_path / "log") as client:
        with pytest.raises(MCPError, match="Invalid API key"):
            await client.list_tools()
        # At most one window ends meanwhile.
        errors = [await call_refused(client, "listProjects") for _ in range(21)]
    assert errors[0] == {"code": "INVALID_API_KEY", "message": "Invalid API key."}
    throttled = next(error for error in errors if error["code"] != "INVALID_API_KEY")
    assert throttled["code"] == "AUTH_FAILURE_THROTTLE"
    assert 1 <= throttled["retry_after_seconds"] <= 60


async def test_both_protocol_modes_work(listener: str, rows: Rows) -> None:
    key = rows.mcp_key(rows.organization(), "teams:read")
    for mode in ("auto", "legacy"):
        async with connect_http(listener, key, mode=mode) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == ["listTeams", "listTeamMembers"]
            assert not (await client.call_tool("listTeams", {})).is_error


async def test_every_list_of_the_protocol_is_answered(listener: str, rows: Rows) -> None:
    for mode in ("auto", "legacy"):
        async with connect_http(listener, rows.mcp_key(rows.organization()), mode=mode) as client:
            assert (await client.list_prompts()).prompts == []
            assert (await client.list_resources()).resources == []
            assert (await client.list_resource_templates()).resource_templates == []


async def test_headers_of_other_clients_are_taken(service: Service, rows: Rows) -> None:
    client = {"protocolVersion": "2099-01-01", "capabilities": {}, "clientInfo": {"name": "new", "version": "1"}}
    initialize = orjson.dumps(PING | {"method": "initialize", "params": client})
    json = {"Content-Type": "application/json"}
    async with direct(endpoint(service), "10.200.0.10", rows.mcp_key(rows.organization())) as http:
        del http.headers["Accept"]
        for headers, content in [
            (json, orjson.dumps(PING)),
            (json | {"Accept": "text/event-stream"}, orjson.dumps(PING)),
            ({"Content-Type": "Application/JSON"}, orjson.dumps(PING)),
            (json | {"MCP-Protocol-Version": "2099-01-01"}, initialize),
        ]:
            answer = await http.post("/mcp", content=content, headers=headers)
            assert answer.status_code == 200, answer.text
            assert "result" in answer.json()
        other = await http.post("/mcp", content=initialize, headers=json | {"MCP-Protocol-Version": "1999-01-01"})
    assert other.status_code == 400


async def test_unknown_option_is_400(service: Service, rows: Rows) -> None:
    areas = "tools must be areas of people, work, time, activity, money, leaves, separated by commas; not 'pay'."
    async with direct(endpoint(service), "10.200.0.9", rows.mcp_key(rows.organization())) as http:
        for query, message in (("tools=people,pay", areas), ("structured=1", "structured must be true or false.")):
            answer = await http.post(f"/mcp?{query}", json=PING)
            assert answer.status_code == 400
            assert answer.json()["error"]["data"]["error"]["message"] == message


async def test_message_size_and_method_are_limited(listener: str, rows: Rows) -> None:
    key = rows.mcp_key(rows.organization())
    assert (await post(listener, key, json=PING)).status_code == 200
    assert (await post(listener, key, json=PING | {"params": {"_meta": {"x": "x" * 70_000}}})).status_code == 413
    assert (await post(listener, key, content=b"{", headers={"Content-Type": "application/json"})).status_code == 400
    for method in ("GET", "DELETE"):
        answer = await post(listener, key, method)
        assert (answer.status_code, answer.headers["allow"]) == (405, "POST, OPTIONS")


async def test_page_of_another_origin_is_403(service: Service, rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service.public, "cors", Cors(["https://own.example"]))
    async with direct(endpoint(service), "10.200.0.6", rows.mcp_key(rows.organization())) as http:
        refused = await http.post("/mcp", json=PING, headers={"Origin": "https://other.example"})
        assert (await http.post("/mcp", json=PING, headers={"Origin": "https://own.example"})).status_code == 200
    assert refused.status_code == 403
    assert "ORGDATA_CORS_ORIGINS" in refused.json()["error"]["message"]


@pytest.mark.parametrize("origin", ["https://own.example", "https://other.example"])
async def test_page_of_allowed_origin_may_call(
    origin: str, service: Service, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service.public, "cors", Cors(["https://own.example"], ["Retry-After"]))
    asked = {
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type,x-service-api-key",
    }
    async with direct(endpoint(service), "10.200.0.7", rows.mcp_key(rows.organization())) as http:
        preflight = await http.options("/mcp", headers={"Origin": origin, **asked, "X-SERVICE-API-KEY": ""})
        answers = [
            await http.post("/mcp", headers={"Origin": origin}, **given)
            for given in ({"json": PING}, {"json": "no message"}, {"content": b"{"})
        ]
    assert (preflight.status_code, preflight.content, preflight.headers["allow"]) == (204, b"", "POST, OPTIONS")
    is_own = origin == "https://own.example"
    assert preflight.headers.get("access-control-allow-methods") == ("POST, OPTIONS" if is_own else None)
    names = "X-SERVICE-API-KEY, content-type,x-service-api-key"
    assert preflight.headers.get("access-control-allow-headers") == (names if is_own else None)
    for answer in (preflight, *answers):
        assert answer.headers.get("access-control-allow-origin") == (origin if is_own else None)
        assert answer.headers.get("access-control-expose-headers") == ("Retry-After" if is_own else None)


async def test_refused_message_is_counted_and_logged_once(written: io.StringIO, vary: Vary, rows: Rows) -> None:
    own = rows.organization()
    key = rows.mcp_key(own, "teams:read")
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "listTeams", "arguments": {}}}
    async with vary() as service:
        service.public.cors = Cors(["https://own.example"])
        app = endpoint(service, limit=3)
        async with direct(app, "10.200.7.9", key) as http:
            answers = [
                await http.post("/mcp", json=PING, headers={"X-SERVICE-API-KEY": UNKNOWN, "X-Request-ID": "order-17"}),
                await http.post("/mcp", json=PING, headers={"Origin": "https://other.example"}),
                await http.get("/mcp"),
                await http.post("/mcp", content=b"{}"),
                await http.post("/mcp?tools=pay", json=PING),
            ]
            assert (await http.post("/mcp", json=call)).status_code == 200
            answers.append(await http.post("/mcp", json=call))
        metrics = service.public.metrics.exposition().decode()
    found = [json.loads(line) for line in written.getvalue().splitlines()]
    refused = [line for line in found if line["operation"] is None]
    assert [line["operation"] for line in found if line not in refused] == ["listTeams"]
    assert [line["request_id"] for line in refused] == [answer.headers["x-request-id"] for answer in answers]
    assert [line["status"] for line in refused] == [answer.status_code for answer in answers]
    assert [line["status"] for line in refused] == [401, 403, 405, 415, 400, 429]
    assert [line.get("address") for line in refused] == ["10.200.7.0/24", *[None] * 5]
    assert refused[0]["client_request_id"] == "order-17"
    assert [line["organization_id"] for line in refused] == [*[None] * 3, *[str(own)] * 3]
    assert [line["key"] for line in refused[3:]] == [key.split("_")[2]] * 3
    for line in refused:
        assert f'orgdata_requests_total{{operation="none",status="{line["status"]}",tier="none"}} 1.0' in metrics
        assert f'orgdata_refusals_total{{code="{line["code"]}"}} ' in metrics


async def test_failed_key_lookup_is_500(service: Service, rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service.public.keys, "caller", AsyncMock(side_effect=OSError("The database is away.")))
    async with direct(endpoint(service), "10.200.0.1", UNKNOWN) as http:
        answer = await http.post("/mcp", json=PING)
    assert answer.status_code == 500
    assert answer.json()["error"]["message"] == "An unexpected error occurred."


async def test_route_without_extra_is_501(service: Service, rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    async with direct(endpoint(service), "10.200.0.2", rows.mcp_key(rows.organization())) as http:
        answer = await http.post("/mcp", json=PING)
    assert (answer.status_code, answer.text) == (501, f"{MISSING}\n")


def test_command_without_extra_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    settings = load({name.lower(): value for name, value in {"MCP_KEY": UNKNOWN, **SETTINGS}.items()})
    with pytest.raises(ExtraMissing) as caught:
        stdio.serve_database(settings, tool_options())
    assert str(caught.value) == MISSING
    assert isinstance(caught.value, OperatorError)


@pytest.mark.process
def test_sdk_is_imported_inside_functions_only() -> None:
    program = "import sys, rest_facade.__main__; print({'mcp', 'mcp_types'} & set(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=TIMEOUT, check=True)
    assert ran.stdout == "set()\n"


BATCH = "Batches are not taken: send one message at a time."
JSON_ID = "id must be a string or an integer."
DEEP = b'{"id": 7, "a": %s%s}' % (b"[" * 300, b"]" * 300)
NO_JSON = "The message is not valid JSON in UTF-8."
NO_METHOD = "method must be a string."
CALL = PING | {"method": "tools/call"}
NO_OBJECT = "params must be an object."
NO_NAME = "params.name must be the name of a tool."
NO_ARGUMENTS = "params.arguments must be an object."


def test_message_that_is_none_is_refused_in_words_of_the_protocol() -> None:
    for message, code, text, id_ in [
        *((content, PARSE_ERROR, NO_JSON, None) for content in (b"", b"{", b'{"id": "\xe9"}', b"NaN", b"[" * 70_000)),
        *(
            (content, PARSE_ERROR, NO_JSON, 7)
            for content in (b'{"id": 7, "a": "\\ud83d"}', b'{"id": 7, "a": NaN}', DEEP)
        ),
        *((content, PARSE_ERROR, NO_JSON, None) for content in (b'{"id": "\\ud83d"}', b"[NaN]", b'{"id": [NaN]}')),
        *((content, INVALID_REQUEST, BATCH, None) for content in ([], [PING, PING])),
        *((content, INVALID_REQUEST, "The message must be a JSON object.", None) for content in (1, "x", None)),
        *((PING | {"id": id_}, INVALID_REQUEST, JSON_ID, None) for id_ in (None, 1.5, True, dict[str, str](), [1])),
        *((PING | {"jsonrpc": each}, INVALID_REQUEST, 'jsonrpc must be "2.0".', 1) for each in ("1.0", 2, None)),
        *((PING | {"method": each}, INVALID_REQUEST, NO_METHOD, 1) for each in (3, None)),
        ({"jsonrpc": "2.0", "id": "a"}, INVALID_REQUEST, NO_METHOD, "a"),
        *((PING | {"params": each}, INVALID_PARAMS, NO_OBJECT, 1) for each in ([1], [], "x", "", 0, False)),
        ({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": [1]}, INVALID_PARAMS, NO_OBJECT, None),
        *((CALL | {"params": each}, INVALID_PARAMS, NO_NAME, 1) for each in (None, {"name": 3}, {"arguments": None})),
        *(
            (CALL | {"params": {"name": "listTeams", "arguments": each}}, INVALID_PARAMS, NO_ARGUMENTS, 1)
            for each in ("{}", "", [], [1], 0, False)
        ),
    ]:
        content = message if isinstance(message, bytes) else orjson.dumps(message)
        assert fault_of(content) == (code, text, id_), content[:100]


def test_message_of_the_protocol_has_no_fault() -> None:
    call = CALL | {"params": {"name": "listTeams", "arguments": None}}
    for message in [call, PING, PING | {"params": None}, {"jsonrpc": "2.0", "id": 1, "result": {}}]:
        assert fault_of(orjson.dumps(message)) is None


async def test_refusal_is_a_response_if_the_id_is_known(service: Service, rows: Rows) -> None:
    async with direct(endpoint(service), "10.200.0.7", rows.mcp_key(rows.organization())) as http:
        answers = [await http.post("/mcp", json=message) for message in (PING | {"params": [1]}, [PING])]
        json = {"Content-Type": "application/json"}
        marked = await http.post("/mcp", content=b"\xef\xbb\xbf" + orjson.dumps(PING), headers=json)
        other = await http.post("/mcp", content=orjson.dumps(PING), headers={"Content-Type": "text/plain"})
    assert [answer.status_code for answer in answers] == [200, 400]
    assert answers[0].json() == {"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": NO_OBJECT}}
    assert answers[1].json() == {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": BATCH}}
    assert marked.json() == {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert other.status_code == 415
    assert other.json()["error"]["message"] == "Content-Type must be application/json."
