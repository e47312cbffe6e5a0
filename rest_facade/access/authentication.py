"""Step 3: whose key is it? Keys are looked up by public id, cached for at most 120 s, and compared in constant time."""

import asyncio
import hmac
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from cachetools import TLRUCache

from db.admin.key_format import ParsedKey, digest, parse_key
from db.reading.connection import Row
from db.reading.database import Database
from db.reading.key_statements import KEY_BY_PUBLIC_ID, QUOTA_OVERRIDES
from db.tables.keys import Purpose
from rest_facade.rest.errors import SCOPE_DENIED, Refused

KNOWN_KEY_SECONDS = 120.0
"""Seconds that a key may be honoured after it was read (spec, Limits: key cache)."""

UNKNOWN_KEY_SECONDS = 10.0
"""Seconds that an unknown key is remembered, so that a fresh one works soon."""

MOST_KNOWN, MOST_UNKNOWN = 50_000, 10_000

DUMMY = digest("no key has this secret")
NOBODY = UUID(int=0)  # no organization has this id


@dataclass(frozen=True)
class Caller:
    """Who asks: a key's organization, and what it may read. No scopes at all means everything."""

    public_id: str
    organization_id: UUID
    scopes: frozenset[str] | None
    quotas: Mapping[str, int]

    def may(self, scope: str) -> bool:
        """Whether the key reads this: a partner key does, an MCP key with the scope."""
        return self.scopes is None or scope in self.scopes

    def require(self, scope: str) -> None:
        """Raise Refused (403) where an MCP key lacks the scope."""
        if not self.may(scope):
            raise Refused(SCOPE_DENIED)


@dataclass(frozen=True)
class Team:
    """Who asks on the internal listener: a token, and the organizations that it may name; None means all."""

    public_id: str
    label: str
    organization_ids: frozenset[UUID] | None

    def may_name(self, organization_id: UUID) -> bool:
        """Whether the team may ask about an organization. That says nothing on whether there is one."""
        return self.organization_ids is None or organization_id in self.organization_ids


@dataclass(frozen=True)
class CachedKey:
    """A key as it was read, and when, on a clock that never goes back. `holder` is None for an unknown key."""

    read_at: float
    digest: bytes
    purpose: Purpose | None
    expires_at: datetime | None
    holder: Caller | Team | None


@dataclass(eq=False)
class PendingLookup:
    """A look-up under way, and how many requests wait for it."""

    task: asyncio.Task[CachedKey]
    waiting: int = 0


class KeyCache:
    """The cache of keys. A failed look-up is never kept, and never taken for an unknown key."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.monotonic) -> None:
        self._database = database
        self._clock = clock
        self.hits = self.misses = 0
        self._known: TLRUCache[str, CachedKey] = TLRUCache(
            MOST_KNOWN, lambda _, s, __: s.read_at + KNOWN_KEY_SECONDS, clock
        )
        # Apart, so that a flood of made-up keys can't drive out the good ones.
        self._unknown: TLRUCache[str, CachedKey] = TLRUCache(
            MOST_UNKNOWN, lambda _, s, __: s.read_at + UNKNOWN_KEY_SECONDS, clock
        )
        self._reading: dict[str, PendingLookup] = {}

    async def caller(self, text: str | None) -> Caller | None:
        """The caller whose key this is; None for any key that is missing, malformed, unknown, expired or revoked.

        Raises what the database raises where the key could not be looked up.
        """
        key = parse_key(text) if text is not None else None
        if key is None or key.purpose is Purpose.internal:
            return None
        holder = await self._holder(key)
        return holder if isinstance(holder, Caller) else None

    async def team(self, text: str | None) -> Team | None:
        """The same for the tokens of internal teams, which are no good for anything else."""
        key = parse_key(text) if text is not None else None
        if key is None or key.purpose is not Purpose.internal:
            return None
        holder = await self._holder(key)
        return holder if isinstance(holder, Team) else None

    async def _holder(self, key: ParsedKey) -> Caller | Team | None:
        stored = self._known.get(key.public_id) or self._unknown.get(key.public_id)
        if stored is None:
            self.misses += 1
            stored = await self._read_once(key.public_id)
        else:
            self.hits += 1
        # Each cause does the same work, so that time tells nothing.
        same = hmac.compare_digest(stored.digest, key.digest)
        expired = stored.expires_at is not None and stored.expires_at <= datetime.now(UTC)
        return stored.holder if same and stored.purpose is key.purpose and not expired else None

    async def _read_once(self, public_id: str) -> CachedKey:
        """One look-up, however many requests wait for it; one that gives up does not take it from the others."""
        reading = self._reading.get(public_id)
        if reading is None:
            reading = PendingLookup(asyncio.create_task(self._read(public_id)))
            self._reading[public_id] = reading
            reading.task.add_done_callback(lambda _: self._forget(public_id, reading))
        reading.waiting += 1
        try:
            return await asyncio.shield(reading.task)
        except asyncio.CancelledError:
            # Whoever comes later does not wait for what took this request too long.
            self._forget(public_id, reading)
            if reading.waiting == 1:
                # Nobody is left to hear of it: it shall not keep a connection that hangs.
                reading.task.cancel()
            raise
        finally:
            reading.waiting -= 1

    def _forget(self, public_id: str, reading: PendingLookup) -> None:
        if self._reading.get(public_id) is reading:
            del self._reading[public_id]

    async def _read(self, public_id: str) -> CachedKey:
        read_at = self._clock()
        rows = await self._database.read_key(public_id, KEY_BY_PUBLIC_ID)
        if not rows or rows[0].revoked_at is not None:
            # The second look-up of a known key, in vain: time must not tell which keys there are.
            await self._database.read(NOBODY, [(QUOTA_OVERRIDES, {})])
            stored = CachedKey(read_at, DUMMY, None, None, None)
            self._unknown[public_id] = stored
            return stored
        row = rows[0]
        holder = _team(row) if row.organization_id is None else await self._caller(row)
        stored = CachedKey(read_at, bytes(row.digest), Purpose(row.purpose), row.expires_at, holder)
        self._known[public_id] = stored
        return stored

    async def _caller(self, row: Row) -> Caller:
        overrides = (await self._database.read(row.organization_id, [(QUOTA_OVERRIDES, {})]))[0]
        return Caller(
            row.public_id,
            row.organization_id,
            frozenset(row.scopes) if row.scopes is not None else None,
            {override.resource_group: override.request_limit for override in overrides},
        )


def _team(row: Row) -> Team:
    ids = row.organization_ids
    return Team(row.public_id, row.label, frozenset(ids) if ids is not None else None)
