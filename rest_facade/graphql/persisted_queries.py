"""Automatic persisted queries: documents that clients have sent once, by the hash of their text.

The protocol is that of Apollo clients (Apollo Server, "Automatic persisted queries"): a client sends the hash alone;
if it is unknown, it sends hash and document, and later the hash alone again.
"""

from schema.documents.team_cache import TeamCache

MAX_CACHED_BYTES = 2**22
ENTRY_OVERHEAD = 2**12
"""The size of the cache; each text counts its bytes and the overhead, so at most 1,024 fit."""


class PersistedQueries:
    """LRU cache of texts by their SHA-256 in hexadecimal, shared by teams. Each worker has its own."""

    def __init__(self) -> None:
        self._texts: TeamCache[str, str] = TeamCache(MAX_CACHED_BYTES)

    def find(self, query_hash: str) -> str | None:
        """The text with this hash; None if it is not kept."""
        return self._texts.get(query_hash)

    def keep(self, query_hash: str, text: str, team: str) -> None:
        """Keep a text, which has this hash, for a team. Texts beyond the size are dropped."""
        self._texts.put(query_hash, text, len(text.encode()) + ENTRY_OVERHEAD, team)
