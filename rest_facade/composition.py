"""The composition root: builds both applications from the settings."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.routing import Route

from db.admin.migrate import head
from db.reading.database import Database
from db.reading.hosts.database_check import check_database
from db.reading.hosts.monitor import MonitoredHosts
from resolvers.signed_urls import UrlSigner
from rest_facade.access.authentication import ApiKeys, InternalTokens
from rest_facade.access.counting_store import CountingStore
from rest_facade.access.key_databases import KeyDatabases
from rest_facade.access.quota import Quota, QuotaUse
from rest_facade.access.throttle import Throttle
from rest_facade.graphql.app import GraphQLApp
from rest_facade.graphql.concurrency_limit import ConcurrencyLimit
from rest_facade.graphql.point_quota import PointQuota
from rest_facade.graphql.requested_document import MAX_CACHED_BYTES, PersistedQueries, RequestedDocuments
from rest_facade.graphql.trusted_documents import TrustedDocuments
from rest_facade.graphql.unread_bytes import UnreadBytes
from rest_facade.internal.app import InternalApp
from rest_facade.internal.overview.app import OverviewApp
from rest_facade.internal.overview.instance_use import QUOTA_USE_REQUEST
from rest_facade.internal.overview.versions import versions_endpoint
from rest_facade.internal.pages import missing_page, routes
from rest_facade.internal.readiness import CHECK_TIMEOUT, Readiness
from rest_facade.mcp.http import McpEndpoint
from rest_facade.openapi.document import openapi
from rest_facade.openapi.errors import HEADERS as RESPONSE_HEADERS
from rest_facade.rest.app import RestApp
from rest_facade.rest.cors import Cors
from rest_facade.rest.endpoint import Router
from rest_facade.rest.links import TokenSigner
from rest_facade.rest.request_log import RequestLog
from rest_facade.rest.static_page import StaticPage
from rest_facade.settings import Settings
from rest_facade.telemetry.metrics import Metrics
from rest_facade.telemetry.worker_metrics import METRICS_REQUEST, read_metrics
from rest_facade.telemetry.worker_sockets import WorkerSockets
from rest_facade.tracing.choice import ServiceClasses, choose_service_classes
from rest_facade.v1 import ENDPOINTS
from schema.documents.cache import DocumentCache
from schema.documents.cost_limits import MAX_ROWS
from schema.execution.operation import Executor

KEY_CONNECTIONS = 2
"""Connections for key lookups alone: a flood of unknown keys can't use up those of requests. The primary of
ORGDATA_KEYS_DATABASE_URL gets as many."""

MAX_RUNNING_OPERATIONS, MAX_QUEUED_OPERATIONS = 4, 8
"""GraphQL operations of one process: how many run at a time, and how many wait in the queue."""

MAX_UNREAD_BYTES = 64 * 2**20
"""Bytes of GraphQL responses that a process has written and clients have not read; a token may have half of them."""


@dataclass(frozen=True)
class Service:
    """The applications of one process, and the connections that they need."""

    public: RestApp
    internal: Starlette
    database: Database
    key_database: Database
    checked_database: Database
    counting_store: CountingStore
    graphql: GraphQLApp
    readiness: Readiness
    primary_key_database: Database | None
    worker_sockets: WorkerSockets | None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Connect to the database, and answer the other workers, until the block ends."""
        async with AsyncExitStack() as stack:
            stack.push_async_callback(self.counting_store.close)
            databases = (self.database, self.key_database, self.primary_key_database, self.graphql.database)
            for database in (*databases, self.checked_database):
                if database is not None:
                    await database.open()
                    stack.push_async_callback(database.close)
            if self.worker_sockets is not None:
                exposition, use = self.public.metrics.exposition, self.public.quota.use.answer
                await self.worker_sockets.open({METRICS_REQUEST: lambda _: exposition(), QUOTA_USE_REQUEST: use})
                stack.callback(self.worker_sockets.close)
            yield


