"""`/graphql` on the internal listener: any operation of the schema, within limits, on one organization a call.

`GraphQLApp.handle` is the life of a call, one line for each step. A step passes the call on or raises `Refused`. Errors
have the shape of GraphQL errors, with the codes of REST. A document that can't be executed is 400 or 200, depending on
the media type that the client accepts (GraphQL over HTTP, section 6).
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from ipaddress import IPv4Network, IPv6Network
from time import perf_counter
from typing import Any
from uuid import UUID

import orjson
import structlog
from graphql import ExecutionResult, GraphQLError
from starlette.datastructures import Headers
from starlette.types import Receive, Scope, Send

from db.reading.database import Database, request_deadline
from db.reading.key_statements import ACTIVE_ORGANIZATION
from db.reading.pool import PoolBusy
from db.reading.query_stats import start_request_stats
from rest_facade.access.authentication import InternalCaller, InternalTokens
from rest_facade.access.quota import GRAPHQL_GROUP, QuotaUse, consume_or_refuse
from rest_facade.access.rate_counter import RateCounter
from rest_facade.access.throttle import Throttle
from rest_facade.errors.closed_connection import CLIENT_LEFT_STATUS, has_client_left
from rest_facade.errors.envelope import Error, Refused
from rest_facade.errors.refusals import INTERNAL_ERROR, SERVICE_UNAVAILABLE, invalid, not_found
from rest_facade.graphql.call import GraphQLCall, GraphQLResponse
from rest_facade.graphql.concurrency_limit import ConcurrencyLimit
from rest_facade.graphql.errors import (
    WRONG_METHOD,
    WRONG_ORGANIZATION,
    deadline_exceeded,
    error_entry,
    is_expected,
    is_time_limit,
    refusal_entry,
)
from rest_facade.graphql.http_request import (
    GRAPHQL_MEDIA_TYPE,
    GraphQLRequest,
    media_type,
    parse_parameters,
    parse_request,
)
from rest_facade.graphql.point_quota import PointQuota
from rest_facade.graphql.requested_document import RequestedDocuments
from rest_facade.graphql.unread_bytes import DrainedResponse
from rest_facade.rest.json_body import read_body, require_json
from rest_facade.rest.request import DATA_AS_OF_HEADER, Request, data_as_of
from rest_facade.telemetry.metrics import Metrics
from schema.documents.cache import CostedOperation, DocumentCache, LimitExceeded
from schema.execution.operation import Executor, InvalidDocument
from schema.execution.state import ExecutionBudget
from schema.scalars import parse_uuid

log = structlog.get_logger()

ORGANIZATION_HEADER = "X-Organization-Id"

MAX_LOGGED_NAME = 100
"""Characters of an operation's name in the log."""

LOGGED_DIGITS = 16
"""Hexadecimal digits of a document's SHA-256 in the log."""


