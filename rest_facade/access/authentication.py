"""Step 3: API keys. A key is looked up by its public id, cached for at most 120 s, and compared in constant time."""

import asyncio
import hmac
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from uuid import UUID

from db.admin.key_format import ParsedKey, digest, parse_key
from db.reading.bounded_dict import BoundedDict
from db.reading.connection import Row
from db.reading.database import Database
from db.reading.key_statements import find_key
from db.tables.keys import Purpose
from rest_facade.access.key_databases import KeyDatabases
from rest_facade.errors.envelope import Refused
from rest_facade.errors.refusals import scope_denied

KNOWN_KEY_SECONDS = 120.0
"""Seconds for which a key is accepted after it was read (spec, Limits: key cache)."""

UNKNOWN_KEY_SECONDS = 10.0
"""Seconds for which an unknown key stays cached: a new key works after at most this time."""

MAX_KNOWN_KEYS, MAX_UNKNOWN_KEYS = 50_000, 10_000

DUMMY_DIGEST = digest("no key has this secret")

PublicKey = tuple[Purpose, str]
"""The purpose and the public id that a key claims."""

BeforeLookup = Callable[[], Awaitable[None]]
"""Awaited before a key is looked up in the database, such as `throttle.Attempt.reserve`."""


@dataclass(frozen=True)
class Caller:
    """The holder of an API key: its organization, scopes and quota overrides by resource group.

    `scopes` is None for a partner key, which may read everything.
    """

    public_id: str
    organization_id: UUID
    scopes: frozenset[str] | None
    quotas: Mapping[str, int]

    @cached_property
    def organization(self) -> str:
        """The id of its organization as text: to write a UUID takes a microsecond."""
        return str(self.organization_id)

    def has_scope(self, scope: str) -> bool:
        """Whether the key may read what needs this scope."""
        return self.scopes is None or scope in self.scopes

    def require_scope(self, scope: str) -> None:
        """Raise Refused (403) if an MCP key lacks the scope."""
        if not self.has_scope(scope):
            raise Refused(scope_denied(scope))


@dataclass(frozen=True)
class InternalCaller:
    """The holder of an internal token, and the organizations that it may read; None means all.

    `label` names its team. `trusted_documents_only`: GraphQL executes the documents of the team and no others.
    """

    public_id: str
    label: str
    organization_ids: frozenset[UUID] | None
    trusted_documents_only: bool = False

    def may_read(self, organization_id: UUID) -> bool:
        """Whether the token covers an organization. The organization need not exist."""
        return self.organization_ids is None or organization_id in self.organization_ids


@dataclass(frozen=True)
class CachedKey:
    """A key as it was read from the database. `read_at` is monotonic time; `holder` is None for an unknown key."""

    read_at: float
    digest: bytes
    expires_at: datetime | None
    holder: Caller | InternalCaller | None


@dataclass(eq=False)
class PendingLookup:
    """A database lookup in progress, and the number of requests that wait for it."""

    task: asyncio.Task[CachedKey]
    waiting: int = 0


