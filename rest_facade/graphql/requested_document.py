"""The document that a call asks for: its text, the hash of a text that was sent before, or the id of a trusted one.

Hashes are automatic persisted queries, whose protocol is that of Apollo clients (Apollo Server, "Automatic persisted
queries"): a client sends the hash alone; if it is unknown, it sends hash and document, and later the hash alone again.
"""

from typing import NamedTuple

from rest_facade.access.authentication import InternalCaller
from rest_facade.errors.envelope import Refused
from rest_facade.graphql.errors import (
    PERSISTED_QUERY_NOT_FOUND,
    PERSISTED_QUERY_NOT_SUPPORTED,
    TRUSTED_DOCUMENTS_ONLY,
    document_not_found,
)
from rest_facade.graphql.http_request import GraphQLRequest
from rest_facade.graphql.trusted_documents import TrustedDocuments
from rest_facade.telemetry.metrics import DocumentKind
from schema.documents.document_id import ID_PREFIX
from schema.documents.team_cache import TeamCache

PersistedQueries = TeamCache[str, str]
"""Texts by their SHA-256 in hexadecimal, shared by teams. Each worker has its own."""

MAX_CACHED_BYTES = 2**22
ENTRY_OVERHEAD = 2**12
"""The size of the cache; each text counts its bytes and the overhead, so at most 1,024 fit."""


class RequestedDocument(NamedTuple):
    """The text of the document, and how the call named it."""

    text: str
    kind: DocumentKind


class RequestedDocuments:
    """Finds the document of a call.

    `persisted` is None where automatic persisted queries are off. `trusted_only`: no token may send other documents.
    """

    def __init__(
        self, trusted: TrustedDocuments, persisted: PersistedQueries | None, *, trusted_only: bool = False
    ) -> None:
        self._trusted = trusted
        self._persisted = persisted
        self._trusted_only = trusted_only

    def is_limited(self, caller: InternalCaller) -> bool:
        """Whether a caller may ask for trusted documents only."""
        return self._trusted_only or caller.trusted_documents_only

    def admit(self, request: GraphQLRequest, caller: InternalCaller) -> None:
        """Raise Refused (403) for a document in a call that may ask for trusted ones only."""
        if request.query is not None and self.is_limited(caller):
            raise Refused(TRUSTED_DOCUMENTS_ONLY)

    async def find(self, request: GraphQLRequest, caller: InternalCaller) -> RequestedDocument:
        """The document of an admitted call. Raises Refused: 404 for an id that the team does not have.

        Apollo clients send the id of a trusted document as a hash, without its prefix. A hash that is unknown is
        refused with the status 200 that these clients need.
        """
        if request.document_id is not None:
            return await self._trusted_document(request.document_id, caller)
        if request.query_hash is None:
            assert request.query is not None
            return RequestedDocument(request.query, DocumentKind.text)
        if request.query is not None:
            if self._persisted is None:
                raise Refused(PERSISTED_QUERY_NOT_SUPPORTED)
            return RequestedDocument(request.query, DocumentKind.persisted)
        if self.is_limited(caller):
            return await self._trusted_document(ID_PREFIX + request.query_hash, caller)
        kept = self._persisted.get(request.query_hash) if self._persisted is not None else None
        if kept is not None:
            return RequestedDocument(kept, DocumentKind.persisted)
        trusted = await self._trusted.find(caller.label, ID_PREFIX + request.query_hash)
        if trusted is not None:
            return RequestedDocument(trusted, DocumentKind.trusted)
        raise Refused(PERSISTED_QUERY_NOT_SUPPORTED if self._persisted is None else PERSISTED_QUERY_NOT_FOUND)

    def keep(self, request: GraphQLRequest, caller: InternalCaller) -> None:
        """Keep the document of a call that sent it with its hash. It is valid and within the limits."""
        if self._persisted is not None and request.query_hash is not None and request.query is not None:
            size = len(request.query.encode()) + ENTRY_OVERHEAD
            self._persisted.put(request.query_hash, request.query, size, caller.label)

    async def _trusted_document(self, document_id: str, caller: InternalCaller) -> RequestedDocument:
        text = await self._trusted.find(caller.label, document_id)
        if text is None:
            raise Refused(document_not_found(document_id))
        return RequestedDocument(text, DocumentKind.trusted)