@dataclass(eq=False, kw_only=True)
class GraphQLApp:
    """The ASGI application of /graphql. Its parts are parameters, so that a test can replace any of them."""

    database: Database
    executor: Executor
    tokens: InternalTokens
    throttle: Throttle
    counter: RateCounter
    quota: int
    points: PointQuota
    use: QuotaUse
    documents: DocumentCache
    requested_documents: RequestedDocuments
    concurrency_limit: ConcurrencyLimit
    metrics: Metrics
    deadline: float
    introspection: bool = True
    trusted_proxies: Sequence[IPv4Network | IPv6Network] = ()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = perf_counter()
        stats = start_request_stats()
        headers = Headers(scope=scope)
        deadline = asyncio.get_running_loop().time() + self.deadline
        request = Request.from_scope(scope, self.trusted_proxies)
        call = GraphQLCall(request, headers, receive, media_type(headers), deadline, stats, ExecutionBudget())
        try:
            response = await self.respond(call)
        except asyncio.CancelledError as cancelled:
            if has_client_left(cancelled):
                self.log_call(call, CLIENT_LEFT_STATUS, perf_counter() - started)
                raise
            # The server is shutting down and its grace period is over. The client still gets a JSON response.
            response = self.refusal(call, INTERNAL_ERROR)
        took = perf_counter() - started
        self.metrics.count_graphql(response.status, took, response.code, call.log.rows, call.log.kind)
        self.log_call(call, response.status, took)
        fixed = {
            "Content-Type": call.media_type,
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
            "X-Request-ID": request.id,
        }
        if call.organization_id is not None:
            self.use.add(call.organization_id, GRAPHQL_GROUP, is_refused=response.status == 429)
        points = {} if call.points is None else call.points.headers
        all_headers = {**response.headers, **call.rate_limits, **points, **fixed}
        if response.status == 200 and (moment := data_as_of(stats)) is not None:
            all_headers[DATA_AS_OF_HEADER] = moment
        try:
            await DrainedResponse(response.body, response.status, all_headers)(scope, receive, send)
        finally:
            if call.unread:
                self.concurrency_limit.on_read(call.log.token or "", call.unread)

    def log_call(self, call: GraphQLCall, status: int, took: float) -> None:
        """Write the line of a call that is over."""
        fields = asdict(call.log) | {"status": status, "ms": round(took * 1000, 1)}
        log.info("graphql", request_id=call.request.id, **call.request.client_ids, **fields)

    async def respond(self, call: GraphQLCall) -> GraphQLResponse:
        """The response, also to a call that is refused, too late or fails."""
        try:
            async with request_deadline(call.deadline) as timeout:
                return await self.handle(call)
        except Refused as refused:
            return self.refusal(call, refused.error)
        except PoolBusy as error:
            log.warning("graphql timed out", request_id=call.request.id, failures=1, messages=[str(error)])
            return self.refusal(call, SERVICE_UNAVAILABLE)
        except Exception as error:
            if timeout.expired() and isinstance(error, TimeoutError):
                is_queued = call.turn is not None and call.turn.is_waiting
                return self.refusal(call, SERVICE_UNAVAILABLE if is_queued else deadline_exceeded(self.deadline))
            log.exception("graphql failed", request_id=call.request.id)
            return self.refusal(call, INTERNAL_ERROR)
        finally:
            if call.turn is not None:
                call.turn.release()

    async def handle(self, call: GraphQLCall) -> GraphQLResponse:
        """The life of a call."""
        await self.throttle.admit(call.request.address)
        self.require_get_or_post(call)
        caller = await self.authenticate(call.request)
        call.log.token, call.log.team = caller.public_id, caller.label
        await consume_or_refuse(self.counter, caller.public_id, self.quota, call.rate_limits)
        request = await self.read_request(call)
        call.wants_cost = request.wants_cost
        call.log.document = request.document_hash[:LOGGED_DIGITS]
        self.requested_documents.admit(request, caller)
        organization_id = call.organization_id = await self.organization_id(call, caller)
        turn = call.turn = self.concurrency_limit.turn(caller.public_id, organization_id)
        await turn.acquire()
        document = await self.requested_documents.find(request, caller)
        call.log.kind = document.kind
        try:
            costed = await self.find_operation(call, request, document.text, caller)
        except InvalidDocument as error:
            return self.invalid_document(call, error.errors)
        self.requested_documents.keep(request, caller)
        if costed.is_heavy:
            await turn.acquire(is_heavy=True)
        call.points = await self.points.reserve(caller.public_id, costed.cost.rows)
        call.stats_before = replace(call.stats)
        result = await self.executor.execute(costed.operation, organization_id, costed.variables, call.budget)
        call.points = await self.points.settle(
            caller.public_id, call.points, call.budget.objects, is_open=costed.cost.is_open
        )
        response = self.executed(call, result)
        call.unread = await self.concurrency_limit.unread.add(caller.public_id, len(response.body))
        return response

    def require_get_or_post(self, call: GraphQLCall) -> None:
        """Raise Refused: 405 for any other method, 415 for a POST whose body is not JSON."""
        if call.request.method == "POST":
            require_json(call.headers)
        elif call.request.method != "GET":
            raise Refused(WRONG_METHOD)

    async def read_request(self, call: GraphQLCall) -> GraphQLRequest:
        """The GraphQL request in the URL of a GET or the body of a POST. Raises Refused (400, or 413)."""
        if call.request.method == "GET":
            return parse_parameters(call.request.query)
        return parse_request(await read_body(call.headers, call.receive))

    async def authenticate(self, request: Request) -> InternalCaller:
        """The holder of the internal token. Raises Refused (401, or 429 after too many failures)."""
        caller = await self.tokens.caller(request.key, self.throttle, request.address)
        if isinstance(caller, Error):
            raise Refused(caller)
        return caller

    async def organization_id(self, call: GraphQLCall, caller: InternalCaller) -> UUID:
        """The organization of the X-Organization-Id header.

        Raises Refused: 400 for a malformed id, 403 for an organization that the token does not cover, whether it
        exists or not, and 404 for one that does not exist.
        """
        try:
            (text,) = call.headers.getlist(ORGANIZATION_HEADER)
            organization_id = parse_uuid(text)
        except ValueError as error:
            message = f"{ORGANIZATION_HEADER} must be the id of an organization."
            raise Refused(invalid(message)) from error
        call.log.organization = str(organization_id)
        if not caller.may_read(organization_id):
            raise Refused(WRONG_ORGANIZATION)
        if (await self.database.read_rows(organization_id, [(ACTIVE_ORGANIZATION, {})])) == [[]]:
            raise Refused(not_found("Organization not found."))
        return organization_id

    async def find_operation(
        self, call: GraphQLCall, request: GraphQLRequest, text: str, caller: InternalCaller
    ) -> CostedOperation:
        """The operation of a document to execute. Raises InvalidDocument if it is invalid or exceeds a limit."""
        call.log.operation = (request.name or "")[:MAX_LOGGED_NAME]
        team, token = caller.label, caller.public_id
        try:
            costed = await self.documents.prepare(text, request.name, request.variables, team, token=token)
        except LimitExceeded as error:
            call.cost = error.cost
            raise
        call.cost = costed.cost
        call.log.operation = costed.operation.name[:MAX_LOGGED_NAME]
        call.log.rows = costed.cost.rows
        return costed

    def executed(self, call: GraphQLCall, result: ExecutionResult) -> GraphQLResponse:
        """The response with the data, and errors for its missing parts. Invalid variables are not an execution."""
        errors = result.errors or []
        if result.data is None and all(error.path is None for error in errors):
            return self.invalid_document(call, errors)
        unexpected = [error for error in errors if not is_expected(error)]
        if unexpected:
            cause = unexpected[0].original_error or unexpected[0]
            log.error("graphql failed", request_id=call.request.id, failures=len(unexpected), exc_info=cause)
        late = [error for error in errors if is_time_limit(error)]
        if late:
            messages = sorted({error.message for error in late})
            log.warning("graphql timed out", request_id=call.request.id, failures=len(late), messages=messages)
        body: dict[str, Any] = {"data": result.data}
        size = call.budget.size
        if errors:
            body["errors"] = self.error_entries(call, errors)
            if call.wants_cost:
                # The budget also counted what was dropped for an error in it.
                size = len(orjson.dumps(result.data, option=orjson.OPT_UTC_Z))
        return GraphQLResponse(200, orjson.dumps(body | call.cost_extension(size), option=orjson.OPT_UTC_Z))

    def invalid_document(self, call: GraphQLCall, errors: Iterable[GraphQLError]) -> GraphQLResponse:
        """The response to a document or variables that can't be executed."""
        body = orjson.dumps({"errors": self.error_entries(call, errors)} | call.cost_extension(None))
        return GraphQLResponse(400 if call.media_type == GRAPHQL_MEDIA_TYPE else 200, body)

    def error_entries(self, call: GraphQLCall, errors: Iterable[GraphQLError]) -> list[dict[str, Any]]:
        return [error_entry(error, call.request.id, suggest=self.introspection) for error in errors]

    def refusal(self, call: GraphQLCall, error: Error) -> GraphQLResponse:
        """The response to a call that a step refused."""
        body = orjson.dumps({"errors": [refusal_entry(error, call.request.id)]})
        return GraphQLResponse(error.status, body, error.headers, error.code)