class KeyCache:
    """Cache of API keys and internal tokens. A lookup that fails raises, and is not cached.

    `primary`: where keys are looked up while it answers, if `database` is a replica.
    """

    def __init__(
        self, database: Database, clock: Callable[[], float] = time.monotonic, *, primary: Database | None = None
    ) -> None:
        self._databases = KeyDatabases(database, primary)
        self._clock = clock
        self.hits = self.misses = 0
        self._known: BoundedDict[PublicKey, CachedKey] = BoundedDict(MAX_KNOWN_KEYS)
        # A cache of their own, so that a flood of invented keys can't evict the valid ones.
        self._unknown: BoundedDict[PublicKey, CachedKey] = BoundedDict(MAX_UNKNOWN_KEYS)
        self._pending: dict[PublicKey, PendingLookup] = {}

    async def caller(self, text: str | None, before_lookup: BeforeLookup | None = None) -> Caller | None:
        """The caller of an API key; None if the key is missing, malformed, unknown, expired or revoked.

        None, too, where its organization is suspended or deleted. Awaits `before_lookup` before it looks a key up that
        is not cached. Raises what that raises, and the database's exception if the key could not be looked up.
        """
        key = parse_key(text) if text is not None else None
        if key is None or key.purpose is Purpose.internal:
            return None
        holder = await self._holder(key, before_lookup)
        return holder if isinstance(holder, Caller) else None

    async def internal_caller(
        self, text: str | None, before_lookup: BeforeLookup | None = None
    ) -> InternalCaller | None:
        """The same for internal tokens. A token is never valid as an API key, nor a key as a token."""
        key = parse_key(text) if text is not None else None
        if key is None or key.purpose is not Purpose.internal:
            return None
        holder = await self._holder(key, before_lookup)
        return holder if isinstance(holder, InternalCaller) else None

    async def _holder(self, key: ParsedKey, before_lookup: BeforeLookup | None) -> Caller | InternalCaller | None:
        cache_key = (key.purpose, key.public_id)
        cached = self._cached(cache_key)
        if cached is None:
            self.misses += 1
            # A request that joins a pending lookup causes none of its own.
            if before_lookup is not None and cache_key not in self._pending:
                await before_lookup()
            cached = self._cached(cache_key) or await self._lookup_once(cache_key)
        else:
            self.hits += 1
        # Every cause of a refusal does the same work, so that timing does not reveal the cause.
        same = hmac.compare_digest(cached.digest, key.digest)
        expired = cached.expires_at is not None and cached.expires_at <= datetime.now(UTC)
        return cached.holder if same and not expired else None

    def _cached(self, cache_key: PublicKey) -> CachedKey | None:
        now = self._clock()
        cached = self._known.get(cache_key)
        if cached is not None and now < cached.read_at + KNOWN_KEY_SECONDS:
            return cached
        cached = self._unknown.get(cache_key)
        return cached if cached is not None and now < cached.read_at + UNKNOWN_KEY_SECONDS else None

    async def _lookup_once(self, cache_key: PublicKey) -> CachedKey:
        """Single flight: concurrent requests share one lookup. It is cancelled when no request waits for it."""
        lookup = self._pending.get(cache_key)
        if lookup is None:
            lookup = PendingLookup(asyncio.create_task(self._lookup(cache_key)))
            self._pending[cache_key] = lookup
            lookup.task.add_done_callback(lambda _: self._forget(cache_key, lookup))
        lookup.waiting += 1
        try:
            return await asyncio.shield(lookup.task)
        except asyncio.CancelledError:
            # This request's deadline has passed: later requests start a lookup of their own.
            self._forget(cache_key, lookup)
            if lookup.waiting == 1:
                # A lookup that hangs must not keep its connection.
                lookup.task.cancel()
            raise
        finally:
            lookup.waiting -= 1

    def _forget(self, cache_key: PublicKey, lookup: PendingLookup) -> None:
        if self._pending.get(cache_key) is lookup:
            del self._pending[cache_key]

    async def _lookup(self, cache_key: PublicKey) -> CachedKey:
        """Look a key up. Known and unknown keys cost the same reads: timing must not tell them apart."""
        read_at = self._clock()
        known = await self._databases.read(lambda database: _read_key(database, cache_key, read_at))
        if known is not None:
            self._known[cache_key] = known
            return known
        unknown = self._unknown[cache_key] = CachedKey(read_at, DUMMY_DIGEST, None, None)
        return unknown


async def _read_key(database: Database, cache_key: PublicKey, read_at: float) -> CachedKey | None:
    """A key with all that authentication needs, in one round trip; None where it is not valid."""
    purpose, public_id = cache_key
    rows, active, overrides = await find_key(database, public_id)
    if not rows or rows[0].revoked_at is not None or rows[0].purpose != purpose.value:
        return None
    row = rows[0]
    if purpose is Purpose.internal:
        return CachedKey(read_at, bytes(row.digest), row.expires_at, _internal_caller(row))
    return CachedKey(read_at, bytes(row.digest), row.expires_at, _caller(row, overrides)) if active else None


def _caller(row: Row, overrides: Sequence[Row]) -> Caller:
    return Caller(
        row.public_id,
        row.organization_id,
        frozenset(row.scopes) if row.scopes is not None else None,
        {override.resource_group: override.request_limit for override in overrides},
    )


def _internal_caller(row: Row) -> InternalCaller:
    ids = row.organization_ids
    organization_ids = frozenset(ids) if ids is not None else None
    return InternalCaller(row.public_id, row.label, organization_ids, row.trusted_documents_only)
