"""What is left to chance in the demo: moments, ids, when rows changed."""

from datetime import UTC, date, datetime, time, timedelta
from random import Random
from uuid import UUID

from db.demo.area import Row

HISTORY = timedelta(days=730)
MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Chance:
    """What is left to chance, the same for the same seed, from an organization's `start` to the `end`."""

    def __init__(self, seed: str, today: date) -> None:
        self.random = Random(seed)  # noqa: S311 - must be predictable, and keeps no secret
        self.end = datetime.combine(today, time(), UTC)
        self.start = self.end - HISTORY + timedelta(hours=7, minutes=42)

    def one_in(self, count: int) -> bool:
        return self.random.randrange(count) == 0

    def between(
        self, low: datetime, high: datetime, first: float = 0.0, last: float = 1.0, *, early: bool = False
    ) -> datetime:
        """A moment in the part of a span from `first` to `last`, in office hours if chance hits them."""
        moment = low
        for _ in range(20):
            fraction = self.random.random()
            if early:
                fraction *= fraction
            moment = low + (high - low) * (first + (last - first) * fraction)
            if moment.weekday() < 5 and 7 <= moment.hour < 17:
                break
        return max(low, whole(moment)) if self.one_in(10) else moment

    def moments(self, count: int, low: datetime, high: datetime, *, early: bool = False) -> list[datetime]:
        """Sorted moments. Every seventh equals the one before it, as in rows that one transaction wrote."""
        moments = sorted(self.between(low, high, early=early) for _ in range(count))
        for index in range(2, count, 7):
            moments[index] = moments[index - 1]
        return moments

    def id(self, at: datetime) -> UUID:
        """A UUID of version 7: the milliseconds of a moment, then chance."""
        milliseconds = (at - EPOCH) // timedelta(milliseconds=1)
        chance = self.random.getrandbits
        return UUID(int=milliseconds << 80 | 0x7 << 76 | chance(12) << 64 | 0b10 << 62 | chance(62))

    def stamps(self, *events: datetime | None, deleted: datetime | None = None) -> Row:
        """When a row was created (the first event), changed and deleted."""
        happened = [event for event in events if event is not None]
        changed = max(happened)
        if deleted is not None:
            changed = deleted
        elif self.one_in(2):
            changed = self.between(changed, self.end)
        return {"created_at": happened[0], "updated_at": changed, "deleted_at": deleted}

    def written(self, at: datetime, until: datetime, deleted: datetime | None = None) -> Row:
        """When a row was written that tells of `at`: within seconds, but not after `until`; then maybe deleted."""
        created = min(until, at + timedelta(microseconds=self.random.randrange(20_000_000)))
        return {"created_at": created, "updated_at": deleted or created, "deleted_at": deleted}


def whole(moment: datetime) -> datetime:
    """The second in which a moment lies."""
    return moment.replace(microsecond=0)
