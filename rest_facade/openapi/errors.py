"""OpenAPI responses of errors: one for each status, with examples and headers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import orjson

from rest_facade.errors import refusals
from rest_facade.errors.envelope import Error
from rest_facade.errors.refusals import Code
from rest_facade.openapi.schemas import reference
from rest_facade.rest.request import DATA_AS_OF_HEADER
from rest_facade.rest.unknown_parameters import UNKNOWN_PARAMETERS_HEADER

REQUEST_ID = "9f1c2b7d4e8a4f0c8b6d5a3e2f1c0b9a"


def _header(
    description: str, example: str | int, type_: str = "string", *, required: bool = False, **limits: str | int
) -> dict[str, Any]:
    """A header. `limits` are further keywords of its schema."""
    is_required = {"required": True} if required else {}
    return {"description": description, **is_required, "schema": {"type": type_, **limits}, "example": example}


HEADERS: Mapping[str, dict[str, Any]] = {
    "X-Request-ID": _header(
        "Id of the request, equal to `error.request_id` in an error.",
        REQUEST_ID,
        required=True,
        pattern="^[0-9a-f]{32}$",
    ),
    DATA_AS_OF_HEADER: _header(
        "The response has every change that was committed before this moment. To poll, send the earliest moment of "
        "the last walk, less a minute, as `updated_since`. Absent if nothing was read, or if the moment is unknown.",
        "2026-01-01T00:00:00.123456Z",
        format="date-time",
    ),
    refusals.SCOPES_HEADER: _header(
        "The scopes of an MCP key, separated by spaces.", "organization:read projects:read"
    ),
    UNKNOWN_PARAMETERS_HEADER: _header(
        "Query parameters that the operation does not have, and ignored, with the nearest that it has.",
        "stauts (did you mean status?)",
    ),
    "RateLimit-Limit": _header(
        "Requests allowed per window. Absent if the request was not counted.", 30, "integer", minimum=1
    ),
    "RateLimit-Remaining": _header(
        "Requests left in the current window. Absent if the request was not counted.", 29, "integer", minimum=0
    ),
    "RateLimit-Reset": _header(
        "Start of the next window, Unix time in seconds. Absent if the request was not counted.",
        1767225660,
        "integer",
        format="int64",
    ),
    "Retry-After": _header("Seconds to wait before the next request.", 17, "integer", required=True, minimum=1),
    "WWW-Authenticate": _header(
        "The header that takes the key.", refusals.CHALLENGE["WWW-Authenticate"], required=True
    ),
    refusals.REQUIRED_SCOPE_HEADER: _header("The scope that the MCP key lacks.", "members:read", required=True),
    "Link": _header(
        'With 404, the path with its last slash (`rel="canonical"`). With 400 of a walk by cursor, the page behind the '
        'person who has too many timesheets (`rel="next"`). Otherwise absent.',
        '<https://api.example.com/v1/members/>; rel="canonical"',
    ),
    "Allow": _header("Allowed methods.", refusals.ALLOW["Allow"], required=True),
}

RATES = ("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")
OF_KEY = (refusals.SCOPES_HEADER, UNKNOWN_PARAMETERS_HEADER)
"""Headers of responses to a valid key."""

OF_DATA = (DATA_AS_OF_HEADER, *OF_KEY, *RATES)
"""Headers of responses for which the data was read."""


@dataclass(frozen=True)
class ErrorKind:
    """All errors of one status: an example of each, and the headers besides X-Request-ID."""

    description: str
    examples: Sequence[Error]
    headers: Sequence[str] = ()


KINDS = (
    ErrorKind(
        "A parameter is missing, malformed or out of range. Only the first failure is reported.",
        (
            refusals.invalid("limit must be >= 1.", "limit"),
            refusals.cap_exceeded(
                "User has 1204 timesheets in range; maximum is 1000. Narrow start_date/end_date.",
                {"timesheets_in_range": 1204, "timesheets_cap": 1000},
            ),
        ),
        (*OF_DATA, "Link"),
    ),
    ErrorKind(
        "The key is missing, malformed, expired or revoked.",
        (refusals.INVALID_API_KEY, refusals.NO_API_KEY),
        ("WWW-Authenticate",),
    ),
    ErrorKind(
        "The MCP key lacks the scope of the operation.",
        (refusals.scope_denied("members:read"),),
        (*OF_KEY, refusals.REQUIRED_SCOPE_HEADER, *RATES),
    ),
    ErrorKind(
        "An entity named in the path or in a filter does not exist in the organization, or the path is unknown.",
        (refusals.not_found("Project not found."), refusals.ROUTE_NOT_FOUND),
        (*OF_DATA, "Link"),
    ),
    ErrorKind("The method is not GET or OPTIONS.", (refusals.METHOD_NOT_ALLOWED,), ("Allow",)),
    ErrorKind(
        "The rate limit of the organization is exceeded, or too many invalid keys came from this IP address.",
        (refusals.rate_limited(17), refusals.throttled(42)),
        ("Retry-After", refusals.SCOPES_HEADER, *RATES),
    ),
    ErrorKind(
        "Unexpected error. The service logs it with the request id.", (refusals.INTERNAL_ERROR,), (*OF_KEY, *RATES)
    ),
    ErrorKind(
        "The rate limit could not be checked, so the request was refused. Try again.",
        (refusals.SERVICE_UNAVAILABLE,),
        ("Retry-After", *OF_KEY),
    ),
)

CAPS: Mapping[str, str] = {
    "timesheets_in_range": "Timesheets of one person in the range.",
    "timesheets_cap": "The largest number of them.",
    "log_count": "Rows that the response would have.",
    "log_cap": "The largest number of them.",
}
"""The integers of `details`. Named, since generators of clients make no class of a choice between list and integer."""

DETAILS = "Messages by parameter name, or the integers of an exceeded cap. Often absent."


def error_name(kind: ErrorKind) -> str:
    """`NotFound` for 404."""
    return HTTPStatus(kind.examples[0].status).phrase.title().replace(" ", "")


def headers(names: Sequence[str]) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in ("X-Request-ID", *names)}


def schemas() -> dict[str, Any]:
    return {error_name(kind): _schema(kind) for kind in KINDS}


def responses() -> dict[str, Any]:
    return {error_name(kind): _response(kind) for kind in KINDS}


def references() -> dict[str, Any]:
    """The errors of an operation, by status."""
    return {str(kind.examples[0].status): {"$ref": f"#/components/responses/{error_name(kind)}"} for kind in KINDS}


def _response(kind: ErrorKind) -> dict[str, Any]:
    names = [error.code.lower() for error in kind.examples]
    keys = [f"{name}_{number}" if names.index(name) != number else name for number, name in enumerate(names)]
    return {
        "description": kind.description,
        "headers": headers(kind.headers),
        "content": {
            "application/json": {
                "schema": reference(error_name(kind)),
                "examples": {
                    name: {"value": orjson.loads(error.body(REQUEST_ID))}
                    for name, error in zip(keys, kind.examples, strict=True)
                },
            }
        },
    }


def _schema(kind: ErrorKind) -> dict[str, Any]:
    codes = list(dict.fromkeys(error.code for error in kind.examples))
    properties: dict[str, Any] = {
        "code": {"type": "string", "enum": [code.value for code in codes], "description": "Error code."},
        "message": {"type": "string", "description": "Message for people."},
        "request_id": {"type": "string", "description": "Id of the request, also in `X-Request-ID`."},
    }
    if Code.RATE_LIMIT_EXCEEDED in codes:
        properties["retry_after_seconds"] = {
            "type": "integer",
            "minimum": 1,
            "description": "Seconds until the window ends; only with RATE_LIMIT_EXCEEDED.",
        }
    if Code.VALIDATION_ERROR in codes:
        properties["details"] = {
            "type": "object",
            "description": DETAILS,
            "properties": {name: {"type": "integer", "description": text} for name, text in CAPS.items()},
            "additionalProperties": {"type": "array", "items": {"type": "string"}, "minItems": 1},
        }
    error = {
        "type": "object",
        "properties": properties,
        "required": ["code", "message", "request_id"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "description": kind.description,
        "properties": {"error": error},
        "required": ["error"],
        "additionalProperties": False,
    }
