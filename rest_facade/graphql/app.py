"""`/graphql` on the internal listener: teams ask what they like, within limits, about one organization a call.

`GraphQL.serve` is the life of a call, a named step a line. Refusals have the shape of GraphQL errors, with the codes
of REST; whether a document that can't be executed is 400 or 200 depends on the media type that was asked for.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from ipaddress import IPv4Network, IPv6Network
from time import perf_counter
from typing import Any
from uuid import UUID

import orjson
import structlog
from graphql import ExecutionResult, GraphQLError
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from db.reading.database import Database, read_deadline
from db.reading.key_statements import ACTIVE_ORGANIZATION
from rest_facade.access import quota as quotas
from rest_facade.access.authentication import InternalCaller, KeyCache
from rest_facade.access.rate_counter import CountingFailed, RateCounter
from rest_facade.access.throttle import Throttle
from rest_facade.graphql.concurrency_limit import ConcurrencyLimit
from rest_facade.graphql.errors import (
    POST_ONLY,
    WRONG_ORGANIZATION,
    deadline_exceeded,
    error_entry,
    is_expected,
    refusal_entry,
)
from rest_facade.graphql.http_request import (
    GRAPHQL_MEDIA_TYPE,
    GraphQLRequest,
    media_type,
    parse_request,
    read_body,
    require_json,
)
from rest_facade.rest.errors import INTERNAL_ERROR, SERVICE_UNAVAILABLE, Code, Error, Refused, invalid, not_found
from rest_facade.rest.request import Request
from rest_facade.telemetry.metrics import Metrics
from schema.documents.cache import CostedOperation, DocumentCache
from schema.execution.executor import Executor
from schema.execution.operation import InvalidDocument
from schema.scalars import parse_uuid

log = structlog.get_logger()

ORGANIZATION_HEADER = "X-Organization-Id"

MAX_LOGGED_NAME = 100
"""Characters of an operation's name that are logged."""


@dataclass
class CallLog:
    """What is logged of a call, as far as it came. Neither the token nor a variable is ever part of it."""

    token: str | None = None
    team: str | None = None
    organization: str | None = None
    operation: str | None = None
    document: str | None = None
    rows: int | None = None


@dataclass
class GraphQLCall:
    """One call: what was sent, until when it must be answered, and what its steps find out."""

    request: Request
    headers: Headers
    receive: Receive
    media_type: str
    deadline: float
    rates: dict[str, str] = field(default_factory=dict)
    line: CallLog = field(default_factory=CallLog)


