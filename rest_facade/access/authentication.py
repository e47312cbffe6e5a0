"""API keys. A key is looked up by its public id, compared in constant time, and cached for at most 120 s.

The cache knows keys by the SHA-256 of their text, so that a cached key is neither parsed nor compared. What is not
cached must be well-formed before it is looked up.
"""

import asyncio
import hmac
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from hashlib import sha256
from typing import ClassVar, Generic, TypeVar
from uuid import UUID

from db.admin.key_format import MAX_KEY_LENGTH, ParsedKey, parse_key
from db.reading.connection import Row
from db.reading.database import Database, has_time_left
from db.reading.key_statements import find_key
from db.values.bounded_dict import BoundedDict
from db.values.purpose import Purpose
from rest_facade.access.key_databases import KeyDatabases
from rest_facade.access.throttle import Throttle
from rest_facade.errors.envelope import Error
from rest_facade.errors.refusals import INVALID_API_KEY, KEY_NOT_ALONE, NO_API_KEY

KNOWN_KEY_SECONDS = 120.0
"""Seconds for which a key is accepted after it was read (spec, Limits: key cache)."""

UNKNOWN_KEY_SECONDS = 10.0
"""Seconds for which an unknown key stays cached: a new key works after at most this time."""

MAX_KNOWN_KEYS, MAX_UNKNOWN_KEYS = 50_000, 10_000

DUMMY_DIGEST = bytes(32)
"""What the secret of a key that does not exist is compared with."""

NOT_OF_A_KEY = re.compile(r"\W", re.ASCII)

Holder = TypeVar("Holder")


def error_of_form(text: str | None) -> Error:
    """The error for text that is no valid key. It says whether the text has characters that no key has."""
    if not text:
        return NO_API_KEY
    return KEY_NOT_ALONE if NOT_OF_A_KEY.search(text) else INVALID_API_KEY


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
class CachedKey(Generic[Holder]):
    """A key as it was read from the database. `read_at` is monotonic time; `holder` is None for a key without one."""

    read_at: float
    holder: Holder | None
    expires_at: datetime | None = None

    @property
    def holder_now(self) -> Holder | None:
        """The holder, if the key has not expired."""
        return None if self.expires_at is not None and self.expires_at <= datetime.now(UTC) else self.holder


@dataclass(eq=False)
class PendingLookup(Generic[Holder]):
    """A database lookup in progress, and the number of requests that wait for it."""

    task: asyncio.Task[CachedKey[Holder]]
    waiting: int = 0


