"""OpenTelemetry spans: their nesting and attributes, and that nothing of it is loaded when tracing is off.

Covers `rest_facade/tracing/choice.py`.
"""

import subprocess
import sys
from collections.abc import AsyncIterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from uuid import UUID

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from db.reading.database import Database
from rest_facade.composition import Service, build_service
from rest_facade.settings import Settings
from rest_facade.tracing import choice
from rest_facade.tracing.choice import ServiceClasses
from rest_facade.tracing.spans import traced_classes, tracer_provider
from tests.conftest import BASE_URL, Connect
from tests.factories.rows import Rows
from tests.rest_facade.graphql.client import connected

ADDRESS = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}


@pytest.fixture
def exporter() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
async def own(owner_url: str, settings: Settings, exporter: InMemorySpanExporter) -> AsyncIterator[Service]:
    """A service whose spans are exported to memory."""
    kept = TracerProvider(shutdown_on_exit=False)
    kept.add_span_processor(SimpleSpanProcessor(exporter))
    classes = ServiceClasses(*traced_classes(kept))
    service = build_service(settings, url=owner_url, base_url=BASE_URL, classes=classes)
    async with service.running():
        yield service
    kept.shutdown()


def tree(exporter: InMemorySpanExporter) -> list[str]:
    """The names of the finished spans since the last time, in the order of their begin, each under its parent's."""
    spans = sorted(exporter.get_finished_spans(), key=lambda span: span.start_time or 0)
    exporter.clear()
    names: dict[int, str] = {}
    for span in spans:
        above = f"{names[span.parent.span_id]} / " if span.parent is not None else ""
        names[span.context.span_id] = above + span.name
    return list(names.values())


def first(exporter: InMemorySpanExporter) -> ReadableSpan:
    """The span of the one request."""
    (span,) = [span for span in exporter.get_finished_spans() if span.parent is None]
    return span


async def test_spans_nest_in_request(
    own: Service, exporter: InMemorySpanExporter, client: Connect, organization: UUID, key: str
) -> None:
    http = client(key, of=own)
    response = await http.get("/v1/clients/?search=secret")
    root = first(exporter)
    assert tree(exporter) == [
        "listClients",
        "listClients / round trip",
        "listClients / document",
        "listClients / document / round trip",
    ]
    await http.get("/v1/clients/")
    assert tree(exporter) == ["listClients", "listClients / document", "listClients / document / round trip"]
    assert root.attributes == {
        "http.route": "/v1/clients/",
        "http.response.status_code": 200,
        "orgdata.organization_id": str(organization),
        "orgdata.request_id": response.headers["x-request-id"],
    }


async def test_only_failures_are_error_spans(
    own: Service, exporter: InMemorySpanExporter, client: Connect, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    http = client(key, of=own)
    for path, code in [
        ("/v1/nowhere/", "ROUTE_NOT_FOUND"),
        ("/v1/clients/?limit=0", "VALIDATION_ERROR"),
        (f"/v1/clients/{UUID(int=1)}/", "RESOURCE_NOT_FOUND"),
    ]:
        exporter.clear()
        await http.get(path)
        root = first(exporter)
        assert root.attributes and root.attributes["error.type"] == code
        spans = exporter.get_finished_spans()
        assert all(span.status.status_code is StatusCode.UNSET and not span.events for span in spans)
    assert tree(exporter)[0] == "retrieveClient"
    monkeypatch.setattr(own.database, "read_rows", None)
    assert (await http.get("/v1/clients/")).status_code == 500
    assert first(exporter).status.status_code is StatusCode.ERROR


async def test_spans_join_the_trace_of_their_client(
    own: Service, exporter: InMemorySpanExporter, client: Connect, rows: Rows, organization: UUID, key: str
) -> None:
    parent = {"traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}
    await client(key, of=own).get("/v1/clients/", headers=parent)
    graphql = connected(own, rows, organization)
    graphql.headers |= parent
    await graphql("{ organization { name } }")
    spans = exporter.get_finished_spans()
    assert {span.context.trace_id for span in spans} == {0x4BF92F3577B34DA6A3CE929D0E0E4736}
    joined = [span.name for span in spans if span.parent is not None and span.parent.span_id == 0x00F067AA0BA902B7]
    assert joined == ["listClients", "graphql"]


async def test_graphql_request_is_a_span(own: Service, exporter: InMemorySpanExporter, rows: Rows) -> None:
    graphql = connected(own, rows, rows.organization())
    await graphql("query mine { organization { name } }")
    assert tree(exporter) == ["graphql"] + ["graphql / round trip"] * 3
    await graphql.request("PUT")
    root = first(exporter)
    assert root.attributes and root.attributes["error.type"] == "METHOD_NOT_ALLOWED"


def test_spans_reach_the_configured_collector(monkeypatch: pytest.MonkeyPatch) -> None:
    arrived: list[tuple[str, bytes]] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            arrived.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *arguments: object) -> None:
            """Log nothing."""

    with HTTPServer(("127.0.0.1", 0), Collector) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
        made = tracer_provider()
        made.get_tracer("test").start_span("a span").end()
        made.shutdown()
        server.shutdown()
    ((path, body),) = arrived
    assert path == "/v1/traces"
    assert b"a span" in body and b"orgdata" in body


def test_no_collector_chooses_plain_classes() -> None:
    assert (
        choice.choose_service_classes({})
        == choice.choose_service_classes({**ADDRESS, "OTEL_SDK_DISABLED": "true"})
        == choice.choose_service_classes({**ADDRESS, "OTEL_TRACES_EXPORTER": "none"})
        == ServiceClasses()
    )
    assert ServiceClasses().database is Database


def test_missing_extra_chooses_plain_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "rest_facade.tracing.spans")
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    assert choice.choose_service_classes(ADDRESS) == ServiceClasses()


@pytest.mark.process
def test_opentelemetry_is_imported_for_a_collector_only() -> None:
    program = (
        "import os, sys, rest_facade.composition\n"
        "from rest_facade.tracing.choice import *\n"
        "print({'rest_facade.tracing.spans', 'opentelemetry.exporter'} & sys.modules.keys())\n"
        f"os.environ |= {ADDRESS}\n"
        "print(choose_service_classes() != ServiceClasses())"
    )
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert shown.stdout == "set()\nTrue\n"
