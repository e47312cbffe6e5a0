"""The GraphQL request in an HTTP request: media types, JSON (GraphQL over HTTP, sections 4 to 6).

A document may be named instead of sent: by `documentId` (appendix "Persisted Documents") or by the hash in
`extensions.persistedQuery` (the protocol of Apollo clients).
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

import orjson
from graphql import GraphQLSyntaxError, Lexer, Source, TokenKind
from starlette.datastructures import Headers

from rest_facade.errors.envelope import Refused
from rest_facade.errors.refusals import invalid
from rest_facade.rest.json_body import JSON_MEDIA_TYPE
from schema.documents.cost_limits import MAX_TOKENS
from schema.documents.document_id import ID_PREFIX, SHA256_HEX, is_document_id, sha256_hex

GRAPHQL_MEDIA_TYPE = "application/graphql-response+json"

# An escape of the character NUL in JSON: PostgreSQL can't store it in text. Two backslashes are one character.
NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")
ESCAPE = re.compile(r"\\u(?:0000|\{0+\})")
"""The same in a string of a document."""

REQUEST_KEYS = ("query", "operationName", "variables", "extensions", "documentId")
"""The keys of a body, and the parameters of a URL, that are read; others are ignored."""

PERSISTED_QUERY_VERSION = 1


class GraphQLRequest(NamedTuple):
    """A document, the name of the operation to execute, and its variables.

    At least one of `query`, `document_id` and `query_hash` is not None; `query_hash` is that of `query` if both are
    there. `wants_cost`: the response has the cost of the operation in its `extensions`.
    """

    query: str | None
    name: str | None
    variables: Mapping[str, Any]
    wants_cost: bool = False
    document_id: str | None = None
    query_hash: str | None = None

    @property
    def document_hash(self) -> str:
        """The SHA-256 of the document, in hexadecimal."""
        if self.document_id is not None:
            return self.document_id.removeprefix(ID_PREFIX)
        return self.query_hash or sha256_hex(self.query or "")


def media_type(headers: Headers) -> str:
    """The media type of the response: GraphQL's own if Accept prefers it to JSON or rates both alike."""
    qualities = dict(_quality(each) for each in ",".join(headers.getlist("accept")).split(","))
    quality = qualities.get(GRAPHQL_MEDIA_TYPE, 0.0)
    return GRAPHQL_MEDIA_TYPE if quality > 0 and quality >= qualities.get(JSON_MEDIA_TYPE, 0.0) else JSON_MEDIA_TYPE


def parse_request(body: bytes) -> GraphQLRequest:
    """The GraphQL request in the body of a POST. Raises Refused (400)."""
    content = _json("The body is not valid JSON in UTF-8.", body)
    if not isinstance(content, dict):
        raise Refused(invalid("The body must be a JSON object."))
    if NUL.search(body) or has_nul(content.get("query")):
        raise Refused(invalid("The body must not name the character NUL."))
    return _request(content)


def parse_parameters(query_string: bytes) -> GraphQLRequest:
    """The GraphQL request in the URL of a GET: `variables` and `extensions` are JSON. Raises Refused (400)."""
    try:
        pairs = parse_qsl(query_string.decode(), keep_blank_values=True, errors="strict")
    except UnicodeDecodeError as error:
        raise Refused(invalid("The parameters of the URL must be UTF-8, percent-encoded.")) from error
    content: dict[str, Any] = {}
    for name, value in pairs:
        if name not in REQUEST_KEYS:
            continue
        if name in content:
            raise Refused(invalid(f"{name} must not be sent twice."))
        # An empty value is none (GraphQL over HTTP, GET).
        is_json = name in ("variables", "extensions") and value
        if "\0" in value or (NUL.search(value.encode()) if is_json else has_nul(value)):
            raise Refused(invalid("The URL must not name the character NUL."))
        content[name] = _json(f"{name} is not valid JSON.", value) if is_json else value or None
    return _request(content)


def has_nul(text: Any) -> bool:
    """Whether a string of a document has the character NUL, escaped. What follows MAX_TOKENS is refused anyway.

    The escape of a block string, or behind another backslash, is plain text.
    """
    if not isinstance(text, str) or not ESCAPE.search(text):
        return False
    lexer = Lexer(Source(text))
    with suppress(GraphQLSyntaxError):
        for _ in range(MAX_TOKENS):
            token = lexer.advance()
            if token.kind is TokenKind.STRING and "\0" in (token.value or ""):
                return True
            if token.kind is TokenKind.EOF:
                break
    return False


def _json(refusal: str, text: str | bytes) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise Refused(invalid(refusal)) from error


def _request(content: Mapping[str, Any]) -> GraphQLRequest:
    """The checked request. Raises Refused (400)."""
    query, name, variables, extensions, document_id = map(content.get, REQUEST_KEYS)
    if not isinstance(extensions, dict | None):
        raise Refused(invalid("extensions must be a JSON object."))
    query_hash = _query_hash((extensions or {}).get("persistedQuery"))
    is_named = document_id is not None or query_hash is not None
    if (query is not None or not is_named) and (not isinstance(query, str) or not query.strip()):
        raise Refused(invalid("query must be a GraphQL document."))
    if document_id is not None:
        if not isinstance(document_id, str) or not is_document_id(document_id):
            raise Refused(invalid("documentId must be sha256: and 64 hexadecimal digits in lower case."))
        if query is not None or query_hash is not None:
            raise Refused(invalid("Send documentId without query and without extensions.persistedQuery."))
    if query is not None and query_hash is not None and sha256_hex(query) != query_hash:
        raise Refused(invalid("extensions.persistedQuery.sha256Hash is not the SHA-256 of query."))
    if not isinstance(name, str | None):
        raise Refused(invalid("operationName must be a string."))
    if not isinstance(variables, dict | None):
        raise Refused(invalid("variables must be a JSON object."))
    wants_cost = (extensions or {}).get("cost", False)
    if not isinstance(wants_cost, bool):
        raise Refused(invalid("extensions.cost must be true or false."))
    return GraphQLRequest(query, name or None, variables or {}, wants_cost, document_id, query_hash)


def _query_hash(persisted: Any) -> str | None:
    """The hash of an automatic persisted query; None without one. Raises Refused (400)."""
    if persisted is None:
        return None
    query_hash = persisted.get("sha256Hash") if isinstance(persisted, dict) else None
    if not isinstance(query_hash, str) or not SHA256_HEX.fullmatch(query_hash):
        message = "extensions.persistedQuery.sha256Hash must be 64 hexadecimal digits in lower case."
        raise Refused(invalid(message))
    version = persisted.get("version")
    if version != PERSISTED_QUERY_VERSION or isinstance(version, bool):
        raise Refused(invalid(f"extensions.persistedQuery.version must be {PERSISTED_QUERY_VERSION}."))
    return query_hash


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
