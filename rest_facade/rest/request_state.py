"""The state of a request in progress, for metrics, logs and spans."""

from dataclasses import dataclass, field
from time import perf_counter

from db.reading.query_stats import QueryStats, start_request_stats
from rest_facade.access.authentication import Caller
from rest_facade.access.rate_counter import Count
from rest_facade.rest.endpoint import Endpoint


@dataclass(slots=True)
class RequestState:
    """Created when a request begins, filled in by its steps. What belongs to a step not reached is None."""

    started: float = field(default_factory=perf_counter)
    query_stats: QueryStats = field(default_factory=start_request_stats)
    endpoint: Endpoint | None = None
    caller: Caller | None = None
    count: Count | None = None
    unknown_parameters: str | None = None
    """The value of the header that names them."""
