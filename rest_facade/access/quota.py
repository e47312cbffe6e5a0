"""Steps 4 and 6: how many requests an organization may still make, and the headers that tell it."""

from collections.abc import Mapping

from rest_facade.access.authentication import Caller
from rest_facade.access.rate_counter import Count, CountingFailed, RateCounter
from rest_facade.rest.errors import Refused, rate_limited

EVERY_OTHER_GROUP = ""


class Quota:
    """Requests per window, organization, method and resource group (spec, Limits)."""

    def __init__(self, counter: RateCounter, limit: int) -> None:
        self._counter = counter
        self._limit = limit

    async def spend(self, caller: Caller, method: str, group: str) -> Count | None:
        """Count one request. None where it could not be counted: whether that matters is for a later step."""
        limit = caller.quotas.get(group) or caller.quotas.get(EVERY_OTHER_GROUP) or self._limit
        try:
            return await self._counter.spend(f"{caller.organization_id}:{method}:{group}", limit)
        except CountingFailed:
            return None


def refuse_over(count: Count | None) -> None:
    """Raise Refused (429) where the window is used up."""
    if count is not None and count.over:
        raise Refused(rate_limited(count.retry_after))


def headers(count: Count) -> Mapping[str, str]:
    """What every response says for which accounting was completed. `RateLimit-Reset` is a Unix time."""
    return {
        "RateLimit-Limit": str(count.limit),
        "RateLimit-Remaining": str(count.remaining),
        "RateLimit-Reset": str(count.reset),
    }
