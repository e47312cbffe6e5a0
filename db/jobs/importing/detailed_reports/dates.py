"""Dates of a report, in the order of day, month and year that its user has set.

ISO dates say their order themselves, and so do dates with dots, which are written day first. Of a date with slashes or
hyphens, only a number above 12 tells the day from the month: the order holds for the whole file, so one such date
decides it for all others. A file with such dates is read once more, for this alone.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import date
from functools import lru_cache

from db.jobs.importing.detailed_reports.mapping import WORDS, DateOrder, Field
from db.jobs.importing.detailed_reports.report_file import ReportFile, ReportLine, moment_parts
from db.jobs.importing.rows import Problem

_DATE = re.compile(r"(\d{1,4})([-/.]) ?(\d{1,2})\2 ?(\d{1,4})\.?", re.ASCII)
_COMPACT = re.compile(r"(\d{4})(\d\d)(\d\d)", re.ASCII)
# 2 Mar 2026, 02-March-2026, 02/Mar/26; Mar 2, 2026.
_NAMED = re.compile(r"([0-9]{1,2})[. /-]+(?:de )?([^\W\d_]{3,})[,. /-]+(?:de )?([0-9]{4}|[0-9]{2})")
_NAMED_FIRST = re.compile(r"([^\W\d_]{3,})\.? ([0-9]{1,2}),? ([0-9]{4})")
# 03/04/26 does not tell the year from the day: the user has to give the order.
_SHORT_YEAR = re.compile(r"^(\d{1,2}/\d{1,2}/)(\d\d)$", re.ASCII)
_MONTHS = {name: number for number, names in enumerate(WORDS["months"], start=1) for name in names}
# A day of the week before, or midnight after the date, as spreadsheets write it.
_AROUND = re.compile(
    rf"^(?!(?:{'|'.join(_MONTHS)})\w*\.? \d+,? \d)"
    r"[^\W\d]{2,10}\.?,? +(?=\d|[^\W\d_]{3,9}\.? \d)|[T ]0?0:00(:00(\.0+)?)?Z?$",
    re.IGNORECASE,
)
_YEAR_DIGITS = 4
YEARS = range(1971, 2200)
"""A date outside these years is a mistake. Programs that have none write 1970-01-01."""


class UndecidedOrder(Exception):
    """A file does not say the order of its dates, or says two."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__()
        self.problems = problems


@lru_cache(maxsize=100_000)
def read_date(text: str, order: DateOrder | None) -> date | None:
    """The date; None if it needs the order, which is not known. Raises ValueError with the reason."""
    dates = dates_by_order(text if order is None else _SHORT_YEAR.sub(r"\g<1>20\2", text))
    if order is None:
        return dates[DateOrder.dmy] if dates.get(DateOrder.dmy) == dates.get(DateOrder.mdy) else None
    if order not in dates:
        raise ValueError(f"is not a date in the order {order}")
    return dates[order]


def dates_by_order(text: str) -> dict[DateOrder, date]:
    """The date that the text is in each order in which it is one. Raises ValueError for none, with the reason."""
    text = _AROUND.sub("", text)
    match = _DATE.fullmatch(_numeric(text))
    if match is None:
        more = ""
        if text.isdigit() and len(text) == 5:
            more = ", but a number of a spreadsheet: format the column as a date"
        elif moment_parts(text)[1]:
            more = ", but has a time, too: give --map start=COLUMN, or end=COLUMN"
        raise ValueError(f"is not a date such as 2026-03-04 or 04.03.2026{more}")
    first, separator, second, third = match.groups()
    if len(first) == _YEAR_DIGITS and len(third) < _YEAR_DIGITS - 1:
        readings = dict.fromkeys(DateOrder, (first, second, third))
    elif len(first) < _YEAR_DIGITS - 1 and (len(third) == _YEAR_DIGITS or (len(third) == 2 and separator == ".")):
        third = f"20{third}"[-_YEAR_DIGITS:]
        day_first = (third, second, first)
        readings = {DateOrder.dmy: day_first, DateOrder.mdy: day_first if separator == "." else (third, first, second)}
    else:
        advice = ": give --dates dmy or --dates mdy" if _SHORT_YEAR.fullmatch(text) else ""
        raise ValueError(f"is not a date with a year of four digits{advice}")
    dates = {}
    for order, (year, month, day) in readings.items():
        if int(year) not in YEARS:
            raise ValueError(f"is not a date between {YEARS[0]} and {YEARS[-1]}")
        try:
            dates[order] = date(int(year), int(month), int(day))
        except ValueError:
            continue
    if not dates:
        raise ValueError("is not a date of the calendar")
    return dates


def _numeric(text: str) -> str:
    """The date in numbers: one with the name of a month has the day first, and dots."""
    if match := _COMPACT.fullmatch(text):
        return f"{match[1]}-{match[2]}-{match[3]}"
    if match := _NAMED_FIRST.fullmatch(text):
        month, day, year = match.groups()
    elif match := _NAMED.fullmatch(text):
        day, month, year = match.groups()
    else:
        return text
    number = _MONTHS.get(month.lower()[:4]) or _MONTHS.get(month.lower()[:3])
    return f"{day}.{number}.{year}" if number else text


def date_order(file: ReportFile) -> DateOrder:
    """The order that the dates of a file decide. Raises UndecidedOrder."""
    decided: dict[DateOrder, Problem] = {}
    undecided: Problem | None = None
    for line, field, text in _dates(file):
        try:
            dates = dates_by_order(text)
        except ValueError:
            # It is reported where the entry is read.
            continue
        if len(dates) == 1:
            order = next(iter(dates))
            reason = f"has the order {order}, but other dates of the file have another: give --dates dmy or --dates mdy"
            decided.setdefault(order, file.problem(line, reason, field, text))
        elif undecided is None and len(set(dates.values())) > 1:
            reason = "may begin with day or month, and no date of the file shows which: give --dates dmy or --dates mdy"
            undecided = file.problem(line, reason, field, text)
    if len(decided) == 1:
        return next(iter(decided))
    raise UndecidedOrder([*decided.values(), *([] if decided or undecided is None else [undecided])])


def _dates(file: ReportFile) -> Iterator[tuple[int, Field, str]]:
    seen: set[str] = set()
    for item in file.lines():
        if isinstance(item, ReportLine):
            for field in (Field.date, Field.end_date, Field.created):
                text = item.texts[field]
                if text and text not in seen:
                    seen.add(text)
                    yield item.line, field, text
