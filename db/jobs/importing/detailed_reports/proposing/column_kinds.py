"""Kinds of columns: what all values of one may be."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from db.jobs.importing.detailed_reports.dates import dates_by_order
from db.jobs.importing.detailed_reports.intervals import read_duration, read_end_time, read_time
from db.jobs.importing.detailed_reports.report_file import moment_parts
from db.jobs.importing.detailed_reports.values import read_email


def column_kind(values: Sequence[str]) -> str:
    values = [value for value in values if value]
    for kind, read in COLUMN_KINDS.items() if values else ():
        with suppress(ValueError):
            for value in values:
                read(value)
            return kind
    return TEXT if values else EMPTY


def kind_of_some(values: Sequence[str]) -> str:
    kinds = (column_kind([value]) for value in values if value)
    return next((kind for kind in kinds if kind != TEXT), column_kind(values))


def _moment(text: str) -> None:
    day, at = moment_parts(text)
    dates_by_order(day)
    read_time(at)


EMPTY, TEXT = "empty", "text"

COLUMN_KINDS: Mapping[str, Callable[[str], object]] = {
    "email": read_email,
    "number": lambda text: float(text.replace(",", ".")),
    "date": dates_by_order,
    "moment": _moment,
    "time": read_end_time,
    "duration": read_duration,
}
"""What all values of a column may be, besides empty and text, and what raises ValueError for others: the first fits."""
