"""The seeded random source of the demo: timestamps, ids and choices that are the same for the same seed."""

from datetime import UTC, date, datetime, time, timedelta
from random import Random
from uuid import UUID

from db.sample.demo.area import Row

HISTORY = timedelta(days=730)
MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class RandomSource(Random):
    """A pseudo-random generator with draws of timestamps and ids between the `start` and `end` of an organization."""

    def __init__(self, seed: str, today: date) -> None:
        super().__init__(seed)
        self.end = datetime.combine(today, time(), UTC)
        self.start = self.end - HISTORY + timedelta(hours=7, minutes=42)

    def one_in(self, count: int) -> bool:
        return self.randrange(count) == 0

    def datetime_between(
        self, low: datetime, high: datetime, first: float = 0.0, last: float = 1.0, *, early: bool = False
    ) -> datetime:
        """A timestamp in the part of a span from `first` to `last`, in office hours if one of 20 draws is."""
        moment = low
        for _ in range(20):
            fraction = self.random()
            if early:
                fraction *= fraction
            moment = low + (high - low) * (first + (last - first) * fraction)
            if moment.weekday() < 5 and 7 <= moment.hour < 17:
                break
        return max(low, truncate_to_second(moment)) if self.one_in(10) else moment

    def datetimes(self, count: int, low: datetime, high: datetime, *, early: bool = False) -> list[datetime]:
        """Sorted timestamps. Every seventh equals the one before it, as in rows that one transaction wrote."""
        moments = sorted(self.datetime_between(low, high, early=early) for _ in range(count))
        for index in range(2, count, 7):
            moments[index] = moments[index - 1]
        return moments

    def uuid7(self, at: datetime) -> UUID:
        """A UUID of version 7: the milliseconds of a timestamp, then random bits."""
        milliseconds = (at - EPOCH) // timedelta(milliseconds=1)
        bits = self.getrandbits
        return UUID(int=milliseconds << 80 | 0x7 << 76 | bits(12) << 64 | 0b10 << 62 | bits(62))

    def timestamps(self, *events: datetime | None, deleted: datetime | None = None) -> Row:
        """The columns created_at (the first event), updated_at (the last event or later) and deleted_at."""
        happened = [event for event in events if event is not None]
        changed = max(happened)
        if deleted is not None:
            changed = deleted
        elif self.one_in(2):
            changed = self.datetime_between(changed, self.end)
        return {"created_at": happened[0], "updated_at": changed, "deleted_at": deleted}

    def timestamps_after(self, event: datetime, until: datetime, deleted: datetime | None = None) -> Row:
        """The same columns of a row written within 20 seconds after an event, but not after `until`."""
        created = min(until, event + timedelta(microseconds=self.randrange(20_000_000)))
        return {"created_at": created, "updated_at": deleted or created, "deleted_at": deleted}


def truncate_to_second(moment: datetime) -> datetime:
    return moment.replace(microsecond=0)