@dataclass(frozen=True)
class GraphQLResponse:
    """What a step gives back; the headers that every answer has are added where it is written."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    code: Code | None = None


class GraphQLApp:
    """An ASGI application. What it needs is handed over, so that a test can vary any part."""

    def __init__(
        self,
        *,
        database: Database,
        executor: Executor,
        tokens: KeyCache,
        throttle: Throttle,
        counter: RateCounter,
        quota: int,
        documents: DocumentCache,
        turns: ConcurrencyLimit,
        metrics: Metrics,
        deadline: float,
        introspection: bool = True,
        trusted_proxies: Sequence[IPv4Network | IPv6Network] = (),
    ) -> None:
        self.database = database
        self.executor = executor
        self.tokens = tokens
        self.throttle = throttle
        self.counter = counter
        self.quota = quota
        self.documents = documents
        self.concurrency_limit = turns
        self.metrics = metrics
        self.deadline = deadline
        self.introspection = introspection
        self.trusted_proxies = trusted_proxies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = perf_counter()
        headers = Headers(scope=scope)
        deadline = asyncio.get_running_loop().time() + self.deadline
        call = GraphQLCall(Request.of(scope, self.trusted_proxies), headers, receive, media_type(headers), deadline)
        timeout = asyncio.timeout_at(deadline)
        try:
            async with timeout:
                answer = await self.serve(call)
        except Refused as refusal:
            answer = self.refusal(call, refusal.error)
        except Exception as error:
            if timeout.expired() and isinstance(error, TimeoutError):
                answer = self.refusal(call, deadline_exceeded(self.deadline))
            else:
                log.exception("graphql failed", request_id=call.request.id)
                answer = self.refusal(call, INTERNAL_ERROR)
        self.metrics.count_graphql(answer.status, perf_counter() - started, answer.code, call.line.rows)
        fixed = {
            "Content-Type": f"{call.media_type}; charset=utf-8",
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
            "X-Request-ID": call.request.id,
        }
        await Response(answer.body, answer.status, {**answer.headers, **call.rates, **fixed})(scope, receive, send)
        took = round((perf_counter() - started) * 1000, 1)
        log.info("graphql", request_id=call.request.id, **asdict(call.line), status=answer.status, ms=took)

    async def serve(self, call: GraphQLCall) -> GraphQLResponse:
        """The life of a call."""
        await self.throttle.admit(call.request.address)
        self.require_post(call)
        require_json(call.headers)
        team = await self.authenticate(call)
        await self.consume(call, team)
        question = parse_request(await read_body(call.headers, call.receive))
        call.line.document = sha256(question.query.encode()).hexdigest()[:16]
        organization_id = await self.organization(call, team)
        async with self.concurrency_limit.take():
            try:
                asked = self.find(call, question)
            except InvalidDocument as error:
                return self.invalid(call, error.errors)
            # The deadline cancels this task; what other tasks read for it ends by itself.
            with read_deadline(call.deadline):
                result = await self.executor.run(asked.operation, organization_id, question.variables)
        return self.executed(call, result)

    def require_post(self, call: GraphQLCall) -> None:
        if call.request.method != "POST":
            raise Refused(POST_ONLY)

    async def authenticate(self, call: GraphQLCall) -> InternalCaller:
        with self.throttle.attempt(call.request.address) as attempt:
            team = await self.tokens.internal_caller(call.request.key, attempt.reserve)
            if team is None:
                raise Refused(await attempt.fail())
        call.line.token, call.line.team = team.public_id, team.label
        return team

    async def consume(self, call: GraphQLCall, team: InternalCaller) -> None:
        """Count one operation of the token. Without a count, the call fails closed."""
        try:
            count = await self.counter.consume(team.public_id, self.quota)
        except CountingFailed as error:
            raise Refused(SERVICE_UNAVAILABLE) from error
        call.rates.update(quotas.rate_limit_headers(count))
        quotas.refuse_exceeded(count)

    async def organization(self, call: GraphQLCall, team: InternalCaller) -> UUID:
        """The one organization that the call is about. Which ones there are is told to nobody who may not read them."""
        given = call.headers.getlist(ORGANIZATION_HEADER)
        try:
            (text,) = given
            organization_id = parse_uuid(text)
        except ValueError as error:
            message = f"{ORGANIZATION_HEADER} must be the id of an organization."
            raise Refused(invalid(message)) from error
        call.line.organization = str(organization_id)
        if not team.may_read(organization_id):
            raise Refused(WRONG_ORGANIZATION)
        if (await self.database.read(organization_id, [(ACTIVE_ORGANIZATION, {})])) == [[]]:
            raise Refused(not_found("Organization not found."))
        return organization_id

    def find(self, call: GraphQLCall, question: GraphQLRequest) -> CostedOperation:
        """The operation, if it is within the limits and valid. Raises InvalidDocument."""
        call.line.operation = (question.name or "")[:MAX_LOGGED_NAME]
        asked = self.documents.find(question.query, question.name, question.variables)
        call.line.operation = asked.operation.name[:MAX_LOGGED_NAME]
        call.line.rows = asked.cost.rows
        return asked

    def executed(self, call: GraphQLCall, result: ExecutionResult) -> GraphQLResponse:
        """The data and what is missing of it. Variables that don't fit are no execution."""
        errors = result.errors or []
        if result.data is None and all(error.path is None for error in errors):
            return self.invalid(call, errors)
        unexpected = [error for error in errors if not is_expected(error)]
        if unexpected:
            cause = unexpected[0].original_error or unexpected[0]
            log.error("graphql failed", request_id=call.request.id, failures=len(unexpected), exc_info=cause)
        body: dict[str, Any] = {"data": result.data}
        if errors:
            body["errors"] = self.written(call, errors)
        return GraphQLResponse(200, orjson.dumps(body, option=orjson.OPT_UTC_Z))

    def invalid(self, call: GraphQLCall, errors: Iterable[GraphQLError]) -> GraphQLResponse:
        """A document or variables that can't be executed."""
        body = orjson.dumps({"errors": self.written(call, errors)})
        return GraphQLResponse(400 if call.media_type == GRAPHQL_MEDIA_TYPE else 200, body)

    def written(self, call: GraphQLCall, errors: Iterable[GraphQLError]) -> list[dict[str, Any]]:
        """Errors as they are told."""
        return [error_entry(error, call.request.id, suggest=self.introspection) for error in errors]

    def refusal(self, call: GraphQLCall, error: Error) -> GraphQLResponse:
        """What a step refused."""
        body = orjson.dumps({"errors": [refusal_entry(error, call.request.id)]})
        return GraphQLResponse(error.status, body, error.headers, error.code)
