"""Counters of database use: of one pool, and of one request, which also has the moment of its data.

A request's counters are in a context variable, which also reaches the tasks that the request starts.
"""

from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime


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

    def since(self, before: "QueryStats") -> "QueryStats":
        """What was counted after these counters had the values `before`."""
        return QueryStats(
            self.statements - before.statements, self.round_trips - before.round_trips, self.seconds - before.seconds
        )


@dataclass(slots=True)
class RequestStats(QueryStats):
    """The counters of a request, and the moment up to which its reads saw every change; None before the first read."""

    data_as_of: datetime | None = None

    def limit_data_as_of(self, moment: datetime) -> None:
        """Record the moment of one read (`db.reading.data_as_of`). The earliest of all reads counts."""
        if self.data_as_of is None or moment < self.data_as_of:
            self.data_as_of = moment


request_stats: ContextVar[RequestStats | None] = ContextVar("request_stats", default=None)
"""The counters of the current request; None outside requests."""


def start_request_stats() -> RequestStats:
    """New counters for what this task, and tasks that it starts, read from now on."""
    stats = RequestStats()
    request_stats.set(stats)
    return stats
