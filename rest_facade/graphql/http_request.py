"""What a call of /graphql asks, read from HTTP: media types, size and JSON (GraphQL over HTTP, sections 4 to 6)."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson
from starlette.datastructures import Headers
from starlette.types import Receive

from rest_facade.rest.errors import Code, Error, Refused, invalid

JSON_MEDIA_TYPE = "application/json"
GRAPHQL_MEDIA_TYPE = "application/graphql-response+json"

MAX_BODY = 64 * 1024

# As JSON writes it, and as a document does within JSON. No text of the database holds it.
NUL = re.compile(rb"\\u(0000|\{0+\})")

UNSUPPORTED_MEDIA_TYPE = Error(415, Code.VALIDATION_ERROR, "Content-Type must be application/json.")
# What is still on its way is not read, so that the connection can't be used again.
BODY_TOO_LARGE = Error(413, Code.VALIDATION_ERROR, f"The body exceeds {MAX_BODY} bytes.", {"Connection": "close"})


class GraphQLRequest(NamedTuple):
    """A document, which of its operations is meant, and the variables of that."""

    query: str
    name: str | None
    variables: Mapping[str, Any]


def media_type(headers: Headers) -> str:
    """How the answer is written: GraphQL's own media type where it is asked for at least as much as JSON."""
    qualities = dict(_quality(each) for each in ",".join(headers.getlist("accept")).split(","))
    own = qualities.get(GRAPHQL_MEDIA_TYPE, 0.0)
    return GRAPHQL_MEDIA_TYPE if own > 0 and own >= qualities.get(JSON_MEDIA_TYPE, 0.0) else JSON_MEDIA_TYPE


def require_json(headers: Headers) -> None:
    """Raise Refused (415) for anything but JSON, whatever its parameters."""
    if headers.get("content-type", "").split(";")[0].strip().lower() != JSON_MEDIA_TYPE:
        raise Refused(UNSUPPORTED_MEDIA_TYPE)


async def read_body(headers: Headers, receive: Receive) -> bytes:
    """The body. Raises Refused (413) as soon as it is too large, be that announced or not."""
    announced = headers.get("content-length", "")
    if announced.isdecimal() and (len(announced) > 18 or int(announced) > MAX_BODY):
        raise Refused(BODY_TOO_LARGE)
    body = b""
    more = True
    while more:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > MAX_BODY:
            raise Refused(BODY_TOO_LARGE)
        more = message.get("more_body", False)
    return body


def parse_request(body: bytes) -> GraphQLRequest:
    """What a body asks. Raises Refused (400)."""
    try:
        given = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise Refused(invalid("The body is not valid JSON.")) from error
    if not isinstance(given, dict):
        raise Refused(invalid("The body must be a JSON object."))
    if NUL.search(body):
        raise Refused(invalid("The body must not name the character NUL."))
    query, name, variables = given.get("query"), given.get("operationName"), given.get("variables")
    if not isinstance(query, str) or not query.strip():
        raise Refused(invalid("query must be a GraphQL document."))
    if not isinstance(name, str | None):
        raise Refused(invalid("operationName must be a string."))
    if not isinstance(variables, dict | None):
        raise Refused(invalid("variables must be a JSON object."))
    if not isinstance(given.get("extensions"), dict | None):
        raise Refused(invalid("extensions must be a JSON object."))
    return GraphQLRequest(query, name or None, variables or {})


def _quality(text: str) -> tuple[str, float]:
    """One media range of Accept, and how much it is wanted (RFC 9110, 12.4.2)."""
    name, *parameters = (part.strip().lower() for part in text.split(";"))
    for parameter in parameters:
        if parameter.startswith("q="):
            try:
                return name, float(parameter.removeprefix("q="))
            except ValueError:
                return name, 0.0
    return name, 1.0
