"""OpenTelemetry spans: one per request, in it one per document, in that one per round trip to the database.

Needs the extra `otel`; `choice.py` imports this module only when tracing is on. Attributes hold no keys, no
values and no SQL. The span of a client that sends `traceparent` is the parent of that of the request.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span, SpanKind, StatusCode, Tracer, get_current_span
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from db.reading.connection import Row
from db.reading.database import Database
from db.reading.hosts.host import Host
from db.reading.hosts.monitor import MonitoredHosts
from db.reading.transaction import Transaction
from rest_facade.access.authentication import Caller
from rest_facade.errors.envelope import Refused
from rest_facade.errors.refusals import INTERNAL_ERROR
from rest_facade.graphql.app import GraphQLApp
from rest_facade.graphql.call import GraphQLCall
from rest_facade.graphql.call import GraphQLResponse as Answered
from rest_facade.rest.app import RestApp, RestResponse
from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.links import RequestLinks
from rest_facade.rest.request import TRACEPARENT_HEADER, Request, RequestState
from rest_facade.version import service_version


def tracer_provider() -> TracerProvider:
    """A provider that exports spans to the collector of OpenTelemetry's variables, and flushes them at exit."""
    resource = Resource.create({"service.name": "orgdata", "service.version": service_version()})
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider


def traced_classes(provider: TracerProvider) -> Sequence[Callable[..., Any]]:
    """The traced classes, in the order of `ServiceClasses`, with a tracer of `provider`."""
    tracer = provider.get_tracer("orgdata")
    return [partial(each, tracer) for each in (TracedDatabase, TracedRestApp, TracedGraphQLApp)]


class TracedRestApp(RestApp):
    """A span around each request and around its document."""

    def __init__(self, tracer: Tracer, **parameters: Any) -> None:
        super().__init__(**parameters)
        self._tracer = tracer

    async def respond(self, request: Request, state: RequestState | None = None) -> RestResponse:
        with self._tracer.start_as_current_span("request", _parent(request), SpanKind.SERVER):
            return await super().respond(request, state)

    def record(self, request: Request, state: RequestState, response: RestResponse) -> None:
        super().record(request, state, response)
        span = get_current_span()
        # A span has the name of its operation: methods and paths are text of the client.
        if state.endpoint is not None:
            span.update_name(state.endpoint.operation)
            span.set_attribute("http.route", state.endpoint.path)
        if state.caller is not None:
            span.set_attribute("orgdata.organization_id", str(state.caller.organization_id))
        span.set_attribute("orgdata.request_id", request.id)
        _finish(span, response.status, response.code)

    async def fetch_data(
        self, endpoint: Endpoint, caller: Caller, variables: Mapping[str, Any], links: RequestLinks
    ) -> Any:
        with _span_without_exception(self._tracer, "document", None, SpanKind.INTERNAL):
            return await super().fetch_data(endpoint, caller, variables, links)


class TracedGraphQLApp(GraphQLApp):
    """A span around each call of /graphql."""

    def __init__(self, tracer: Tracer, **parameters: Any) -> None:
        super().__init__(**parameters)
        self._tracer = tracer

    async def handle(self, call: GraphQLCall) -> Answered:
        with _span_without_exception(self._tracer, "graphql", _parent(call.request), SpanKind.SERVER) as span:
            span.set_attribute("orgdata.request_id", call.request.id)
            try:
                answer = await super().handle(call)
            except Refused as refused:
                _finish(span, refused.error.status, refused.error.code)
                raise
            except Exception:
                _finish(span, INTERNAL_ERROR.status, INTERNAL_ERROR.code)
                raise
            _finish(span, answer.status, answer.code)
            return answer


class TracedDatabase(Database):
    """A span around each round trip, with the wait for a connection."""

    def __init__(self, tracer: Tracer, source: str | MonitoredHosts, **parameters: Any) -> None:
        super().__init__(source, **parameters)
        self._tracer = tracer

    async def _transaction(self, transaction: Transaction, failed: set[Host]) -> list[list[Row]]:
        attributes: Mapping[str, str | int] = {
            "db.system.name": "postgresql",
            "db.operation.batch.size": len(transaction.statements),
        }
        with self._tracer.start_as_current_span("round trip", kind=SpanKind.CLIENT, attributes=attributes):
            return await super()._transaction(transaction, failed)


def _parent(request: Request) -> Context | None:
    """The context of the client's span; None where the trace starts here."""
    if not (traceparent := request.headers.get(TRACEPARENT_HEADER)):
        return None
    return TraceContextTextMapPropagator().extract({"traceparent": traceparent.decode("latin-1")})


def _span_without_exception(
    tracer: Tracer, name: str, parent: Context | None, kind: SpanKind
) -> AbstractContextManager[Span]:
    """A span that records no exceptions: a refusal is not an error, and `_finish` reports the others by status."""
    return tracer.start_as_current_span(name, parent, kind, record_exception=False, set_status_on_exception=False)


def _finish(span: Span, status: int, code: str | None) -> None:
    """Set the attributes of the response; a status of 500 or more is an error of the span."""
    span.set_attribute("http.response.status_code", status)
    if code is not None:
        span.set_attribute("error.type", code)
    if status >= 500:
        span.set_status(StatusCode.ERROR)
