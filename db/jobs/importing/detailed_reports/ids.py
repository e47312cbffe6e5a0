"""Ids of imported rows: UUIDs of version 7, which begin with a time, so that rows of one time lie together.

Entries of a report have no ids. Theirs is a hash of what identifies them, so that each import finds them again, and so
that it can be told from a stored id whether the row came from the same time tracker.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, time, tzinfo
from hashlib import sha256
from itertools import product
from secrets import randbits
from uuid import UUID

from db.jobs.importing.detailed_reports.intervals import MAX_ENTRY
from db.tables.timesheets import MAX_INTERVAL

_RANDOM_BITS = 74
_LOW_BITS = 62
_TIME_SHIFT = 80

_MOST_AT_ONCE, _MOST_A_DAY = 10, 200
"""Entries of one person with the same start, or of the same day, whose ids `has` recognizes at most."""


@dataclass(frozen=True)
class EntryIds:
    """The ids of entries of one time tracker in one organization, in one table."""

    organization_id: UUID
    tracker: str
    table: str
    day_zone: tzinfo | None = None
    """The zone of the days, if entries have no times of day."""

    def id(self, user_id: UUID, started_at: datetime, number: int, begin: datetime) -> UUID:
        """The id of the piece that starts at `begin`, of the person's entry of that number and start."""
        parts = (self.organization_id, self.tracker, self.table, user_id, started_at.timestamp(), number)
        return _version_7(begin, int.from_bytes(sha256("/".join(map(str, parts)).encode()).digest()))

    def has(self, id: UUID, user_id: UUID, begin: datetime) -> bool:
        """Whether a stored row is of an entry of this time tracker."""
        pieces, numbers = range(1 + MAX_ENTRY // MAX_INTERVAL), _MOST_AT_ONCE
        if self.day_zone is not None:
            begin = datetime.combine(begin.astimezone(self.day_zone).date(), time(), self.day_zone).astimezone(UTC)
            pieces, numbers = range(1), _MOST_A_DAY
        if id.int >> _TIME_SHIFT != _milliseconds(begin):
            return False
        return any(
            self.id(user_id, begin - piece * MAX_INTERVAL, number, begin) == id
            for piece, number in product(pieces, range(numbers))
        )


def new_id() -> UUID:
    """An id that no row has."""
    return _version_7(datetime.now(UTC), randbits(_RANDOM_BITS))


def _milliseconds(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


def _version_7(moment: datetime, bits: int) -> UUID:
    version = 7 << 76 | (bits >> _LOW_BITS & 0xFFF) << 64
    variant = 0b10 << _LOW_BITS | bits & (1 << _LOW_BITS) - 1
    return UUID(int=_milliseconds(moment) << _TIME_SHIFT | version | variant)
