"""How a refusal is told over MCP: as the envelope of /v1, with what its headers say about trying again."""

from collections.abc import Mapping
from typing import Any

import orjson

from rest_facade.rest.errors import Error

INVALID_REQUEST = -32600
"""The code of JSON-RPC for what is refused before it is a call of a tool."""


def envelope(body: bytes, headers: Mapping[str, str]) -> dict[str, Any]:
    """The envelope of an error that was answered. Neither models nor most clients see headers."""
    told: dict[str, Any] = orjson.loads(body)
    if "Retry-After" in headers:
        told["error"]["retry_after_seconds"] = int(headers["Retry-After"])
    return told


def rpc_error(error: Error, request_id: str) -> bytes:
    """A refused message, as the client can show it."""
    told = {
        "code": INVALID_REQUEST,
        "message": error.message,
        "data": envelope(error.body(request_id), error.headers),
    }
    return orjson.dumps({"jsonrpc": "2.0", "id": None, "error": told})
