"""A line in the log for each request: what an operator looks for when somebody names a request id, and no more.

Neither the key nor the path stands in it: the path may hold whatever a client wrote there.
"""

import structlog

from rest_facade.rest.errors import Code
from rest_facade.rest.request_state import RequestState

HEX_DIGITS = 8
"""Digits of a request's id that decide whether it is logged: as good as a die, and the same for all who see the id."""


class RequestLog:
    """Writes the line of a `share` of requests, 0 to 1; a request that failed always has one."""

    def __init__(self, share: float) -> None:
        self._below = round(share * 16**HEX_DIGITS)
        # Bound once: to put a logger together costs more than to use it.
        self._log = structlog.get_logger().bind()

    def write(self, request_id: str, record: RequestState, status: int, seconds: float, code: Code | None) -> None:
        """Write the line of a request that is answered."""
        failed = status >= 500
        if not failed and int(request_id[:HEX_DIGITS], 16) >= self._below:
            return
        endpoint, caller = record.endpoint, record.caller
        line = self._log.error if failed else self._log.info
        line(
            "request",
            request_id=request_id,
            operation=endpoint.operation if endpoint is not None else None,
            organization_id=str(caller.organization_id) if caller is not None else None,
            key=caller.public_id if caller is not None else None,
            status=status,
            code=code,
            ms=round(seconds * 1000, 2),
            statements=record.query_stats.statements,
        )
