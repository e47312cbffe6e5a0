"""SQL of calendar periods: the first day of the week or the month of a day, and its weekday."""

from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import ColumnElement, Date, Integer, Text, case, cast, func, select

from db.tables.columns import constant, in_organization
from db.tables.people import Weekday, organizations


def weekday_number(name: ColumnElement[Any]) -> ColumnElement[int]:
    """The number of a value of `Weekday`: 1 for Monday."""
    return case({day.value: number for number, day in enumerate(Weekday, start=1)}, value=name)


_week_start_day = select(weekday_number(organizations.c.week_start_day)).where(in_organization(organizations))


def _iso_weekday(day: ColumnElement[Any]) -> ColumnElement[int]:
    return cast(func.date_part(constant("isodow"), day), Integer)


def week_start(day: ColumnElement[Any]) -> ColumnElement[Any]:
    """The first day of the week, which begins at `week_start_day` of the organization."""
    days = (_iso_weekday(day) + constant(7) - _week_start_day.scalar_subquery()) % constant(7)
    return cast(day - days, Date)


def month_start(day: ColumnElement[Any]) -> ColumnElement[Any]:
    """The first day of the month."""
    return cast(day - cast(func.date_part(constant("day"), day) - constant(1), Integer), Date)


def weekday(day: ColumnElement[Any]) -> ColumnElement[str]:
    """The value of `Weekday`."""
    names: Mapping[Any, Any] = {number: constant(each.value) for number, each in enumerate(Weekday, start=1)}
    return case(names, value=_iso_weekday(day), else_=cast(None, Text))


PERIODS: Mapping[str, tuple[Callable[[ColumnElement[Any]], ColumnElement[Any]], str]] = {
    "date": (lambda day: day, "Day"),
    "week_start": (week_start, "First day of the week, which begins at week_start_day of the organization"),
    "month_start": (month_start, "First day of the month"),
    "weekday": (weekday, "Day of the week"),
}
"""What a day is grouped by, and what its column has."""
