"""Request log: one line per request, sampled; failed requests (5xx) are always logged.

A line has neither the key nor the path, which can contain any text of the client. Of the names of unknown parameters it
has what their header shows. That of a refused key has the client's address and, where the key is well-formed, its
public id: an operator finds who still uses a key that was revoked. Ids that the client gave stand beside ours.
"""

from datetime import UTC, datetime
from enum import StrEnum

import structlog

from db.admin.key_format import MAX_KEY_LENGTH, parse_key
from rest_facade.access.client_address import shortened_address
from rest_facade.rest.request import Request, RequestState

SAMPLING_DIGITS = 8
"""Hexadecimal digits of the request id that decide whether the request is sampled."""


class RequestLog:
    """Writes a line for a `share` of requests, 0 to 1, and for each failed one.

    It skips what a logger does for any event, with the configuration of the moment when it is made: so a line has its
    level and timestamp, and no text of a client that would have to be redacted. `has_addresses`: whether the addresses
    in it are whole.
    """

    def __init__(self, share: float, *, has_addresses: bool = False) -> None:
        self._has_addresses = has_addresses
        self._threshold = round(share * 16**SAMPLING_DIGITS)
        configuration = structlog.get_config()
        renderers = (structlog.processors.JSONRenderer, structlog.dev.ConsoleRenderer)
        self._render = next(each for each in configuration["processors"] if isinstance(each, renderers))
        self._write = configuration["logger_factory"]().msg

    def write(self, request_id: str, state: RequestState, status: int, seconds: float, code: StrEnum | None) -> None:
        """Write the line of an answered request, if it is sampled or failed."""
        failed = status >= 500
        if not failed and int(request_id[:SAMPLING_DIGITS], 16) >= self._threshold:
            return
        endpoint, caller = state.endpoint, state.caller
        level = "error" if failed else "info"
        unknown = {} if state.unknown_parameters is None else {"unknown_parameters": state.unknown_parameters}
        event = {
            "request_id": request_id,
            **state.client_ids,
            "operation": endpoint.operation if endpoint is not None else None,
            "organization_id": caller.organization if caller is not None else None,
            "key": caller.public_id if caller is not None else None,
            "status": status,
            "code": code,
            "ms": round(seconds * 1000, 2),
            "statements": state.query_stats.statements,
            **unknown,
            **({} if state.refused is None else self._refused_key(state.refused)),
            "event": "request",
            "level": level,
            "timestamp": datetime.now(UTC).isoformat().replace("+00:00", "Z"),
        }
        self._write(self._render(None, level, event))

    def _refused_key(self, request: Request) -> dict[str, str | None]:
        """The public id of a well-formed key that was refused, and the address that sent it."""
        text = request.key or ""
        key = parse_key(text) if len(text) <= MAX_KEY_LENGTH else None
        address = request.address if self._has_addresses else shortened_address(request.address)
        return {"key": key.public_id if key is not None else None, "address": address}
