"""Whether requests are traced, and by what: decided once, when the service is put together.

Traces are made by classes that take the place of the plain ones, so that without them nothing is imported, asked or
paid on the way of a request.
"""

import os
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import NamedTuple

import structlog

from db.reading.database import Database
from rest_facade.graphql.app import GraphQLApp
from rest_facade.rest.app import RestApp

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
"""OpenTelemetry's own variables say where traces go; its others are heeded too."""

EXTRA = ("opentelemetry", "opentelemetry.sdk.trace", "opentelemetry.exporter.otlp.proto.http")


class ServiceClasses(NamedTuple):
    """What a service is made of."""

    database: Callable[..., Database] = Database
    public: Callable[..., RestApp] = RestApp
    graphql: Callable[..., GraphQLApp] = GraphQLApp


def service_classes(environment: Mapping[str, str] = os.environ) -> ServiceClasses:
    """Those that trace, where an address is set and the extra `otel` is installed; else the plain ones."""
    if not any(environment.get(name) for name in ENDPOINTS) or environment.get("OTEL_SDK_DISABLED") == "true":
        return ServiceClasses()
    if not is_installed():
        # A whole platform may set the address for everybody: that is no reason not to serve.
        structlog.get_logger().warning("not traced: install the extra otel, as in orgdata-service[otel]")
        return ServiceClasses()
    from rest_facade.telemetry.spans import provider, traced  # noqa: PLC0415 - costs a third of a second, and needs the extra

    return traced(provider())


def is_installed() -> bool:
    """Whether the extra is there."""
    try:
        return all(find_spec(name) for name in EXTRA)
    except ModuleNotFoundError:
        return False
