"""Activity slots: the input in each quarter of an hour of a timesheet, which holds their sums."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from db.sample.demo.area import Row
from db.sample.demo.random_source import RandomSource
from db.tables.timesheets import IdleAction

QUARTER = timedelta(minutes=15)
COUNTERS = ("input_seconds", "active_seconds", "keyboard_seconds", "mouse_seconds")


class InactivePeriod(NamedTuple):
    """A part of a timesheet without input; `is_captured` is False in breaks and discarded idle time."""

    begin: datetime
    end: datetime
    is_captured: bool


def inactive_period(row: Row) -> InactivePeriod:
    """The inactive period of an idle time or of a break."""
    counts = row.get("action") in (IdleAction.kept, IdleAction.pending)
    return InactivePeriod(row["started_at"], row["ended_at"], counts)


def activity_slot_rows(random: RandomSource, row: Row, inactive: Sequence[InactivePeriod]) -> Iterator[Row]:
    """The slots of one timesheet up to its last heartbeat; writes their sums into `row`."""
    begin, end = row["started_at"], row["tracked_until"]
    diligence, typing = 0.5 + random.random() * 0.4, 0.3 + random.random() * 0.5
    sums = dict.fromkeys(COUNTERS, 0)
    deleted = row["deleted_at"]
    at = floor(begin)
    while at < end:
        after = at + QUARTER
        low, high = max(begin, at), min(end, after)
        captured = with_input = (high - low).seconds
        for period in inactive:
            lost = _overlap(low, high, period)
            with_input -= lost
            if not period.is_captured:
                captured -= lost
        if captured > 0:
            active = int(with_input * min(1.0, diligence + random.random() * 0.2))
            keyboard = int(active * typing)
            counters = {
                "input_seconds": captured,
                "active_seconds": active,
                "keyboard_seconds": keyboard,
                "mouse_seconds": active - keyboard + int(keyboard * random.random() * 0.4),
            }
            for name, seconds in counters.items():
                sums[name] += seconds
            yield {
                "user_id": row["user_id"],
                "slot_at": at,
                "timesheet_id": row["id"],
                **counters,
                "created_at": high,
                "updated_at": deleted or high,
                "deleted_at": deleted,
            }
        at = after
    row |= sums


def floor(moment: datetime) -> datetime:
    """The start of the slot that contains a timestamp."""
    return datetime.fromtimestamp(moment.timestamp() // 900 * 900, UTC)


def _overlap(low: datetime, high: datetime, period: InactivePeriod) -> int:
    return max(0, int((min(high, period.end) - max(low, period.begin)).total_seconds()))
