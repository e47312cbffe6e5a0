"""Steps 4 and 6: the request quota of an organization, its use in the last minutes, and its RateLimit headers (spec,
Limits).
"""

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from uuid import UUID

import orjson

from rest_facade.access.authentication import Caller
from rest_facade.access.rate_counter import Count, CountingFailed, RateCounter
from rest_facade.errors.envelope import Refused
from rest_facade.errors.refusals import rate_limited

DEFAULT_GROUP = ""
"""The resource group of an override for all groups that have none of their own."""

GRAPHQL_GROUP = "graphql"
"""The group of GraphQL calls in the use of an organization. Their quota is that of a token."""


MINUTES = 15
"""Minutes that are kept, the present one included."""

RequestCounts = list[int]
"""Requests, and those of them that were refused."""

MinuteCounts = dict[int, dict[str, RequestCounts]]
"""Counts by organization, as a number, and resource group."""

UseByMinute = Mapping[str, Mapping[int, tuple[int, int]]]
"""Requests and refusals by resource group and minute: whole minutes since 1970."""


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
            self._begin(minute)
        # A UUID is slow to hash.
        number = organization_id.int
        groups = self._counts.get(number)
        if groups is None:
            groups = self._counts[number] = {}
        counts = groups.get(group)
        if counts is None:
            counts = groups[group] = [0, 0]
        counts[0] += 1
        if is_refused:
            counts[1] += 1

    def of(self, organization_ids: Iterable[UUID]) -> Mapping[UUID, UseByMinute]:
        """The counts of these organizations in the last MINUTES."""
        minute = int(self._clock() / 60)
        kept = {each: counts for each, counts in self._by_minute.items() if minute - MINUTES < each <= minute}
        result: dict[UUID, UseByMinute] = {}
        for organization_id in organization_ids:
            groups: dict[str, dict[int, tuple[int, int]]] = {}
            for each, counts in kept.items():
                for group, (requests, refused) in counts.get(organization_id.int, {}).items():
                    groups.setdefault(group, {})[each] = requests, refused
            result[organization_id] = groups
        return result

    def answer(self, request: bytes) -> bytes:
        """The counts as JSON, for another worker, which sends the ids separated by commas."""
        ids = [UUID(hex=each) for each in request.decode().split(",") if each]
        use = {
            organization_id.hex: {
                group: [[minute, *counts] for minute, counts in minutes.items()] for group, minutes in groups.items()
            }
            for organization_id, groups in self.of(ids).items()
        }
        return orjson.dumps({"started_at": self.started_at, "use": use})

    def _begin(self, minute: int) -> None:
        """Count into another minute, and drop those that are over."""
        self._by_minute = {each: counts for each, counts in self._by_minute.items() if abs(minute - each) < MINUTES}
        self._counts = self._by_minute.setdefault(minute, {})
        self._minute = minute


def request_for(organization_ids: Iterable[UUID]) -> bytes:
    """The request that `QuotaUse.answer` of another worker answers."""
    return ",".join(each.hex for each in organization_ids).encode()


def summed(answers: Iterable[bytes], organization_ids: Iterable[UUID]) -> Mapping[UUID, UseByMinute]:
    """The counts of all workers together, from their answers."""
    result: dict[UUID, dict[str, dict[int, tuple[int, int]]]] = {each: {} for each in organization_ids}
    for answer in answers:
        content: Mapping[str, Any] = orjson.loads(answer)
        for organization_id, groups in result.items():
            for group, minutes in content["use"].get(organization_id.hex, {}).items():
                totals = groups.setdefault(group, {})
                for minute, requests, refused in minutes:
                    before = totals.get(minute, (0, 0))
                    totals[minute] = before[0] + requests, before[1] + refused
    return result


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


def refuse_exceeded(count: Count) -> None:
    """Raise Refused (429) if the quota of the window is used up."""
    if count.over:
        raise Refused(rate_limited(count.retry_after))


def rate_limit_headers(count: Count) -> Mapping[str, str]:
    """The headers of every response to a request that was counted. `RateLimit-Reset` is a Unix time."""
    return {
        "RateLimit-Limit": str(count.limit),
        "RateLimit-Remaining": str(count.remaining),
        "RateLimit-Reset": str(count.reset),
    }


def raw_rate_limit_headers(count: Count) -> Mapping[bytes, bytes]:
    """The same as bytes, for each response of /v1: to encode them takes twelve calls."""
    return {
        b"ratelimit-limit": b"%d" % count.limit,
        b"ratelimit-remaining": b"%d" % count.remaining,
        b"ratelimit-reset": b"%d" % count.reset,
    }
