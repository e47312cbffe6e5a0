"""Request log: one line per request, sampled; failed requests (5xx) are always logged.

A line has neither the key nor the path, which can contain any text of the client. Of the names of unknown parameters it
has what their header shows.
"""

from datetime import UTC, datetime
from enum import StrEnum

from rest_facade.rest.request_state import RequestState
from rest_facade.telemetry.logging import event_writer

SAMPLING_DIGITS = 8
"""Hexadecimal digits of the request id that decide whether the request is sampled."""


class RequestLog:
    """Writes a line for a `share` of requests, 0 to 1, and for each failed one."""

    def __init__(self, share: float) -> None:
        self._threshold = round(share * 16**SAMPLING_DIGITS)
        self._write_event = event_writer()

    def write(self, request_id: str, state: RequestState, status: int, seconds: float, code: StrEnum | None) -> None:
        """Write the line of an answered request, if it is sampled or failed."""
        failed = status >= 500
        if not failed and int(request_id[:SAMPLING_DIGITS], 16) >= self._threshold:
            return
        endpoint, caller = state.endpoint, state.caller
        level = "error" if failed else "info"
        unknown = {} if state.unknown_parameters is None else {"unknown_parameters": state.unknown_parameters}
        self._write_event(
            level,
            {
                "request_id": request_id,
                "operation": endpoint.operation if endpoint is not None else None,
                "organization_id": caller.organization if caller is not None else None,
                "key": caller.public_id if caller is not None else None,
                "status": status,
                "code": code,
                "ms": round(seconds * 1000, 2),
                "statements": state.query_stats.statements,
                **unknown,
                "event": "request",
                "level": level,
                "timestamp": datetime.now(UTC).isoformat().replace("+00:00", "Z"),
            },
        )
