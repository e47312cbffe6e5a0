"""Bodies of automatic persisted queries, and their answers."""

from hashlib import sha256
from typing import Any

NAMED = {"data": {"organization": {"name": "Initech"}}}
NOT_FOUND = (200, "PERSISTED_QUERY_NOT_FOUND", "PersistedQueryNotFound")
NOT_SUPPORTED = (200, "PERSISTED_QUERY_NOT_SUPPORTED", "PersistedQueryNotSupported")


def hash_of(query: str) -> str:
    return sha256(query.encode()).hexdigest()


def by_hash(query: str, *, sent: bool = False, **more: Any) -> dict[str, Any]:
    """A body with the hash of a document, and the document itself if it is `sent`."""
    extensions = {"persistedQuery": {"version": 1, "sha256Hash": hash_of(query)}}
    return {"extensions": extensions, **({"query": query} if sent else {}), **more}
