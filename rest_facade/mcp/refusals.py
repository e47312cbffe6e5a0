"""Errors over MCP: the error envelope of /v1, with `retry_after_seconds` from the Retry-After header."""

from collections.abc import Mapping
from typing import Any

import orjson

from rest_facade.errors.envelope import Error

INVALID_REQUEST = -32600
"""The JSON-RPC error code of a message that is refused before it is a call of a tool."""


def envelope(body: bytes, headers: Mapping[str, str]) -> dict[str, Any]:
    """The envelope of an error response, complete without headers: models and most clients do not see those."""
    content: dict[str, Any] = orjson.loads(body)
    if "Retry-After" in headers:
        content["error"]["retry_after_seconds"] = int(headers["Retry-After"])
    return content


def rpc_error(error: Error, request_id: str) -> bytes:
    """A JSON-RPC error response with the envelope as its data."""
    rpc = {
        "code": INVALID_REQUEST,
        "message": error.message,
        "data": envelope(error.body(request_id), error.headers),
    }
    return orjson.dumps({"jsonrpc": "2.0", "id": None, "error": rpc})
