"""Errors of /graphql: GraphQL errors with the codes of REST in `extensions`."""

import re
from typing import Any

from graphql import GraphQLError

from rest_facade.rest.errors import INTERNAL_ERROR, METHOD_NOT_ALLOWED, Code, Error

POST_ONLY = Error(405, METHOD_NOT_ALLOWED.code, METHOD_NOT_ALLOWED.message, {"Allow": "POST"})
WRONG_ORGANIZATION = Error(403, Code.SCOPE_DENIED, "The token is not for this organization.")

SUGGESTION = re.compile(r"\s*Did you mean .*", re.DOTALL)


def deadline_exceeded(seconds: float) -> Error:
    """The error of an operation that its deadline cancelled."""
    return Error(503, Code.SERVICE_UNAVAILABLE, f"The operation took longer than {seconds:g} seconds.")


def is_expected(error: GraphQLError) -> bool:
    """Whether the client caused an error. Errors of documents and variables have no path, those of resolvers a code."""
    if error.path is None or "code" in (error.extensions or {}):
        return True
    # A nullable variable may be null for an argument that is not: graphql-core raises that at the field, with a path.
    return isinstance(error.original_error, GraphQLError) and error.message.startswith("Argument ")


def error_entry(error: GraphQLError, request_id: str, *, suggest: bool) -> dict[str, Any]:
    """The entry of an error of execution. An unexpected error has no details except its path.

    Without `suggest`, suggestions ("Did you mean ...") are removed: they would reveal names of the schema.
    """
    entry: dict[str, Any] = dict(error.formatted)
    if is_expected(error):
        entry["message"] = error.message if suggest else SUGGESTION.sub("", error.message)
        entry["extensions"] = {"code": Code.VALIDATION_ERROR, **(error.extensions or {}), "request_id": request_id}
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
