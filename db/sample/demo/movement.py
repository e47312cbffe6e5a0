"""How rows of data files move in time: their last week becomes the current one.

Rows move by whole weeks, so that Mondays stay Mondays, and keep their local time of day where clocks change in between.
Rows of the folder `running`, such as running timers, move by quarters of an hour instead: they are always as old.
"""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from sqlalchemy import Column, Date, DateTime

LAST_DAY = date(2026, 11, 22)
"""The Sunday on which the last week of the files ends."""

RUNNING_AT = datetime(2026, 11, 22, 18, tzinfo=UTC)
"""The moment of the rows in the folder `running`."""

WEEK = timedelta(weeks=1)
QUARTER = timedelta(minutes=15)


@dataclass(frozen=True)
class Movement:
    """SQL of the moved values of a record `r`. The session's time zone is that of the organization."""

    now: datetime
    timezone: str
    is_running: bool

    @property
    def days(self) -> int:
        return ((self.now.date() - LAST_DAY + 6 * timedelta(days=1)) // WEEK) * 7

    def moved(self, column: Column[object]) -> str:
        """A value of a column; days and times are moved, others are as they were."""
        value = f"r.{column.name}"
        if isinstance(column.type, Date):
            return f"{value} + {self.days}"
        if not isinstance(column.type, DateTime):
            return value
        if self.is_running:
            return f"{value} + interval '{(self.now - RUNNING_AT) // QUARTER * QUARTER.seconds} seconds'"
        return f"{value} + interval '{self.days} days'"

    def before(self, moment: datetime) -> str:
        """The time in the files that moves to a moment: cheaper to compare with than moved values are."""
        local = moment.astimezone(ZoneInfo(self.timezone)) - timedelta(days=self.days)
        return f"TIMESTAMPTZ '{local.isoformat()}'"
