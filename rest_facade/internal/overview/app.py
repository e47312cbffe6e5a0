"""`/overview.json` on the internal listener: figures of the organizations that an internal token may read.

Authentication, throttle and quota are those of /graphql. Errors have the envelope of REST.
"""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from time import perf_counter
from typing import Any
from uuid import UUID

import orjson
import structlog
from psycopg.errors import UndefinedFunction
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from db.figures.organization_list import OrganizationPage, list_organizations_of
from db.reading.database import request_deadline
from db.reading.pool import PoolBusy
from rest_facade.access.authentication import InternalCaller
from rest_facade.access.quota import MINUTES, Quota, consume_or_refuse
from rest_facade.errors.envelope import Error, Refused
from rest_facade.errors.refusals import INTERNAL_ERROR, SERVICE_UNAVAILABLE, Code
from rest_facade.graphql.app import GraphQLApp
from rest_facade.graphql.errors import deadline_exceeded
from rest_facade.internal.overview.document import organization_entry, quota_entry, table_entries
from rest_facade.internal.overview.figures import FIGURES_TIMEOUT, FiguresReader
from rest_facade.internal.overview.instance_use import instance_use
from rest_facade.internal.overview.parameters import OverviewParameters, overview_parameters
from rest_facade.internal.overview.shared_cache import SharedCache
from rest_facade.rest.request import Request
from rest_facade.telemetry.worker_sockets import WorkerSockets

log = structlog.get_logger()

LIST_SECONDS = 10.0
"""Seconds for which a page of names is kept."""

MAX_LISTS = 200
"""Pages of names that one process keeps."""

GET_ONLY = Error(405, Code.METHOD_NOT_ALLOWED, "Method not allowed.", {"Allow": "GET"})
TRUSTED_DOCUMENTS_TOKEN = Error(
    403, Code.SCOPE_DENIED, "The token reads trusted documents only. Enter one without this limit."
)
TRUSTED_DOCUMENTS_SERVICE = Error(403, Code.SCOPE_DENIED, "This service answers trusted documents only.")
NOT_MIGRATED = Error(
    503,
    Code.SERVICE_UNAVAILABLE,
    "The database lacks the function organizations_of_token: run orgdata migrate with this version.",
)


class OverviewApp:
    """The ASGI application of /overview.json. It reads through the connections of /graphql.

    `quota`: that of REST, whose use is shown, in windows of `window` seconds. `sockets`: the other workers, if any.
    """

    def __init__(self, graphql: GraphQLApp, quota: Quota, window: int, sockets: WorkerSockets | None) -> None:
        self._graphql = graphql
        self._quota = quota
        self._window = window
        self._sockets = sockets
        self._figures = FiguresReader(graphql.database)
        self._pages: SharedCache[tuple[str, OverviewParameters], OrganizationPage] = SharedCache(
            MAX_LISTS, seconds=LIST_SECONDS, timeout=FIGURES_TIMEOUT
        )
        self._tables = table_entries()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = perf_counter()
        request = Request.from_scope(scope, self._graphql.trusted_proxies)
        headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "X-Request-ID": request.id}
        try:
            deadline = asyncio.get_running_loop().time() + self._graphql.deadline
            async with request_deadline(deadline) as timeout:
                body = orjson.dumps(await self._handle(request, headers), option=orjson.OPT_UTC_Z)
            status = 200
        except Exception as error:
            failure = INTERNAL_ERROR
            if isinstance(error, Refused):
                failure = error.error
            elif timeout.expired() and isinstance(error, TimeoutError):
                failure = deadline_exceeded(self._graphql.deadline)
            elif isinstance(error, PoolBusy):
                failure = SERVICE_UNAVAILABLE
            else:
                log.exception("overview failed", request_id=request.id)
            status, body = failure.status, failure.body(request.id)
            headers |= failure.headers
        await Response(body, status, headers, "application/json")(scope, receive, send)
        log.info("overview", request_id=request.id, status=status, ms=round((perf_counter() - started) * 1000, 1))

    async def _handle(self, request: Request, headers: dict[str, str]) -> Mapping[str, Any]:
        """The steps of a request. Adds to the headers of the response. Raises Refused."""
        await self._graphql.throttle.admit(request.address)
        if request.method != "GET":
            raise Refused(GET_ONLY)
        caller = await self._graphql.authenticate(request)
        await consume_or_refuse(self._graphql.counter, caller.public_id, self._graphql.quota, headers)
        if self._graphql.requested_documents.is_limited(caller):
            raise Refused(TRUSTED_DOCUMENTS_TOKEN if caller.trusted_documents_only else TRUSTED_DOCUMENTS_SERVICE)
        parameters = overview_parameters(request.query_values)
        page = await self._page(caller, parameters)
        return await self._document(page, parameters)

    async def _page(self, caller: InternalCaller, parameters: OverviewParameters) -> OrganizationPage:
        """The organizations of the page. Raises Refused (503) where the database is older than the service."""
        search, after, limit = parameters
        try:
            return await self._pages.get(
                (caller.public_id, parameters),
                lambda: list_organizations_of(
                    self._graphql.database, caller.public_id, search=search, after=after, size=limit
                ),
            )
        except UndefinedFunction as error:
            raise Refused(NOT_MIGRATED) from error

    async def _document(self, page: OrganizationPage, parameters: OverviewParameters) -> Mapping[str, Any]:
        ids: list[UUID] = [each.organization_id for each in page.organizations]
        use, figures = await asyncio.gather(
            instance_use(self._quota.use, self._sockets, ids), asyncio.gather(*map(self._figures.read, ids))
        )
        now = datetime.now(UTC)
        last = int(now.timestamp() // 60)
        minutes = range(last - MINUTES + 1, last + 1)
        results = []
        for organization, figure in zip(page.organizations, figures, strict=True):
            quotas = figure.quotas if figure is not None else None
            quota = quota_entry(use.by_organization[organization.organization_id], minutes, quotas, self._quota.limit)
            results.append(organization_entry(organization, figure, quota))
        return {
            "generated_at": now,
            "instance": {"workers": use.workers, "missing_workers": use.missing, "counted_since": use.since},
            "quota": {
                "window_seconds": self._window,
                "limit": self._quota.limit,
                "minutes": [datetime.fromtimestamp(minute * 60, UTC) for minute in minutes],
            },
            "tables": self._tables,
            "count": page.total,
            "next": parameters.next_page(ids[-1]) if page.has_next else None,
            "results": results,
        }
