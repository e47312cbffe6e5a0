"""How rows of data files move in time: their last week becomes the current one.

Rows move by whole weeks, so that Mondays stay Mondays, and keep their local time of day where clocks change in between.
Rows of the folder `running`, such as running timers, move by quarters of an hour instead: they are always as old.
"""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from sqlalchemy import Column, Date, DateTime

from db.jobs.importing.statements import quoted

LAST_DAY = date(2026, 11, 22)
"""The Sunday on which the last week of the files ends."""

RUNNING_AT = datetime(2026, 11, 22, 18, tzinfo=UTC)
"""The moment of the rows in the folder `running`."""

WEEK = timedelta(weeks=1)
QUARTER = timedelta(minutes=15)


@dataclass(frozen=True)
class Movement:
    """SQL of the moved values of a record `r`. `timezone` is that of the organization."""

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
        zone = quoted(self.timezone)
        return f"(({value} AT TIME ZONE {zone}) + interval '{self.days} days') AT TIME ZONE {zone}"
