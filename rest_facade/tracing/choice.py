"""Choice between the plain classes of a service and the traced ones of `spans.py`, made once when it is built.

Does not import OpenTelemetry, which is an extra. The traced classes replace the plain ones, so that tracing that is
off costs nothing.
"""

import os
from collections.abc import Callable, Mapping
from typing import NamedTuple

import structlog

from db.reading.database import Database
from rest_facade.graphql.app import GraphQLApp
from rest_facade.rest.app import RestApp

ENDPOINT_VARIABLES = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
"""OpenTelemetry's own environment variables for the address of the collector. Setting one turns tracing on."""

OFF = {"OTEL_SDK_DISABLED": "true", "OTEL_TRACES_EXPORTER": "none"}
"""OpenTelemetry's own values that turn tracing off, also where a platform sets the address for all its programs."""


class ServiceClasses(NamedTuple):
    """The classes of a service."""

    database: Callable[..., Database] = Database
    public: Callable[..., RestApp] = RestApp
    graphql: Callable[..., GraphQLApp] = GraphQLApp


def choose_service_classes(environment: Mapping[str, str] = os.environ) -> ServiceClasses:
    """The traced classes when a collector is set and the extra `otel` is installed, else the plain ones."""
    is_off = any(environment.get(name) == value for name, value in OFF.items())
    if is_off or not any(environment.get(name) for name in ENDPOINT_VARIABLES):
        return ServiceClasses()
    try:
        from rest_facade.tracing.spans import traced_classes, tracer_provider  # noqa: PLC0415 - needs the extra
    except ModuleNotFoundError:
        # A platform may set the variable for all its programs, so a missing extra must not stop the start.
        structlog.get_logger().warning("tracing is off: the extra `otel` is not installed")
        return ServiceClasses()
    return ServiceClasses(*traced_classes(tracer_provider()))
