"""Cache of trusted documents: the text by team and id, read from the database of keys.

GraphQL over HTTP, appendix "Persisted Documents", calls them persisted documents that are used as an allow-list.
"""

import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

from cachetools import TLRUCache

from db.reading.database import Database
from db.reading.key_statements import TRUSTED_DOCUMENT
from db.reading.transaction import NO_ORGANIZATION
from db.tables.keys import DOCUMENT_ID, TEAM
from rest_facade.access.key_databases import KeyDatabases

KNOWN_DOCUMENT_SECONDS = 120.0
"""Seconds for which a document is answered after it was read, as a key is: a removed one is answered no longer."""

UNKNOWN_DOCUMENT_SECONDS = 10.0
"""Seconds for which an unknown id stays cached: a new document works after at most this time."""

MAX_CACHED_BYTES = 2**22
TRUSTED_ENTRY_OVERHEAD = 2**11
"""The size of each cache; each text counts its bytes and the overhead, so at most 2,048 fit."""


class TrustedDocuments:
    """The documents of teams. A lookup that fails raises, and is not cached.

    Calls that need the same document at once each look it up: GraphQL runs a few operations at a time.
    """

    def __init__(self, databases: KeyDatabases, clock: Callable[[], float] = time.monotonic) -> None:
        self._databases = databases
        self._clock = clock
        # Two caches, so that invented ids can't evict documents.
        self._known = _cache(KNOWN_DOCUMENT_SECONDS, clock)
        self._unknown = _cache(UNKNOWN_DOCUMENT_SECONDS, clock)

    async def find(self, team: str, document_id: str) -> str | None:
        """The text of a document; None if the team has no such document. Raises what `Database.read_rows` raises."""
        key = (team, document_id)
        for cache in (self._known, self._unknown):
            if (cached := cache.get(key)) is not None:
                return cached.text
        read_at = self._clock()
        values = {TEAM.key: team, DOCUMENT_ID.key: document_id}
        text = await self._databases.read(lambda database: _read_document(database, values))
        cache = self._unknown if text is None else self._known
        cache[key] = _CachedText(read_at, text)
        return text


async def _read_document(database: Database, values: Mapping[str, str]) -> str | None:
    """The text of a document. No table of an organization is read."""
    (rows,) = await database.read_rows(NO_ORGANIZATION, [(TRUSTED_DOCUMENT, values)])
    return str(rows[0].document) if rows else None


class _CachedText(NamedTuple):
    """The text of a document, None for an unknown id, and when the database was asked (monotonic time)."""

    read_at: float
    text: str | None


def _cache(seconds: float, clock: Callable[[], float]) -> TLRUCache[tuple[str, str], _CachedText]:
    """An LRU cache of limited size by team and id, whose entries end `seconds` after they were read."""

    def size(entry: _CachedText) -> int:
        return TRUSTED_ENTRY_OVERHEAD + len((entry.text or "").encode())

    return TLRUCache(MAX_CACHED_BYTES, lambda _, entry, __: entry.read_at + seconds, clock, size)
