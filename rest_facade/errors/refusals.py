"""All refusals of the REST API, in the order of the steps that raise them.

Codes and messages are the specification's (spec, Errors); messages that it leaves open are chosen here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Any

from rest_facade.errors.envelope import Error

RETRY_SECONDS = 5
"""Seconds after which a client of an unavailable service may try again (spec, Errors)."""


class Code(StrEnum):
    """All values of `error.code`."""

    VALIDATION_ERROR = "VALIDATION_ERROR"
    INVALID_API_KEY = "INVALID_API_KEY"
    SCOPE_DENIED = "SCOPE_DENIED"
    RESOURCE_NOT_FOUND = "RESOURCE_NOT_FOUND"
    ROUTE_NOT_FOUND = "ROUTE_NOT_FOUND"
    METHOD_NOT_ALLOWED = "METHOD_NOT_ALLOWED"
    RATE_LIMIT_EXCEEDED = "RATE_LIMIT_EXCEEDED"
    AUTH_FAILURE_THROTTLE = "AUTH_FAILURE_THROTTLE"
    INTERNAL_ERROR = "INTERNAL_ERROR"
    SERVICE_UNAVAILABLE = "SERVICE_UNAVAILABLE"


class GraphQLCode(StrEnum):
    """The codes that GraphQL has besides those of REST."""

    DOCUMENT_NOT_FOUND = "DOCUMENT_NOT_FOUND"
    TRUSTED_DOCUMENTS_ONLY = "TRUSTED_DOCUMENTS_ONLY"
    PERSISTED_QUERY_NOT_FOUND = "PERSISTED_QUERY_NOT_FOUND"
    PERSISTED_QUERY_NOT_SUPPORTED = "PERSISTED_QUERY_NOT_SUPPORTED"
    STATEMENT_TIMEOUT = "STATEMENT_TIMEOUT"


ALLOW = {"Allow": "GET, OPTIONS"}

KEY_HEADER = "X-SERVICE-API-KEY"
CHALLENGE = {"WWW-Authenticate": f'ApiKey header="{KEY_HEADER}"'}
"""What a response with 401 must have (RFC 9110, 11.6.1). The name of the scheme is not registered."""

SCOPES_HEADER = "X-Key-Scopes"
"""The scopes of an MCP key, in every response to it."""

REQUIRED_SCOPE_HEADER = "X-Required-Scope"
"""The scope that an MCP key lacks."""

# Parsing of HTTP: the protocol closes the connection behind each of these.
MALFORMED = Error(400, Code.VALIDATION_ERROR, "Malformed HTTP request.")
UNENCODED_URL = Error(
    400, Code.VALIDATION_ERROR, "The URL must be ASCII without spaces: percent-encode other characters."
)
TOO_LARGE = Error(400, Code.VALIDATION_ERROR, "The request line or the headers are too large.")
TOO_MANY_HEADERS = Error(400, Code.VALIDATION_ERROR, "The request has too many headers.")
TOO_MANY_PIPELINED = Error(400, Code.VALIDATION_ERROR, "Too many requests wait for their answers on this connection.")
# Path and method.
ROUTE_NOT_FOUND = Error(404, Code.ROUTE_NOT_FOUND, "Route not found.")
METHOD_NOT_ALLOWED = Error(405, Code.METHOD_NOT_ALLOWED, "Method not allowed.", ALLOW)
# Key.
INVALID_API_KEY = Error(401, Code.INVALID_API_KEY, "Invalid API key.", CHALLENGE)
NO_API_KEY = Error(
    401, Code.INVALID_API_KEY, "Invalid API key. Send it once, in the header X-SERVICE-API-KEY.", CHALLENGE
)
KEY_NOT_ALONE = Error(
    401, Code.INVALID_API_KEY, "Invalid API key. Send it without Bearer, quotes and other characters.", CHALLENGE
)
# A request that could not be counted fails closed (spec, Errors).
SERVICE_UNAVAILABLE = Error(
    503, Code.SERVICE_UNAVAILABLE, "Service temporarily unavailable.", {"Retry-After": str(RETRY_SECONDS)}
)
# Data.
INTERNAL_ERROR = Error(500, Code.INTERNAL_ERROR, "An unexpected error occurred.")


def linked_to(error: Error, url: str, relation: str) -> Error:
    """The same error with a link to what the client meant, or reads next (RFC 8288)."""
    return replace(error, headers={**error.headers, "Link": f'<{url}>; rel="{relation}"'})


def throttled(seconds: int) -> Error:
    """Too many failed keys from one address; `seconds` until the block ends."""
    return Error(429, Code.AUTH_FAILURE_THROTTLE, "Too many failed authentications.", {"Retry-After": str(seconds)})


def rate_limited(seconds: int) -> Error:
    """The quota of the window is used up; `seconds` until the next window."""
    return Error(
        429,
        Code.RATE_LIMIT_EXCEEDED,
        "Rate limit exceeded.",
        {"Retry-After": str(seconds)},
        retry_after_seconds=seconds,
    )


TOO_MANY_AT_ONCE = rate_limited(1)
"""The organization has too many requests in progress. Each that ends makes room, whatever the window."""


def scope_denied(scope: str) -> Error:
    """An MCP key lacks a scope of the endpoint."""
    message = "The key lacks the scope that this endpoint needs."
    return Error(403, Code.SCOPE_DENIED, message, {REQUIRED_SCOPE_HEADER: scope})


def invalid(message: str, parameter: str | None = None, *hints: str) -> Error:
    """An invalid parameter. With `parameter`, `details` has the message in an array (spec, details shape), and
    what else there is to say behind it.
    """
    details: Mapping[str, Sequence[str]] | None = None if parameter is None else {parameter: [message, *hints]}
    return Error(400, Code.VALIDATION_ERROR, message, details=details)


def not_found(message: str) -> Error:
    """The organization has no such entity."""
    return Error(404, Code.RESOURCE_NOT_FOUND, message)


def cap_exceeded(message: str, details: Mapping[str, Any] | None) -> Error:
    """A cap on rows is exceeded; `details` has the integers of the specification."""
    return replace(invalid(message), details=details)
