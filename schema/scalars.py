"""Scalars: how each is read, strictly, and in which unit it stands.

Values leave as they are (UUID, date, datetime): the JSON writer renders them, in one place and one pass.
"""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any, NewType
from uuid import UUID

import strawberry
from strawberry.types.scalar import ScalarDefinition

from resolvers.day_bounds import names
from resolvers.period import Timezone

Seconds = NewType("Seconds", int)
Amount = NewType("Amount", str)
Quantity = NewType("Quantity", str)
Factor = NewType("Factor", str)
Texts = NewType("Texts", dict[str, str])

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", re.ASCII)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_MOMENT = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt]([0-9]{2}:[0-9]{2}:[0-9]{2})(\.[0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-5][0-9])",
    re.ASCII,
)


def parse_uuid(text: str) -> UUID:
    """A UUID of 36 characters in either case. Raises ValueError for anything else that `uuid.UUID` would take."""
    if not _UUID.fullmatch(text):
        raise ValueError("Not a UUID.")
    return UUID(text)


def parse_date(text: str) -> date:
    """A day as YYYY-MM-DD. Raises ValueError."""
    if not _DATE.fullmatch(text):
        raise ValueError("Not a date YYYY-MM-DD.")
    return date.fromisoformat(text)


def parse_moment(text: str) -> datetime:
    """An RFC 3339 date-time, in UTC. Raises ValueError. What is finer than a microsecond is cut off."""
    match = _MOMENT.fullmatch(text)
    if match is None:
        raise ValueError("Not an RFC 3339 date-time.")
    day, time, fraction, offset = match.groups()
    moment = datetime.fromisoformat(f"{day}T{time}{(fraction or '')[:7]}{offset.upper()}")
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("Not a moment of the years 1 to 9999.") from error


def parse_timezone(text: str) -> Timezone:
    """A name of the tzdata package, links included. Raises ValueError for whatever else `ZoneInfo` would take."""
    if text not in names():
        raise ValueError("Not an IANA time zone.")
    return Timezone(text)


def as_it_is(value: Any) -> Any:
    """The value: the JSON writer knows how to write it."""
    return value


def _reader(kind: type, parse: Callable[[str], Any]) -> Callable[[Any], Any]:
    """What reads an argument: text from outside, or a value that was already read."""

    def read(value: Any) -> Any:
        if isinstance(value, kind):
            return value
        if not isinstance(value, str):
            raise TypeError("Expected a string.")
        return parse(value)

    return read


def _zone(value: Any) -> Timezone:
    if not isinstance(value, str):
        raise TypeError("Expected a string.")
    return parse_timezone(value)


def _text(name: str, description: str, parse: Callable[[Any], Any] = as_it_is) -> ScalarDefinition:
    return strawberry.scalar(name=name, description=description, serialize=as_it_is, parse_value=parse)


SCALARS: dict[object, ScalarDefinition] = {
    UUID: _text("UUID", "A UUID of 36 characters, lower-case.", _reader(UUID, parse_uuid)),
    date: _text("Date", "A calendar day, YYYY-MM-DD.", _reader(date, parse_date)),
    datetime: _text("DateTime", "An RFC 3339 date-time in UTC, ending in Z.", _reader(datetime, parse_moment)),
    Seconds: _text("Seconds", "Whole seconds; may exceed 32 bits."),
    Amount: _text("Amount", "A decimal number as text, in the currency that stands beside it."),
    Quantity: _text("Quantity", "A decimal number as text, in the unit that stands beside it."),
    Factor: _text("Factor", "A decimal number as text, of no unit: a percentage or a multiplier."),
    Timezone: _text("Timezone", "The name of an IANA time zone.", _zone),
    Texts: _text("Texts", "An object of strings."),
}