class KeyCache(ABC, Generic[Holder]):
    """Cache of the keys of some purposes. A lookup that fails raises, and is not cached."""

    purposes: ClassVar[Collection[Purpose]]

    def __init__(self, databases: KeyDatabases, clock: Callable[[], float] = time.monotonic) -> None:
        self._databases = databases
        self._clock = clock
        self.hits = self.misses = 0
        # By the digests of keys.
        self._known: BoundedDict[bytes, CachedKey[Holder]] = BoundedDict(MAX_KNOWN_KEYS)
        # A cache of their own, so that a flood of invented keys can't evict the valid ones.
        self._unknown: BoundedDict[bytes, CachedKey[Holder]] = BoundedDict(MAX_UNKNOWN_KEYS)
        self._pending: dict[bytes, PendingLookup[Holder]] = {}

    @abstractmethod
    def _holder(self, row: Row, active: Sequence[Row], overrides: Sequence[Row]) -> Holder | None:
        """The holder of a key; None if the key is not valid.

        `active` has a row if the organization of the key is active; `overrides` are its quotas.
        """

    async def caller(self, text: str | None, throttle: Throttle, address: str) -> Holder | Error:
        """The holder of a key; an error, which the throttle has counted, for a key that is not valid.

        That is one that is missing, malformed, unknown, expired or revoked, or whose organization is suspended or
        deleted. Raises Refused (429) if the address has no look-up left, and the database's exception if the key could
        not be looked up.
        """
        # Long text is refused before it is hashed.
        if text is None or len(text) > MAX_KEY_LENGTH:
            return await throttle.record_failure(address, error_of_form(text))
        digest = sha256(text.encode()).digest()
        cached = self._cached(digest)
        if cached is not None:
            self.hits += 1
            return cached.holder_now or await throttle.record_failure(address)
        key = parse_key(text)
        if key is None or key.purpose not in self.purposes:
            return await throttle.record_failure(address, error_of_form(text))
        self.misses += 1
        looking_up = asyncio.create_task(self._reserved_lookup(digest, key, throttle, address))
        try:
            return await asyncio.shield(looking_up)
        except asyncio.CancelledError:
            # Where the client has left, the lookup goes on: forged keys of clients that leave are counted, too.
            if not has_time_left():
                looking_up.cancel()
            # This retrieves its error. asyncio logs an error that is never retrieved.
            looking_up.add_done_callback(lambda task: task.cancelled() or task.exception())
            raise

    async def _reserved_lookup(self, digest: bytes, key: ParsedKey, throttle: Throttle, address: str) -> Holder | Error:
        """The holder of a key that is not cached, or the error."""
        # A request that joins a pending lookup causes none of its own.
        async with nullcontext() if digest in self._pending else throttle.reservation(address):
            cached = self._cached(digest) or await self._shared_lookup(digest, key)
            return cached.holder_now or await throttle.record_failure(address)

    def _cached(self, digest: bytes) -> CachedKey[Holder] | None:
        now = self._clock()
        cached = self._known.get(digest)
        if cached is not None and now < cached.read_at + KNOWN_KEY_SECONDS:
            return cached
        cached = self._unknown.get(digest)
        return cached if cached is not None and now < cached.read_at + UNKNOWN_KEY_SECONDS else None

    async def _shared_lookup(self, digest: bytes, key: ParsedKey) -> CachedKey[Holder]:
        """Single flight: concurrent requests share one lookup. It is cancelled when no request waits for it."""
        lookup = self._pending.get(digest)
        if lookup is None:
            lookup = PendingLookup(asyncio.create_task(self._read_key(digest, key)))
            self._pending[digest] = lookup
            lookup.task.add_done_callback(lambda _: self._forget(digest, lookup))
        lookup.waiting += 1
        try:
            return await asyncio.shield(lookup.task)
        except asyncio.CancelledError:
            # This request's deadline has passed: later requests start a lookup of their own.
            self._forget(digest, lookup)
            if lookup.waiting == 1:
                # A lookup that hangs must not keep its connection.
                lookup.task.cancel()
            raise
        finally:
            lookup.waiting -= 1

    def _forget(self, digest: bytes, lookup: PendingLookup[Holder]) -> None:
        if self._pending.get(digest) is lookup:
            del self._pending[digest]

    async def _read_key(self, digest: bytes, key: ParsedKey) -> CachedKey[Holder]:
        """Look a key up. Every cause of a refusal costs the same reads: timing must not tell them apart."""
        read_at = self._clock()

        async def read(database: Database) -> CachedKey[Holder] | None:
            """A key with all that authentication needs, in one round trip; None where it is not valid."""
            rows, active, overrides = await find_key(database, key.public_id)
            row = rows[0] if rows else None
            is_same = hmac.compare_digest(bytes(row.digest) if row is not None else DUMMY_DIGEST, key.digest)
            if row is None or not is_same or row.revoked_at is not None or row.purpose != key.purpose.value:
                return None
            holder = self._holder(row, active, overrides)
            return CachedKey(read_at, holder, row.expires_at) if holder is not None else None

        known = await self._databases.read(read)
        if known is not None:
            self._known[digest] = known
            return known
        unknown = self._unknown[digest] = CachedKey(read_at, None)
        return unknown


class ApiKeys(KeyCache[Caller]):
    """Cache of partner keys and MCP keys."""

    purposes = (Purpose.partner, Purpose.mcp)

    def _holder(self, row: Row, active: Sequence[Row], overrides: Sequence[Row]) -> Caller | None:
        if not active:
            return None
        scopes = frozenset(row.scopes) if row.scopes is not None else None
        quotas = {override.resource_group: override.request_limit for override in overrides}
        return Caller(row.public_id, row.organization_id, scopes, quotas)


class InternalTokens(KeyCache[InternalCaller]):
    """Cache of internal tokens, which are never valid as API keys, nor API keys as tokens."""

    purposes = (Purpose.internal,)

    def _holder(self, row: Row, active: Sequence[Row], overrides: Sequence[Row]) -> InternalCaller | None:
        ids = frozenset(row.organization_ids) if row.organization_ids is not None else None
        return InternalCaller(row.public_id, row.label, ids, row.trusted_documents_only)
