"""Dates of a report, in the order of day, month and year that its user has set.

ISO dates say their order themselves, and so do dates with dots, which are written day first. Of a date with slashes or
hyphens, only a number above 12 tells the day from the month: the order holds for the whole file, so one such date
decides it for all others.
"""

import re
from datetime import date
from enum import StrEnum

_DATE = re.compile(r"(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})", re.ASCII)
_YEAR_DIGITS = 4
_YEARS = range(1970, 2200)
"""A date outside these years is a mistake."""


class DateOrder(StrEnum):
    """The order of day and month, where the year is last."""

    dmy = "dmy"
    mdy = "mdy"


def read_date(text: str, order: DateOrder | None) -> date:
    """The date. Raises ValueError with the reason. `order` may be None if each date says its order itself."""
    dates = dates_by_order(text)
    if order is None:
        if len(set(dates.values())) > 1:
            raise ValueError("is day first or month first")
        return next(iter(dates.values()))
    if order not in dates:
        raise ValueError(f"is not a date in the order {order}")
    return dates[order]


def dates_by_order(text: str) -> dict[DateOrder, date]:
    """The date that the text is in each order in which it is one. Raises ValueError for none, with the reason."""
    match = _DATE.fullmatch(text)
    if match is None:
        raise ValueError("is not a date")
    first, separator, second, third = match.groups()
    if len(first) == _YEAR_DIGITS and len(third) < _YEAR_DIGITS - 1:
        readings = dict.fromkeys(DateOrder, (first, second, third))
    elif len(third) == _YEAR_DIGITS and len(first) < _YEAR_DIGITS - 1:
        day_first = (third, second, first)
        readings = {DateOrder.dmy: day_first, DateOrder.mdy: day_first if separator == "." else (third, first, second)}
    else:
        raise ValueError("is not a date with a year of four digits")
    dates = {}
    for order, (year, month, day) in readings.items():
        if int(year) not in _YEARS:
            raise ValueError(f"is not a date between {_YEARS[0]} and {_YEARS[-1]}")
        try:
            dates[order] = date(int(year), int(month), int(day))
        except ValueError:
            continue
    if not dates:
        raise ValueError("is not a date of the calendar")
    return dates
