"""Replaced days: those whose entries an import replaces, as a user or the name of a file gives them."""

import re
from datetime import date, tzinfo
from typing import NamedTuple, Self

from db.jobs.importing.detailed_reports.dates import YEARS, read_date
from db.jobs.importing.detailed_reports.intervals import day_bounds
from db.jobs.importing.detailed_reports.mapping import DateOrder

_DATE = re.compile(r"(?<!\d)\d{1,4}([-_.])\d{1,2}\1\d{1,4}(?!\d)", re.ASCII)


class TimeSpan(NamedTuple):
    """The time from one instant until another, in seconds of Unix time."""

    low: int
    high: int

    def contains(self, moment: str, written: str = "{}") -> str:
        """SQL: whether a moment is in the time. `written`: how SQL writes an instant."""
        return f"({moment} >= {written.format(self.low)} AND {moment} < {written.format(self.high)})"


class ReplacedDays(NamedTuple):
    """Days, both included."""

    first: date
    last: date

    @classmethod
    def parse(cls, text: str) -> Self:
        """The days of `2026-03-01..2026-03-31`, or one day. Raises ValueError with a sentence."""
        first, _, last = text.partition("..")
        days = cls(date.fromisoformat(first), date.fromisoformat(last or first))
        if days.last < days.first:
            raise ValueError(f"{text} ends before it begins")
        return days

    @classmethod
    def of_name(cls, name: str, order: DateOrder | None) -> Self | None:
        """The days that the name of a file says, as those of trackers do; None if it says none, or may say others."""
        try:
            days = [read_date(match[0].replace("_", "/"), order) for match in _DATE.finditer(name)]
        except ValueError:
            return None
        first, last = days if len(days) == 2 else (None, None)
        return None if first is None or last is None or last < first else cls(first, last)

    def instants(self, zone: tzinfo) -> TimeSpan:
        """When the first day begins and the last one ends."""
        return TimeSpan(day_bounds(self.first, zone)[0], day_bounds(self.last, zone)[1])

    def __str__(self) -> str:
        return "all days" if self == EVERY_DAY else f"{self.first} to {self.last}"


EVERY_DAY = ReplacedDays(date(YEARS[0], 1, 1), date(YEARS[-1], 12, 31))
