"""Spans, by OpenTelemetry: a request, in it its document, in that each round trip to the database.

`rest_facade/telemetry/tracing.py` imports this module, where traces are wanted. Neither keys, nor values, nor text of
statements become attributes. A trace always begins here: what a client sends of its own is not believed.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from importlib.metadata import version
from typing import Any

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span, SpanKind, StatusCode, Tracer, get_current_span

from db.reading.connection import BoundSql, Row
from db.reading.database import BoundStatement as Read
from db.reading.database import Database
from rest_facade.access.authentication import Caller
from rest_facade.graphql.app import GraphQLApp, GraphQLCall
from rest_facade.graphql.app import GraphQLResponse as Answered
from rest_facade.rest.app import RestApp, RestResponse
from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.errors import INTERNAL_ERROR, Refused
from rest_facade.rest.request import Request
from rest_facade.rest.request_state import RequestState
from rest_facade.telemetry.tracing import ServiceClasses


def provider() -> TracerProvider:
    """Sends spans where OpenTelemetry's variables say; what is left at the end is sent then."""
    resource = Resource.create({"service.name": "orgdata", "service.version": version("orgdata-service")})
    made = TracerProvider(resource=resource)
    made.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return made


def traced(provider: TracerProvider) -> ServiceClasses:
    """What a traced service is made of."""
    tracer = provider.get_tracer("orgdata")
    return ServiceClasses(
        partial(TracedDatabase, tracer), partial(TracedPublic, tracer), partial(TracedGraphQL, tracer)
    )


class TracedPublic(RestApp):
    """Spans around a request and around its document."""

    def __init__(self, tracer: Tracer, **given: Any) -> None:
        super().__init__(**given)
        self._tracer = tracer

    async def answer(self, request: Request) -> RestResponse:
        with self._tracer.start_as_current_span("request", kind=SpanKind.SERVER):
            return await super().answer(request)

    def note(self, request: Request, record: RequestState, answer: RestResponse) -> None:
        super().note(request, record, answer)
        span = get_current_span()
        # Methods and paths are whatever a client likes: a span is called by its operation.
        if record.endpoint is not None:
            span.update_name(record.endpoint.operation)
            span.set_attribute("http.route", record.endpoint.path)
        if record.caller is not None:
            span.set_attribute("orgdata.organization_id", str(record.caller.organization_id))
        span.set_attribute("orgdata.request_id", request.id)
        _finish(span, answer.status, answer.code)

    async def execute(self, endpoint: Endpoint, caller: Caller, variables: Mapping[str, Any]) -> Any:
        with _quietly(self._tracer, "document", SpanKind.INTERNAL):
            return await super().execute(endpoint, caller, variables)


class TracedGraphQL(GraphQLApp):
    """A span around a call of /graphql."""

    def __init__(self, tracer: Tracer, **given: Any) -> None:
        super().__init__(**given)
        self._tracer = tracer

    async def serve(self, call: GraphQLCall) -> Answered:
        with _quietly(self._tracer, "graphql", SpanKind.SERVER) as span:
            span.set_attribute("orgdata.request_id", call.request.id)
            try:
                answer = await super().serve(call)
            except Refused as refused:
                _finish(span, refused.error.status, refused.error.code)
                raise
            except Exception:
                _finish(span, INTERNAL_ERROR.status, INTERNAL_ERROR.code)
                raise
            _finish(span, answer.status, answer.code)
            return answer


class TracedDatabase(Database):
    """A span around each round trip, the wait for a connection included."""

    def __init__(self, tracer: Tracer, url: str, **given: Any) -> None:
        super().__init__(url, **given)
        self._tracer = tracer

    async def _transaction(self, start: BoundSql, statements: Sequence[Read]) -> list[list[Row]]:
        attributes: Mapping[str, str | int] = {
            "db.system.name": "postgresql",
            "db.operation.batch.size": len(statements),
        }
        with self._tracer.start_as_current_span("round trip", kind=SpanKind.CLIENT, attributes=attributes):
            return await super()._transaction(start, statements)


def _quietly(tracer: Tracer, name: str, kind: SpanKind) -> AbstractContextManager[Span]:
    """A span that takes no exception for an error: what a step refuses is none, what fails is told elsewhere."""
    return tracer.start_as_current_span(name, kind=kind, record_exception=False, set_status_on_exception=False)


def _finish(span: Span, status: int, code: str | None) -> None:
    span.set_attribute("http.response.status_code", status)
    if code is not None:
        span.set_attribute("error.type", code)
    if status >= 500:
        span.set_status(StatusCode.ERROR)
