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
    data_as_of: datetime | None = None
    """The moment up to which all reads of a request saw every change (`db.reading.data_as_of`); None before them."""

    def add(self, statements: int, seconds: float, data_as_of: datetime | None = None) -> None:
        """Count one round trip. `data_as_of`: the moment of its read; the earliest of all reads counts."""
        self.statements += statements
        self.round_trips += 1
        self.seconds += seconds
        if data_as_of is not None and (self.data_as_of is None or data_as_of < self.data_as_of):
            self.data_as_of = data_as_of

    def since(self, before: "QueryStats") -> "QueryStats":
        """What was counted after these counters had the values `before`."""
        return QueryStats(
            self.statements - before.statements, self.round_trips - before.round_trips, self.seconds - before.seconds
        )


request_stats: ContextVar[QueryStats | None] = ContextVar("request_stats", default=None)
"""The counters of the current request; None outside requests."""


def start_request_stats() -> QueryStats:
    """New counters for what this task, and tasks that it starts, read from now on."""
    stats = QueryStats()
    request_stats.set(stats)
    return stats
