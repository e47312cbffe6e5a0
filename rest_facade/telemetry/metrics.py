"""Prometheus metrics: all of them are declared here.

Requests are counted when they are answered. Databases and key caches keep plain numbers, which are read at each
scrape. Label values form a fixed set: operations instead of paths, and no text of a client.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from functools import partial
from math import nan
from typing import Any, NamedTuple, TypeVar

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
from db.reading.hosts.host import HostState
from rest_facade.access.authentication import KeyCache
from rest_facade.errors.closed_connection import ClosedConnection
from rest_facade.errors.refusals import Code, GraphQLCode
from rest_facade.version import service_version

UNROUTED = ("none", "none")
"""Operation and tier of a request that reached no endpoint: throttled, unknown path, preflight."""

GRAPHQL = ("graphql", "graphql")
"""Operation and tier of all GraphQL requests, whatever the operation name in them is."""

DURATION_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
ROW_BUCKETS = (10, 50, 100, 500, 1000, 2500, 5000)

ObservedValue = tuple[type[CounterMetricFamily | GaugeMetricFamily], str, str, Callable[[Any], float]]
"""Type, name and help text of a metric that is read at each scrape, and the function that reads it."""

COUNTER, GAUGE = CounterMetricFamily, GaugeMetricFamily

DATABASE_METRICS: tuple[ObservedValue, ...] = (
    (COUNTER, "orgdata_sql_statements", "Statements", lambda of: of.query_stats.statements),
    (COUNTER, "orgdata_sql_round_trips", "Round trips to the database", lambda of: of.query_stats.round_trips),
    (COUNTER, "orgdata_sql_seconds", "Seconds of round trips", lambda of: of.query_stats.seconds),
    (
        GAUGE,
        "orgdata_pool_connections",
        "Connections that are open",
        lambda of: of.pool.queue.in_use + len(of.pool.idle),
    ),
    (GAUGE, "orgdata_pool_connections_max", "Connections at most", lambda of: of.pool.size),
    (GAUGE, "orgdata_pool_in_use", "Connections in use, or being made", lambda of: of.pool.queue.in_use),
    (GAUGE, "orgdata_pool_waiting", "Requests waiting for a connection", lambda of: of.pool.queue.waiting),
    (COUNTER, "orgdata_pool_timeouts", "Waits that got no connection", lambda of: of.pool.timeouts_total),
)
KEY_CACHE_METRICS: tuple[ObservedValue, ...] = (
    (COUNTER, "orgdata_key_cache_hits", "Keys found in the cache", lambda of: of.hits),
    (COUNTER, "orgdata_key_cache_misses", "Keys that had to be looked up", lambda of: of.misses),
)

LabelValue = TypeVar("LabelValue", bound=str)

UP = {HostState.up: 1.0, HostState.down: 0.0, HostState.unknown: nan}
"""The values of orgdata_database_host_up."""

# The `_created` series would add a line per counter.
disable_created_metrics()  # type: ignore[no-untyped-call]


class DocumentKind(StrEnum):
    """How a GraphQL call names its document, as the log and the metrics show it.

    text: sent with the call. persisted: by its hash, or sent to be kept by it. trusted: a document of the team.
    """

    text = "text"
    persisted = "persisted"
    trusted = "trusted"


class Series(NamedTuple):
    """The counters of one operation and status, looked up once instead of at each request."""

    requests: Counter
    seconds: Histogram


class Metrics(Collector):
    """The metrics of one service, in its own registry; `tiers` has the rate limit tier of each operation of /v1."""

    def __init__(self, tiers: Mapping[str, str]) -> None:
        registry = self._registry = CollectorRegistry()

        def counters(name: str, help_text: str, label: str, values: Iterable[LabelValue]) -> dict[LabelValue, Counter]:
            """A counter for each value of a label.

            They exist with 0 from the start: `rate` over a series that has just appeared misses its first step.
            """
            counter = Counter(name, help_text, [label], registry=registry)
            return {value: counter.labels(value) for value in values}

        histogram = partial(Histogram, registry=registry)
        labels = ["operation", "tier"]
        self._requests = Counter("orgdata_requests", "Requests answered", [*labels, "status"], registry=registry)
        seconds = "Seconds until an answer was ready to be sent"
        self._seconds = histogram("orgdata_request_seconds", seconds, labels, buckets=DURATION_BUCKETS)
        codes: Iterable[StrEnum] = (*Code, *GraphQLCode)
        self._refusals = counters("orgdata_refusals", "Requests refused, by error code", "code", codes)
        unknown = "Requests with a query parameter that their operation does not have"
        self.unknown_parameters = counters("orgdata_unknown_parameters", unknown, "operation", tiers)
        cuts = "Connections ended without an answer"
        self.connections_cut = counters("orgdata_connections_cut", cuts, "why", ClosedConnection)
        internal_cuts = "Connections of the internal listener ended without an answer"
        self.internal_connections_cut = counters(
            "orgdata_internal_connections_cut", internal_cuts, "why", ClosedConnection
        )
        rows = "Rows that a GraphQL document asks for at most, which is what its limit is about"
        self._rows = histogram("orgdata_graphql_rows", rows, buckets=ROW_BUCKETS)
        documents = "Documents found for GraphQL calls, by how the call named them"
        self._documents = counters("orgdata_graphql_documents", documents, "kind", DocumentKind)
        build = Info("orgdata_build", "The version that runs", registry=registry)
        build.info({"version": service_version()})
        ProcessCollector(registry=registry)
        self.databases: dict[str, Database] = {}
        """Those of the APIs (`rest`, `graphql`), and those of key look-ups (`keys`, `primary_keys`)."""
        self.key_caches: dict[str, KeyCache[Any]] = {}
        """By API."""
        self.is_store_up: Callable[[], bool] = lambda: True
        """Whether the quota store counts."""
        registry.register(self)
        self._series: dict[tuple[str, int], Series] = {}
        for operation, tier in tiers.items():
            self._series_of(operation, tier, 200)

    def collect(self) -> Iterator[Metric]:
        """The numbers that databases and key caches keep, labelled with the API that they belong to."""
        yield from _metrics_of(DATABASE_METRICS, self.databases)
        yield from _host_metrics(self.databases)
        yield from _metrics_of(KEY_CACHE_METRICS, self.key_caches)
        yield GaugeMetricFamily("orgdata_quota_store_up", "Whether the quota store counts", self.is_store_up())

    def count_request(
        self, operation: str, tier: str, status: int, seconds: float, code: StrEnum | None = None
    ) -> None:
        """Count a response; `code` is that of an error."""
        series = self._series.get((operation, status)) or self._series_of(operation, tier, status)
        series.requests.inc()
        series.seconds.observe(seconds)
        if code is not None:
            self._refusals[code].inc()

    def count_graphql(
        self,
        status: int,
        seconds: float,
        code: StrEnum | None = None,
        rows: int | None = None,
        kind: DocumentKind | None = None,
    ) -> None:
        """Count a GraphQL response; `rows` is the row limit that its document needs, if it was validated.

        `kind`: how the call named its document, if that was found.
        """
        self.count_request(*GRAPHQL, status, seconds, code)
        if rows is not None:
            self._rows.observe(rows)
        if kind is not None:
            self._documents[kind].inc()

    def exposition(self) -> bytes:
        """All metrics in the Prometheus text format."""
        return generate_latest(self._registry)

    def _series_of(self, operation: str, tier: str, status: int) -> Series:
        series = Series(self._requests.labels(operation, tier, status), self._seconds.labels(operation, tier))
        return self._series.setdefault((operation, status), series)


def _metrics_of(declared: Iterable[ObservedValue], sources: Mapping[str, object]) -> Iterator[Metric]:
    """One metric for each declared value, with a sample for each source."""
    for family, name, help_text, read in declared:
        metric = family(name, help_text, labels=["api"])
        for api, source in sources.items():
            metric.add_metric([api], read(source))
        yield metric


def _host_metrics(databases: Mapping[str, Database]) -> Iterator[Metric]:
    """The metrics that have another label beside the API."""
    gauge = partial(GaugeMetricFamily, labels=["api", "host"])
    up = gauge("orgdata_database_host_up", "Whether a database host answered last, NaN before it was tried")
    lag = gauge("orgdata_database_host_lag_seconds", "Seconds that a database host is behind the primary")
    connections = gauge("orgdata_database_host_connections", "Connections to a database host")
    repeated = CounterMetricFamily("orgdata_sql_repeated", "Reads that were run a second time", labels=["api", "cause"])
    for api, database in databases.items():
        for host, count in database.connections_by_host().items():
            connections.add_metric([api, host.label], count)
            up.add_metric([api, host.label], UP[host.state])
            if host.lag_seconds is not None:
                lag.add_metric([api, host.label], host.lag_seconds)
        for cause, number in database.repeated.items():
            repeated.add_metric([api, cause.value], number)
    yield from (up, connections, lag, repeated)
