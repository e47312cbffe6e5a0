"""Steps 4 and 6: the request quota of an organization, its use in the last minutes, and its RateLimit headers (spec,
Limits).
"""

import time
from collections.abc import Callable, Mapping
from uuid import UUID

import orjson

from rest_facade.access.authentication import Caller
from rest_facade.access.rate_counter import Count, CountingFailed, RateCounter
from rest_facade.errors.envelope import Refused
from rest_facade.errors.refusals import SERVICE_UNAVAILABLE, rate_limited

DEFAULT_GROUP = ""
"""The resource group of an override for all groups that have none of their own."""

GRAPHQL_GROUP = "graphql"
"""The group of GraphQL calls in the use of an organization. Their quota is that of a token."""

MINUTES = 15
"""Minutes that are kept, the present one included."""

MinuteCounts = dict[int, dict[str, list[int]]]
"""Requests, and those of them that were refused, by organization, as a number, and resource group."""


class QuotaUse:
    """The counts of one process by minute, organization and resource group."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self.started_at = clock()
        self._minute = 0
        self._counts: MinuteCounts = {}
        """The counts of the present minute."""
        self._by_minute: dict[int, MinuteCounts] = {}

    def add(self, organization_id: UUID, group: str, *, is_refused: bool) -> None:
        """Count one request."""
        minute = int(self._clock() / 60)
        if minute != self._minute:
            # Those that are over are dropped.
            self._by_minute = {each: counts for each, counts in self._by_minute.items() if abs(minute - each) < MINUTES}
            self._counts = self._by_minute.setdefault(minute, {})
            self._minute = minute
        # A UUID is slow to hash.
        counts = self._counts.setdefault(organization_id.int, {}).setdefault(group, [0, 0])
        counts[0] += 1
        counts[1] += is_refused

    def answer(self, request: bytes) -> bytes:
        """The counts of the last MINUTES as JSON, for any worker, which sends the organizations separated by commas."""
        last = int(self._clock() / 60)
        use = [
            (id_, group, minute, *counts)
            for minute, organizations in self._by_minute.items()
            if last - MINUTES < minute <= last
            for id_ in request.decode().split(",")
            if id_
            for group, counts in organizations.get(int(id_, 16), {}).items()
        ]
        return orjson.dumps({"started_at": self.started_at, "use": use})


class Quota:
    """Requests per window, counted by organization, method and resource group.

    `use` has those of the last minutes in this process.
    """

    def __init__(self, counter: RateCounter, limit: int, use: QuotaUse | None = None) -> None:
        self._counter = counter
        self.limit = limit
        self.use = use or QuotaUse()

    async def consume(self, caller: Caller, method: str, group: str) -> Count | None:
        """Count one request. None if it could not be counted; a later step decides what that means."""
        limit = quota_of(caller.quotas, group, self.limit)
        try:
            count = await self._counter.consume(f"{caller.organization}:{method}:{group}", limit)
        except CountingFailed:
            return None
        self.use.add(caller.organization_id, group, is_refused=count.over)
        return count


def quota_of(overrides: Mapping[str, int], group: str, limit: int) -> int:
    """The quota of a resource group: its override, that of all groups without one, or the `limit` of all."""
    return overrides.get(group) or overrides.get(DEFAULT_GROUP) or limit


async def consume_or_refuse(counter: RateCounter, key: str, limit: int, headers: dict[str, str]) -> None:
    """Count one use of a key, and add its rate limit to the headers of the response.

    Raises Refused: 429 over the limit, 503 if it can't be counted.
    """
    try:
        count = await counter.consume(key, limit)
    except CountingFailed as error:
        raise Refused(SERVICE_UNAVAILABLE) from error
    headers.update((name.decode(), value.decode()) for name, value in rate_limit_headers(count).items())
    if count.over:
        raise Refused(rate_limited(count.retry_after))


def rate_limit_headers(count: Count) -> Mapping[bytes, bytes]:
    """The headers of every response to a request that was counted. `RateLimit-Reset` is a Unix time."""
    return {
        b"ratelimit-limit": b"%d" % count.limit,
        b"ratelimit-remaining": b"%d" % count.remaining,
        b"ratelimit-reset": b"%d" % count.reset,
    }
