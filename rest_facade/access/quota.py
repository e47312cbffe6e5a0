"""Steps 4 and 6: the request quota of an organization, and its RateLimit headers (spec, Limits)."""

from collections.abc import Mapping

from rest_facade.access.authentication import Caller
from rest_facade.access.quota_use import QuotaUse
from rest_facade.access.rate_counter import Count, CountingFailed, RateCounter
from rest_facade.errors.envelope import Error, Refused
from rest_facade.errors.refusals import SERVICE_UNAVAILABLE, rate_limited

DEFAULT_GROUP = ""
"""The resource group of an override for all groups that have none of their own."""

GRAPHQL_GROUP = "graphql"
"""The group of GraphQL calls in the use of an organization. Their quota is that of a token."""


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
            count = await self._counter.consume(f"{caller.organization_id}:{method}:{group}", limit)
        except CountingFailed:
            return None
        self.use.add(caller.organization_id, group, is_refused=count.over)
        return count


def quota_of(overrides: Mapping[str, int], group: str, limit: int) -> int:
    """The quota of a resource group: its override, that of all groups without one, or the `limit` of all."""
    return overrides.get(group) or overrides.get(DEFAULT_GROUP) or limit


def exceeded(count: Count | None) -> Error | None:
    """The error (429) if the quota of the window is used up."""
    return rate_limited(count.retry_after) if count is not None and count.over else None


def refuse_exceeded(count: Count) -> None:
    """Raise Refused (429) if the quota of the window is used up."""
    if (error := exceeded(count)) is not None:
        raise Refused(error)


def refuse_uncounted(count: Count | None) -> None:
    """Raise Refused (503) if the request could not be counted. It fails closed, after the scope (spec, Errors)."""
    if count is None:
        raise Refused(SERVICE_UNAVAILABLE)


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
