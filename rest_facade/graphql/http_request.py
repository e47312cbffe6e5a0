"""The GraphQL request in an HTTP request: media types, body size, JSON (GraphQL over HTTP, sections 4 to 6)."""

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

# As JSON escapes it, and as a document escapes it within JSON. PostgreSQL can't store it in text.
NUL = re.compile(rb"\\u(0000|\{0+\})")

UNSUPPORTED_MEDIA_TYPE = Error(415, Code.VALIDATION_ERROR, "Content-Type must be application/json.")
# The rest of the body is not read, so the connection can't be used again.
BODY_TOO_LARGE = Error(413, Code.VALIDATION_ERROR, f"The body exceeds {MAX_BODY} bytes.", {"Connection": "close"})


class GraphQLRequest(NamedTuple):
    """A document, the name of the operation to execute, and its variables.

    `wants_cost`: the response has the cost of the operation in its `extensions`.
    """

    query: str
    name: str | None
    variables: Mapping[str, Any]
    wants_cost: bool = False


def media_type(headers: Headers) -> str:
    """The media type of the response: GraphQL's own if Accept prefers it to JSON or rates both alike."""
    qualities = dict(_quality(each) for each in ",".join(headers.getlist("accept")).split(","))
    quality = qualities.get(GRAPHQL_MEDIA_TYPE, 0.0)
    return GRAPHQL_MEDIA_TYPE if quality > 0 and quality >= qualities.get(JSON_MEDIA_TYPE, 0.0) else JSON_MEDIA_TYPE


def require_json(headers: Headers) -> None:
    """Raise Refused (415) unless the body is JSON. Parameters of the media type are ignored."""
    if headers.get("content-type", "").split(";")[0].strip().lower() != JSON_MEDIA_TYPE:
        raise Refused(UNSUPPORTED_MEDIA_TYPE)


async def read_body(headers: Headers, receive: Receive) -> bytes:
    """The body. Raises Refused (413) as soon as it is too large, by Content-Length or by the bytes received."""
    length = headers.get("content-length", "")
    if length.isdecimal() and (len(length) > 18 or int(length) > MAX_BODY):
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
    """The GraphQL request in a body. Raises Refused (400)."""
    try:
        content = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise Refused(invalid("The body is not valid JSON.")) from error
    if not isinstance(content, dict):
        raise Refused(invalid("The body must be a JSON object."))
    if NUL.search(body):
        raise Refused(invalid("The body must not name the character NUL."))
    query, name, variables = content.get("query"), content.get("operationName"), content.get("variables")
    if not isinstance(query, str) or not query.strip():
        raise Refused(invalid("query must be a GraphQL document."))
    if not isinstance(name, str | None):
        raise Refused(invalid("operationName must be a string."))
    if not isinstance(variables, dict | None):
        raise Refused(invalid("variables must be a JSON object."))
    extensions = content.get("extensions")
    if not isinstance(extensions, dict | None):
        raise Refused(invalid("extensions must be a JSON object."))
    wants_cost = (extensions or {}).get("cost", False)
    if not isinstance(wants_cost, bool):
        raise Refused(invalid("extensions.cost must be true or false."))
    return GraphQLRequest(query, name or None, variables or {}, wants_cost)


def _quality(text: str) -> tuple[str, float]:
    """A media range of Accept, and its quality value (RFC 9110, 12.4.2)."""
    name, *parameters = (part.strip().lower() for part in text.split(";"))
    for parameter in parameters:
        if parameter.startswith("q="):
            try:
                return name, float(parameter.removeprefix("q="))
            except ValueError:
                return name, 0.0
    return name, 1.0
