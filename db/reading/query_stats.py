"""Counters of database use: of one pool, and of one request.

A request's counters are in a context variable, which also reaches the tasks that the request starts.
"""

from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(slots=True)
class QueryStats:
    """Statements, without the first one of each transaction; round trips; seconds of the round trips."""

    statements: int = 0
    round_trips: int = 0
    seconds: float = 0.0

    def add(self, statements: int, seconds: float) -> None:
        """Count one round trip."""
        self.statements += statements
        self.round_trips += 1
        self.seconds += seconds


request_stats: ContextVar[QueryStats | None] = ContextVar("request_stats", default=None)
"""The counters of the current request; None outside requests."""


def start_request_stats() -> QueryStats:
    """New counters for what this task, and tasks that it starts, read from now on."""
    stats = QueryStats()
    request_stats.set(stats)
    return stats
