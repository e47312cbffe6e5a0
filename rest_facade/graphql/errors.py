"""Errors of /graphql: GraphQL errors with the codes of REST in `extensions`."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from graphql import GraphQLError

from rest_facade.access.rate_counter import Count
from rest_facade.errors.envelope import Error
from rest_facade.errors.refusals import (
    INTERNAL_ERROR,
    METHOD_NOT_ALLOWED,
    RETRY_SECONDS,
    SERVICE_UNAVAILABLE,
    Code,
    GraphQLCode,
    rate_limited,
)

WRONG_METHOD = replace(
    METHOD_NOT_ALLOWED, message="Method not allowed: use GET or POST.", headers={"Allow": "GET, POST"}
)
TRUSTED_DOCUMENTS_ONLY = Error(
    403,
    GraphQLCode.TRUSTED_DOCUMENTS_ONLY,
    "Only trusted documents are answered here: send documentId instead of query. An operator adds the documents of a"
    " team with `orgdata documents add`.",
)
# Apollo clients know these errors by message or code. Some of them read no body of another status than 200, so Apollo
# Server answers 200, whatever the media type.
PERSISTED_QUERY_NOT_FOUND = Error(200, GraphQLCode.PERSISTED_QUERY_NOT_FOUND, "PersistedQueryNotFound")
PERSISTED_QUERY_NOT_SUPPORTED = Error(200, GraphQLCode.PERSISTED_QUERY_NOT_SUPPORTED, "PersistedQueryNotSupported")
WRONG_ORGANIZATION = Error(403, Code.SCOPE_DENIED, "The token is not for this organization.")

TIME_LIMITS = (GraphQLCode.STATEMENT_TIMEOUT, Code.SERVICE_UNAVAILABLE)
"""Codes of fields that have no data because of a limit of time, which `resolvers.errors` raises."""

SUGGESTION = re.compile(r"\s*Did you mean .*", re.DOTALL)


def deadline_exceeded(seconds: float) -> Error:
    """The error of an operation that its deadline cancelled."""
    return replace(SERVICE_UNAVAILABLE, message=f"The operation took longer than {seconds:g} seconds.")


def points_exceeded(points: int, count: Count, headers: Mapping[str, str]) -> Error:
    """The error of an operation that may cost more points than its token has left."""
    error = rate_limited(count.retry_after)
    message = f"The operation may cost {points} points; {count.remaining} of {count.limit} are left in this window."
    return replace(error, message=message, headers={**error.headers, **headers})


def document_not_found(document_id: str) -> Error:
    """The error of an id that the team does not have, whether or not another team has it."""
    message = f"The team of this token has no document {document_id}: it was not added, or it was removed."
    return Error(404, GraphQLCode.DOCUMENT_NOT_FOUND, message)


def is_time_limit(error: GraphQLError) -> bool:
    """Whether a limit of time left a field without data. Operators look for these in the log."""
    return (error.extensions or {}).get("code") in TIME_LIMITS


def is_expected(error: GraphQLError) -> bool:
    """Whether the client sees the message. Errors of documents have no path, those of resolvers have a code."""
    if error.path is None or "code" in (error.extensions or {}):
        return True
    # A nullable variable may be null for an argument that is not: graphql-core raises that at the field, with a path.
    return isinstance(error.original_error, GraphQLError) and error.message.startswith("Argument ")


def error_entry(error: GraphQLError, request_id: str, *, suggest: bool) -> dict[str, Any]:
    """The entry of an error of execution. An unexpected error has no details except its path.

    Without `suggest`, suggestions ("Did you mean ...") are removed: they would reveal names of the schema. A field that
    the service was too busy to read has `retry_after_seconds`, as the refusal of a request has.
    """
    entry: dict[str, Any] = dict(error.formatted)
    if is_expected(error):
        entry["message"] = error.message if suggest else SUGGESTION.sub("", error.message)
        entry["extensions"] = {"code": Code.VALIDATION_ERROR, **(error.extensions or {}), "request_id": request_id}
        if entry["extensions"]["code"] == Code.SERVICE_UNAVAILABLE:
            entry["extensions"]["retry_after_seconds"] = RETRY_SECONDS
    else:
        entry["message"] = INTERNAL_ERROR.message
        entry["extensions"] = {"code": INTERNAL_ERROR.code, "request_id": request_id}
    return entry


def refusal_entry(error: Error, request_id: str) -> dict[str, Any]:
    """The entry of an error that a step of the call raised."""
    extensions: dict[str, Any] = {"code": error.code, "request_id": request_id}
    if error.retry_after_seconds is not None:
        extensions["retry_after_seconds"] = error.retry_after_seconds
    return {"message": error.message, "extensions": extensions}
