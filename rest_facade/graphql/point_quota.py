"""Points of operations: the quota of a token that counts rows beside calls."""

from collections.abc import Mapping
from dataclasses import dataclass

from rest_facade.access.rate_counter import Count, CountingFailed, RateCounter
from rest_facade.errors.envelope import Refused
from rest_facade.errors.refusals import SERVICE_UNAVAILABLE
from rest_facade.graphql.errors import points_exceeded


@dataclass(frozen=True)
class ChargedPoints:
    """The points of one operation, and the state of the window in which they are counted."""

    charged: int
    count: Count

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers of the response. The window is that of the calls, whose headers say when it ends."""
        return {"X-Cost-Limit": str(self.count.limit), "X-Cost-Remaining": str(self.count.remaining)}


class PointQuota:
    """Points per window and token: one for each row that an operation asks for, at least one for an operation.

    Before an operation runs, the rows of its estimate are counted. After it, those above the objects of its answer are
    given back: so a document that may return much and returns little costs little. One with a list without `limit`
    costs the objects of its answer, also where these are more.
    """

    def __init__(self, counter: RateCounter, limit: int) -> None:
        self._counter = counter
        self._limit = limit

    async def reserve(self, token: str, rows: int) -> ChargedPoints:
        """Count the estimated rows. Raises Refused: 429 if fewer points are left, 503 if they can't be counted."""
        points = max(1, rows)
        try:
            count = await self._counter.reserve(token, self._limit, points)
        except CountingFailed as error:
            raise Refused(SERVICE_UNAVAILABLE) from error
        charged = ChargedPoints(points, count)
        if count.over:
            raise Refused(points_exceeded(points, count, charged.headers))
        return charged

    async def settle(self, token: str, reserved: ChargedPoints, objects: int, *, is_open: bool) -> ChargedPoints:
        """Give back what the answer did not need; with `is_open`, count what it needed above the estimate."""
        points = max(1, objects if is_open else min(reserved.charged, objects))
        if points == reserved.charged:
            return reserved
        try:
            count = await self._counter.give_back(token, reserved.count, reserved.charged - points)
        except CountingFailed:
            # The operation has run: its answer is worth more than the points.
            return reserved
        return ChargedPoints(points, count)
