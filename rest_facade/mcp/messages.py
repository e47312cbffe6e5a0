"""Messages of JSON-RPC as they come, before the SDK reads them: what is none is refused in the protocol's words.

The SDK answers such a message with a text of its parser, or over standard output with nothing at all.
"""

import json
from contextlib import suppress
from typing import Any, NamedTuple

import orjson
from pydantic_core import from_json

PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS = -32700, -32600, -32602
"""Codes of errors (JSON-RPC 2.0, 5.1)."""


class Fault(NamedTuple):
    """The error of a message that is not answered otherwise. `id` is that of the request, if it can be read."""

    code: int
    message: str
    id: str | int | None = None

    def response(self, data: object = None) -> bytes:
        """The response, as JSON."""
        error = {"code": self.code, "message": self.message} | ({} if data is None else {"data": data})
        return orjson.dumps({"jsonrpc": "2.0", "id": self.id, "error": error})


def fault_of(message: bytes) -> Fault | None:
    """The fault of a message that is no request, notification or response; None if it is one."""
    try:
        content: Any = orjson.loads(message)
        from_json(message)  # the parser of the SDK, which takes fewer levels
    except ValueError:
        return Fault(PARSE_ERROR, "The message is not valid JSON in UTF-8.", _id_of(message))
    if isinstance(content, list):
        return Fault(INVALID_REQUEST, "Batches are not taken: send one message at a time.")
    if not isinstance(content, dict):
        return Fault(INVALID_REQUEST, "The message must be a JSON object.")
    given = content.get("id")
    has_id = isinstance(given, str | int) and not isinstance(given, bool)
    if "id" in content and "method" in content and not has_id:
        return Fault(INVALID_REQUEST, "id must be a string or an integer.")
    id_ = given if has_id else None
    if content.get("jsonrpc") != "2.0":
        return Fault(INVALID_REQUEST, 'jsonrpc must be "2.0".', id_)
    if not isinstance(content.get("method", "response"), str) or not content.keys() & {"method", "result", "error"}:
        return Fault(INVALID_REQUEST, "method must be a string.", id_)
    if not isinstance(params := content.get("params"), dict | None):
        return Fault(INVALID_PARAMS, "params must be an object.", id_)
    call = (params or {}) if content.get("method") == "tools/call" else {"name": ""}
    if not isinstance(call.get("name"), str):
        return Fault(INVALID_PARAMS, "params.name must be the name of a tool.", id_)
    if not isinstance(call.get("arguments"), dict | None):
        return Fault(INVALID_PARAMS, "params.arguments must be an object.", id_)
    return None


def _id_of(message: bytes) -> str | int | None:
    """The id of a message that is no JSON for NaN, half a surrogate pair or its depth: a client waits for it."""
    with suppress(ValueError, LookupError, TypeError, RecursionError):
        id_ = json.loads(message)["id"]
        orjson.dumps(id_)
        return id_ if isinstance(id_, str | int) and not isinstance(id_, bool) else None
    return None
