"""Scalars: one entry of SCALARS says how a scalar is read, written and described, in GraphQL, REST, OpenAPI and MCP.

Resolvers' values are passed through unchanged (UUID, date, datetime): the JSON encoder writes them, in one pass.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any, NewType
from uuid import UUID

import strawberry
from strawberry.types.scalar import ScalarDefinition

from resolvers.day_bounds import Seconds as Seconds  # noqa: PLC0414 - types of fields import it from here
from resolvers.lists.comparisons import INVISIBLE
from resolvers.period import Timezone, parse_timezone
from resolvers.values.amounts import parse_decimal, parse_long

Amount = NewType("Amount", str)
Quantity = NewType("Quantity", str)
Factor = NewType("Factor", str)
Texts = NewType("Texts", dict[str, str])

Day = date
"""The day in a class with a field `date`, whose name is that of the field there."""

MAX_TEXT_LENGTH = 255
"""Characters of a text in a query at most."""

UUID_FORM = re.compile(r"^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$", re.ASCII)
DATE_FORM = re.compile(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$", re.ASCII)
_MOMENT_FORM = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt]([0-9]{2}:[0-9]{2}:[0-9]{2})(\.[0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-5][0-9])",
    re.ASCII,
)
_NO_TEXT = re.compile("[\\x00-\\x1f\\x7f\N{REPLACEMENT CHARACTER}]")
"""Control characters, and what stands for bytes that are not UTF-8."""


def parse_uuid(text: str) -> UUID:
    """A UUID of 36 characters in either case. Raises ValueError, also for other forms that `uuid.UUID` accepts."""
    if not UUID_FORM.fullmatch(text):
        raise ValueError("Not a UUID.")
    return UUID(text)


def parse_date(text: str) -> date:
    """A day as YYYY-MM-DD. Raises ValueError."""
    if not DATE_FORM.fullmatch(text):
        raise ValueError("Not a date YYYY-MM-DD.")
    return date.fromisoformat(text)


def parse_date_time(text: str) -> datetime:
    """An RFC 3339 date-time, in UTC. Raises ValueError. Digits beyond microseconds are cut off."""
    match = _MOMENT_FORM.fullmatch(text)
    if match is None:
        raise ValueError("Not an RFC 3339 date-time.")
    day, clock, fraction, offset = match.groups()
    moment = datetime.fromisoformat(f"{day}T{clock}{(fraction or '')[:7]}{offset.upper()}")
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("Not a moment of the years 1 to 9999.") from error


def parse_zone_of_query(text: str) -> Timezone:
    """The time zone of a query. A space is read as `+`, which it was before URL decoding. Raises ValueError."""
    return parse_timezone(text.replace(" ", "+"))


def parse_moment_or_date(text: str) -> datetime:
    """A date-time, a space in it for the `+` before URL decoding, or a day, which begins in UTC. Raises ValueError."""
    try:
        return parse_date_time(text.replace(" ", "+"))
    except ValueError:
        return datetime.combine(parse_date(text), time(), UTC)


def parse_boolean(text: str) -> bool:
    """`true` or `false`. Raises ValueError."""
    if text not in ("true", "false"):
        raise ValueError("Not true or false.")
    return text == "true"


def parse_text(text: str) -> str:
    """The text itself. Raises ValueError if it is empty, too long, has control characters, or was not UTF-8."""
    if not text.strip(INVISIBLE) or len(text) > MAX_TEXT_LENGTH or _NO_TEXT.search(text):
        raise ValueError("Not a text of a query.")
    return text


@dataclass(frozen=True)
class QueryForm:
    """How a scalar stands in the query of a REST request.

    `parse` raises ValueError; `message` then answers the client, with the parameter for {name}. `json` is the JSON
    Schema of the parameter, `hint` a sentence of its description.
    """

    parse: Callable[[str], Any]
    message: str
    json: Mapping[str, Any]
    hint: str = ""


@dataclass(frozen=True)
class Scalar:
    """One scalar: its GraphQL name and description, and its JSON Schema in responses.

    `annotation` is how fields of the schema name it; None for the scalars of GraphQL itself. `parse` reads the text of
    an argument and raises ValueError; if it `is_number`, whole numbers may stand without quotes. `unit` completes the
    description of each field in OpenAPI. `query` is None for a scalar that no query parameter can hold. `specification`
    is the URL of that of its values; None for the scalars of GraphQL itself.
    """

    name: str
    description: str
    json: Mapping[str, Any]
    annotation: Any = None
    parse: Callable[[str], Any] | None = None
    unit: str = ""
    query: QueryForm | None = None
    is_number: bool = False
    specification: str | None = None

    def definition(self) -> ScalarDefinition:
        """The scalar as Strawberry declares it."""
        return strawberry.scalar(
            name=self.name,
            description=self.description,
            specified_by_url=self.specification,
            serialize=unchanged,
            parse_value=unchanged if self.parse is None else self.read,
        )

    def read(self, value: Any) -> Any:
        """The value of an argument: text is parsed, a parsed value is kept. Raises TypeError and ValueError."""
        if isinstance(self.annotation, type) and isinstance(value, self.annotation):
            return value
        if self.is_number and type(value) is int:
            value = str(value)
        if not isinstance(value, str):
            raise TypeError(f"Expected a string{' or a whole number' if self.is_number else ''}.")
        assert self.parse is not None
        return self.parse(value)


def unchanged(value: Any) -> Any:
    """The value itself: the JSON encoder knows how to write it."""
    return value


_UUID_JSON = {"type": "string", "format": "uuid"}
_DATE_JSON = {"type": "string", "format": "date"}
_MOMENT_JSON = {"type": "string", "format": "date-time"}
_DECIMAL_JSON = {"type": "string", "pattern": r"^-?[0-9]+(\.[0-9]+)?$"}
_TEXT_JSON = {"type": "string"}
_BOOLEAN_JSON = {"type": "boolean"}
_INT64_JSON = {"type": "integer", "format": "int64"}
_TEXTS_JSON = {"type": "object", "additionalProperties": _TEXT_JSON}

_MOMENT_PATTERN = (
    "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
    "([Tt]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9]))?$"
)
"""What `parse_moment_or_date` reads, but for days that a month or the calendar does not have."""

_UUID_QUERY = QueryForm(parse_uuid, "Invalid UUID format.", _UUID_JSON)
_DATE_QUERY = QueryForm(parse_date, "Invalid date format. Use YYYY-MM-DD.", _DATE_JSON)
_MOMENT_QUERY = QueryForm(
    parse_moment_or_date,
    "Invalid {name}. Use an RFC 3339 date-time.",
    # One type without a format: generators of clients make no text, or an object, of a choice between two.
    _TEXT_JSON | {"pattern": _MOMENT_PATTERN, "examples": ["2026-01-01", "2026-01-01T00:00:00.123456Z"]},
    "An RFC 3339 date-time, or a day, which begins at 00:00 UTC.",
)
_ZONE_QUERY = QueryForm(
    parse_zone_of_query, "Invalid timezone.", _TEXT_JSON | {"minLength": 1}, "An IANA name, such as `Europe/Berlin`."
)
_BOOLEAN_QUERY = QueryForm(parse_boolean, "{name} must be true or false.", _BOOLEAN_JSON)
_TEXT_QUERY = QueryForm(
    parse_text,
    f"{{name}} must have 1 to {MAX_TEXT_LENGTH} characters of UTF-8, none of them a control character.",
    _TEXT_JSON | {"minLength": 1, "maxLength": MAX_TEXT_LENGTH, "pattern": r"^[^\u0000-\u001F\u007F\uFFFD]*$"},
)

_DAY = "A calendar day, YYYY-MM-DD."
_MOMENT = "An RFC 3339 date-time in UTC, ending in Z."

_MOMENT_RFC = "https://www.rfc-editor.org/rfc/rfc3339#section-5.6"
_DECIMAL_NUMBER = "https://www.w3.org/TR/xmlschema11-2/#decimal"

_SCALARS = (
    Scalar(
        "UUID",
        "A UUID of 36 characters, lower-case.",
        _UUID_JSON,
        UUID,
        parse_uuid,
        query=_UUID_QUERY,
        specification="https://www.rfc-editor.org/rfc/rfc9562#section-4",
    ),
    Scalar("Date", _DAY, _DATE_JSON, date, parse_date, _DAY, _DATE_QUERY, specification=_MOMENT_RFC),
    Scalar(
        "DateTime",
        _MOMENT,
        _MOMENT_JSON,
        datetime,
        parse_date_time,
        "UTC, RFC 3339 with Z.",
        _MOMENT_QUERY,
        specification=_MOMENT_RFC,
    ),
    Scalar(
        "Timezone",
        "The name of an IANA time zone.",
        _TEXT_JSON,
        Timezone,
        parse_timezone,
        query=_ZONE_QUERY,
        specification="https://www.iana.org/time-zones",
    ),
    Scalar(
        "Seconds",
        "A duration in whole seconds; may exceed 32 bits.",
        _INT64_JSON,
        Seconds,
        parse_long,
        unit="In whole seconds.",
        is_number=True,
        specification="https://www.w3.org/TR/xmlschema11-2/#long",
    ),
    Scalar(
        "Decimal",
        "A decimal number to compare with, as a string, or as a whole number.",
        _DECIMAL_JSON,
        Decimal,
        parse_decimal,
        is_number=True,
        specification=_DECIMAL_NUMBER,
    ),
    Scalar(
        "Amount",
        "Money as a decimal string, in the currency beside it.",
        _DECIMAL_JSON,
        Amount,
        unit="Decimal string, in the `currency` beside it.",
        specification=_DECIMAL_NUMBER,
    ),
    Scalar(
        "Quantity",
        "A quantity as a decimal string, in the unit beside it.",
        _DECIMAL_JSON,
        Quantity,
        unit="Decimal string, in the `unit` beside it.",
        specification=_DECIMAL_NUMBER,
    ),
    Scalar(
        "Factor",
        "A percentage or a multiplier as a decimal string.",
        _DECIMAL_JSON,
        Factor,
        unit="Decimal string.",
        specification=_DECIMAL_NUMBER,
    ),
    Scalar(
        "Texts",
        "An object whose values are strings.",
        _TEXTS_JSON,
        Texts,
        specification="https://www.rfc-editor.org/rfc/rfc8259#section-4",
    ),
    Scalar("Int", "A whole number of 32 bits.", {"type": "integer"}),
    Scalar("Boolean", "true or false.", _BOOLEAN_JSON, query=_BOOLEAN_QUERY),
    Scalar("String", "A text.", _TEXT_JSON, query=_TEXT_QUERY),
)

SCALARS: Mapping[str, Scalar] = {scalar.name: scalar for scalar in _SCALARS}
"""Every scalar of the schema by its GraphQL name. A new scalar is one entry here."""

SCALAR_MAP: dict[object, ScalarDefinition] = {
    scalar.annotation: scalar.definition() for scalar in SCALARS.values() if scalar.annotation is not None
}
"""The scalars that Strawberry must know, by their annotations."""


def scalar_named(name: str) -> Scalar:
    """The scalar of this GraphQL name. Raises LookupError, which names the file to edit."""
    if name not in SCALARS:
        raise LookupError(f"The scalar {name} is not described: add it to SCALARS in schema/scalars.py.")
    return SCALARS[name]
