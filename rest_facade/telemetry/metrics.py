"""What an operator can watch: every metric is declared here, and nowhere else.

Requests are counted as they are answered. The database and the cache of keys count for themselves, in plain numbers,
which are read when somebody asks. The values of all labels are known beforehand: operations, never paths; nothing
of what a client sent.
"""

from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import Any, NamedTuple

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    Info,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from db.reading.database import Database
from rest_facade.access.authentication import KeyCache
from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.errors import Code
from rest_facade.server.connection_limit import ClosedConnection
from rest_facade.v1 import ENDPOINTS

NO_ENDPOINT = "none"
"""Operation and tier of a request that came to no endpoint: throttled, an unknown path, a preflight."""

GRAPHQL_LABEL = "graphql"
"""Operation and tier of the calls of internal teams, whatever they name what they ask."""

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
ROWS = (10, 50, 100, 500, 1000, 2500, 5000)

ObservedValue = tuple[type[CounterMetricFamily | GaugeMetricFamily], str, str, Callable[[Any], float]]
"""A kind, a name, what it means, and how it is read."""

OF_A_DATABASE: tuple[ObservedValue, ...] = (
    (CounterMetricFamily, "orgdata_sql_statements", "Statements", lambda of: of.query_stats.statements),
    (
        CounterMetricFamily,
        "orgdata_sql_round_trips",
        "Round trips to the database",
        lambda of: of.query_stats.round_trips,
    ),
    (CounterMetricFamily, "orgdata_sql_seconds", "Seconds of round trips", lambda of: of.query_stats.seconds),
    (GaugeMetricFamily, "orgdata_pool_connections", "Connections that are open", lambda of: of.pool_stats().size),
    (GaugeMetricFamily, "orgdata_pool_connections_max", "Connections at most", lambda of: of.pool_stats().max_size),
    (GaugeMetricFamily, "orgdata_pool_in_use", "Connections in use, or being made", lambda of: of.pool_stats().in_use),
    (
        GaugeMetricFamily,
        "orgdata_pool_waiting",
        "Requests waiting for a connection",
        lambda of: of.pool_stats().waiting,
    ),
    (CounterMetricFamily, "orgdata_pool_timeouts", "Waits that got no connection", lambda of: of.pool_stats().timeouts),
)
OF_KEYS: tuple[ObservedValue, ...] = (
    (CounterMetricFamily, "orgdata_key_cache_hits", "KeyCache found in the cache", lambda of: of.hits),
    (CounterMetricFamily, "orgdata_key_cache_misses", "KeyCache that had to be looked up", lambda of: of.misses),
)

# When a counter began is nothing that an operator asks, and would be a line more for each.
disable_created_metrics()  # type: ignore[no-untyped-call]


class Series(NamedTuple):
    """What counts one answer: found once for each operation and status, not for each request."""

    requests: Counter
    seconds: Histogram


class Metrics:
    """The metrics of one service, in a registry of its own."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "orgdata_requests", "Requests answered", ["operation", "tier", "status"], registry=self._registry
        )
        self._seconds = Histogram(
            "orgdata_request_seconds",
            "Seconds until an answer was ready to be sent",
            ["operation", "tier"],
            buckets=SECONDS,
            registry=self._registry,
        )
        refusals = Counter("orgdata_refusals", "Requests refused, by error code", ["code"], registry=self._registry)
        cuts = Counter(
            "orgdata_connections_cut", "Connections ended without an answer", ["why"], registry=self._registry
        )
        self._rows = Histogram(
            "orgdata_graphql_rows",
            "Rows that a GraphQL document asks for at most, which is what its limit is about",
            buckets=ROWS,
            registry=self._registry,
        )
        Info("orgdata_build", "The version that runs", registry=self._registry).info(
            {"version": version("orgdata-service")}
        )
        ProcessCollector(registry=self._registry)
        self._readings = _Readings()
        self._registry.register(self._readings)
        # Zeros are told from the start: a rate over a counter that has just appeared misses its first step.
        self._refusals = {code: refusals.labels(code) for code in Code}
        self._cuts = {why: cuts.labels(why) for why in ClosedConnection}
        self._series: dict[tuple[str, int], Series] = {}
        for endpoint in ENDPOINTS:
            self._series_of(endpoint.operation, endpoint.envelope.tier, 200)

    def watch(self, api: str, database: Database, keys: KeyCache) -> None:
        """Read, when somebody asks, what the database and the cache of keys behind an API have counted."""
        self._readings.watched[api] = (database, keys)

    def answered(self, endpoint: Endpoint | None, status: int, seconds: float, code: Code | None) -> None:
        """Count an answer of the public listener; `code` where it is an error."""
        if endpoint is None:
            self._count(NO_ENDPOINT, NO_ENDPOINT, status, seconds, code)
        else:
            self._count(endpoint.operation, endpoint.envelope.tier, status, seconds, code)

    def cut(self, why: ClosedConnection) -> None:
        """Count a connection of the public listener that was ended without an answer, or in the middle of one."""
        self._cuts[why].inc()

    def called(self, status: int, seconds: float, code: Code | None = None, rows: int | None = None) -> None:
        """Count a call of /graphql; `rows` is the size of its document, if it came to that."""
        self._count(GRAPHQL_LABEL, GRAPHQL_LABEL, status, seconds, code)
        if rows is not None:
            self._rows.observe(rows)

    def written(self) -> bytes:
        """All of it, in the text format of Prometheus."""
        return generate_latest(self._registry)

    def _count(self, operation: str, tier: str, status: int, seconds: float, code: Code | None) -> None:
        series = self._series.get((operation, status)) or self._series_of(operation, tier, status)
        series.requests.inc()
        series.seconds.observe(seconds)
        if code is not None:
            self._refusals[code].inc()

    def _series_of(self, operation: str, tier: str, status: int) -> Series:
        series = Series(self._requests.labels(operation, tier, status), self._seconds.labels(operation, tier))
        return self._series.setdefault((operation, status), series)


class _Readings(Collector):
    """What others count for themselves, by the name of the API that they are behind."""

    def __init__(self) -> None:
        self.watched: dict[str, tuple[Database, KeyCache]] = {}

    def collect(self) -> Iterator[Metric]:
        for at, readings in enumerate((OF_A_DATABASE, OF_KEYS)):
            for family, name, meaning, read in readings:
                metric = family(name, meaning, labels=["api"])
                for api, watched in self.watched.items():
                    metric.add_metric([api], read(watched[at]))
                yield metric
