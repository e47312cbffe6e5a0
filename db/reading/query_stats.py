"""What was asked of the database: of one request, of one pool.

A request begins a tally of its own. Whatever reads for it, in tasks that it starts too, finds that in the context and
adds to it, so that nobody on the way has to hand it on.
"""

from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(slots=True)
class QueryStats:
    """Statements, but for the one before them that says for whom they are; round trips; seconds of those."""

    statements: int = 0
    round_trips: int = 0
    seconds: float = 0.0

    def add(self, statements: int, seconds: float) -> None:
        """Add one round trip."""
        self.statements += statements
        self.round_trips += 1
        self.seconds += seconds


request_stats: ContextVar[QueryStats | None] = ContextVar("own", default=None)
"""The tally of the request that is being answered, if there is one."""


def start_request_stats() -> QueryStats:
    """A tally of what this task reads from now on, and the tasks that it starts."""
    tally = QueryStats()
    request_stats.set(tally)
    return tally
