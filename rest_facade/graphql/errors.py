"""Errors as /graphql tells them: in the shape of GraphQL, with the codes of REST."""

import re
from typing import Any

from graphql import GraphQLError

from rest_facade.rest.errors import INTERNAL_ERROR, METHOD_NOT_ALLOWED, Code, Error

POST_ONLY = Error(405, METHOD_NOT_ALLOWED.code, METHOD_NOT_ALLOWED.message, {"Allow": "POST"})
WRONG_ORGANIZATION = Error(403, Code.SCOPE_DENIED, "The token is not for this organization.")

SUGGESTION = re.compile(r"\s*Did you mean .*", re.DOTALL)


def deadline_exceeded(seconds: float) -> Error:
    """The deadline has passed; nothing was found by then."""
    return Error(503, Code.SERVICE_UNAVAILABLE, f"The operation took longer than {seconds:g} seconds.")


def is_expected(error: GraphQLError) -> bool:
    """Whether an error is the client's: one of a document or of variables has no path, one of a resolver has a code."""
    if error.path is None or "code" in (error.extensions or {}):
        return True
    # A variable may be null, and the argument that it is given to not: that is found only where the field is.
    return isinstance(error.original_error, GraphQLError) and error.message.startswith("Argument ")


def error_entry(error: GraphQLError, request_id: str, *, suggest: bool) -> dict[str, Any]:
    """An error of a document: what nobody expected says nothing but where it happened.

    Without `suggest`, names of the schema that the client did not know are left out.
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
    """What a step of the call refused."""
    extensions: dict[str, Any] = {"code": error.code, "request_id": request_id}
    if error.retry_after_seconds is not None:
        extensions["retry_after_seconds"] = error.retry_after_seconds
    return {"message": error.message, "extensions": extensions}