def build_service(
    settings: Settings,
    *,
    url: str,
    base_url: str,
    examples: Mapping[str, str] | None = None,
    classes: ServiceClasses | None = None,
    worker_sockets: WorkerSockets | None = None,
) -> Service:
    """The service over the database at `url`. `base_url` is what clients put before /v1/.

    `examples` are ids and days of that database for the OpenAPI document; `classes` replaces the parts of the service,
    for tracing; `worker_sockets` reach the other workers.
    """
    classes = classes or choose_service_classes()
    counting_store = CountingStore(settings.quota_store.get_secret_value(), grace=settings.quota_store_grace)
    hosts = {"database_hosts": MonitoredHosts(url, max_lag=settings.replica_max_lag)}
    limits: dict[str, Any] = {
        "pool_timeout": settings.pool_wait,
        "statement_timeout": settings.statement_timeout,
        "prepare_threshold": settings.prepare_threshold,
        "tenant_share": settings.pool_tenant_share,
    }
    database = classes.database(hosts["database_hosts"], size=settings.pool_size, **limits)
    key_database = classes.database(hosts["database_hosts"], size=KEY_CONNECTIONS, **limits)
    # A connection of its own: a locked table, for which the requests wait, makes no instance unready.
    short_wait = limits | {"pool_timeout": min(settings.pool_wait, CHECK_TIMEOUT / 2)}
    checked_database = Database(hosts["database_hosts"], size=1, **short_wait)
    primary: Database | None = None
    if settings.keys_database_url is not None:
        hosts["keys_database_hosts"] = MonitoredHosts(settings.keys_database_url.get_secret_value())
        primary = classes.database(hosts["keys_database_hosts"], size=KEY_CONNECTIONS, **limits)
    key_databases = KeyDatabases(key_database, primary)
    keys = ApiKeys(key_databases)
    metrics, use = Metrics({each.operation: each.envelope.tier for each in ENDPOINTS}), QuotaUse()
    metrics.is_store_up = counting_store.is_up
    # A pool of its own, so that its queries don't delay REST.
    graphql_database = classes.database(hosts["database_hosts"], size=settings.graphql_pool_size, **limits)
    graphql = classes.graphql(
        database=graphql_database,
        executor=Executor(graphql_database, url_signer(settings)),
        tokens=InternalTokens(key_databases),
        throttle=Throttle(counting_store.failure_window("graphql-throttle")),
        counter=counting_store.counter("graphql-quota", settings.quota_window),
        quota=settings.graphql_quota,
        points=PointQuota(
            counting_store.counter("graphql-points", settings.quota_window),
            settings.graphql_points or settings.graphql_quota * MAX_ROWS,
        ),
        use=use,
        documents=DocumentCache(introspection=settings.graphql_introspection),
        requested_documents=RequestedDocuments(
            TrustedDocuments(key_databases),
            PersistedQueries(MAX_CACHED_BYTES) if settings.graphql_persisted_queries else None,
            trusted_only=settings.graphql_trusted_documents_only,
        ),
        concurrency_limit=ConcurrencyLimit(
            running=MAX_RUNNING_OPERATIONS,
            waiting=MAX_QUEUED_OPERATIONS,
            heavy=min(graphql_database.heavy_limit, MAX_RUNNING_OPERATIONS // 2),
            unread=UnreadBytes(MAX_UNREAD_BYTES),
        ),
        metrics=metrics,
        deadline=settings.graphql_deadline,
        introspection=settings.graphql_introspection,
        trusted_proxies=settings.trusted_proxies,
    )
    metrics.databases |= {"rest": database, "graphql": graphql.database, "keys": key_database}
    if primary is not None:
        metrics.databases["primary_keys"] = primary
    metrics.key_caches |= {"rest": keys, "graphql": graphql.tokens}

    quota_counter = counting_store.counter("quota", settings.quota_window)
    document = openapi(ENDPOINTS, base_url=base_url, examples=examples)
    pages: Mapping[bytes, StaticPage] = {}
    if settings.public_docs:
        from rest_facade.site.public import public_pages  # noqa: PLC0415 - the site's libraries take a while

        pages = public_pages(document)
    public = classes.public(
        endpoints=Router(ENDPOINTS),
        throttle=Throttle(counting_store.failure_window("throttle")),
        keys=keys,
        quota=Quota(quota_counter, settings.quota_limit, use),
        signer=TokenSigner([key.get_secret_value() for key in settings.signing_keys]),
        cors=Cors(settings.cors_origins, RESPONSE_HEADERS),
        executor=Executor(database, url_signer(settings)),
        settings=settings,
        metrics=metrics,
        request_log=RequestLog(settings.request_log, has_addresses=settings.log_addresses),
        base_url=base_url,
        pages=pages,
        lifespan=lambda _: service.running(),
    )
    check = partial(check_database, checked_database, head())
    readiness = Readiness({"database": check, "quota_store": counting_store.ping}, hosts=hosts)
    mcp_counter = counting_store.counter("mcp-quota", settings.quota_window)
    mcp = Route("/mcp", McpEndpoint(public, mcp_counter, settings.mcp_quota))
    if settings.public_mcp:
        public.router.routes.append(mcp)
    internal_pages = [
        mcp,
        *routes(document),
        Route("/overview.json", OverviewApp(graphql, public.quota, settings.quota_window, worker_sockets)),
        Route("/versions.json", versions_endpoint(graphql.database)),
        Route("/graphql", graphql),  # after its page, which takes requests for HTML
        missing_page(),
    ]
    exposition = partial(read_metrics, metrics, worker_sockets)
    cuts = metrics.internal_connections_cut
    internal = InternalApp(readiness, exposition, internal_pages, lambda why: cuts[why].inc())
    service: Service = Service(
        public=public,
        internal=internal,
        database=database,
        key_database=key_database,
        checked_database=checked_database,
        counting_store=counting_store,
        graphql=graphql,
        readiness=readiness,
        primary_key_database=primary,
        worker_sockets=worker_sockets,
    )
    return service


def url_signer(settings: Settings) -> UrlSigner | None:
    """The signer of screenshots' URLs; None if no object store is configured."""
    if settings.screenshot_url is None or settings.screenshot_key is None:
        return None
    return UrlSigner(settings.screenshot_url, settings.screenshot_key.get_secret_value())
