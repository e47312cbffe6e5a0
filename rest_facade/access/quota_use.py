"""Quota use of the last minutes in this process: requests that were counted, and those of them that were refused.

Requests cost a look-up in two dictionaries. Only requests with a valid key are counted, so that the size is bounded by
the organizations that made requests, their resource groups, and MINUTES.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from uuid import UUID

import orjson

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
