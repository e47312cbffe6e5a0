"""Messages that are none of JSON-RPC: each is refused in the words of the protocol.

Covers `rest_facade/mcp/messages.py` and `rest_facade/rest/json_body.py`.
"""

import orjson

from rest_facade.composition import Service
from rest_facade.mcp.messages import INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR, fault_of
from tests.factories.rows import Rows
from tests.rest_facade.mcp.endpoint import PING, direct, endpoint

BATCH = "Batches are not taken: send one message at a time."
JSON_ID = "id must be a string or an integer."
DEEP = b'{"id": 7, "a": %s%s}' % (b"[" * 300, b"]" * 300)
NO_JSON = "The message is not valid JSON in UTF-8."
NO_METHOD = "method must be a string."
NO_OBJECT = "params must be an object."


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
    ]:
        content = message if isinstance(message, bytes) else orjson.dumps(message)
        assert fault_of(content) == (code, text, id_), content[:100]


def test_message_of_the_protocol_has_no_fault() -> None:
    for message in [PING, PING | {"params": None}, {"jsonrpc": "2.0", "id": 1, "result": {}}]:
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
