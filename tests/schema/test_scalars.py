"""Scalars: strict parsing, compared with a slow reference that spells out the rules."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from functools import reduce
from importlib.resources import files
from typing import Any
from uuid import UUID

import pytest
from graphql import GraphQLScalarType, is_scalar_type, is_specified_scalar_type
from hypothesis import example, given
from hypothesis import strategies as st

from db.tables.reference import zone_names
from resolvers.period import parse_timezone
from schema.scalars import SCALAR_MAP, SCALARS, parse_date, parse_date_time, parse_uuid, scalar_named
from schema.schema import GRAPHQL_SCHEMA

DIGITS = "0123456789"
HEXADECIMAL = "0123456789abcdefABCDEF"

# Characters that lenient parsers take for digits, spaces and dashes.
ODD = st.sampled_from("\u0660\u0669\uff10\u00b2\u2460\u00a0\u2009\u200b\u2212\u2010\u0131\u0000\n\r\t _+-:.TZtz")


@st.composite
def corrupted(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> str:
    """A text, or one that differs from it in one character."""
    text = draw(texts)
    place = draw(st.integers(0, len(text)))
    letter = draw(ODD | st.characters())
    before = text[:place] + letter
    return draw(st.sampled_from([text, text, before + text[place + 1 :], before + text[place:]]))


def outcome(parse: Any, text: str) -> Any:
    """The result of `parse`, or None if it raises ValueError."""
    try:
        return parse(text)
    except ValueError:
        return None


def each(*texts: str) -> Callable[[Any], Any]:
    """Try these texts besides those that are drawn."""
    return lambda test: reduce(lambda decorated, text: example(text)(decorated), texts, test)


def slow_uuid(text: str) -> UUID | None:
    parts = text.split("-")
    if [len(part) for part in parts] != [8, 4, 4, 4, 12] or not all(c in HEXADECIMAL for part in parts for c in part):
        return None
    return UUID(int=int("".join(parts), 16))


@given(corrupted(st.uuids().map(str) | st.uuids().map(lambda value: str(value).upper())))
@each(
    *("", "{01890a5d-ac96-774b-bcce-b302099a8057}", "urn:uuid:01890a5d-ac96-774b-bcce-b302099a8057"),
    *("01890a5dac96774bbcceb302099a8057", "01890a5d-ac96-774b-bcceb302099a8057-"),
    *("01890a5d-ac96-774b-bcce-b302099a8057\n", "00000000-0000-0000-0000-000000000000"),
    *("0x890a5d-ac96-774b-bcce-b302099a8057",),
)
def test_uuid_parser_matches_reference(text: str) -> None:
    assert outcome(parse_uuid, text) == slow_uuid(text)


def slow_date(text: str) -> date | None:
    if "".join("9" if c in DIGITS else c for c in text) != "9999-99-99":
        return None
    year, month, day = int(text[:4]), int(text[5:7]), int(text[8:])
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    days = [31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    return date(year, month, day) if year and 1 <= month <= 12 and 1 <= day <= days[month - 1] else None


def digits(count: int) -> st.SearchStrategy[str]:
    return st.text(st.sampled_from(DIGITS), min_size=count, max_size=count)


days = st.dates().map(date.isoformat) | st.builds(
    "{:04}-{:02}-{:02}".format,
    st.sampled_from([0, 1, 1900, 2000, 2023, 2024, 9999]),
    st.integers(0, 13),
    st.integers(0, 32),
)


@given(corrupted(days | digits(8)))
@each(
    *("", "2024-02-29", "2023-02-29", "1900-02-29", "0000-01-01", "2024-1-1", "20240101", "2024-W01-1"),
    *("2024-01-01\n", "\uff12\uff10\uff12\uff14-01-01", "10000-01-01", "-001-01-01", "2024-01-01T00:00:00"),
)
def test_date_parser_matches_reference(text: str) -> None:
    assert outcome(parse_date, text) == slow_date(text)


def slow_moment(text: str) -> datetime | None:
    """RFC 3339 piece by piece, counted in microseconds since the year 1. No leap seconds; finer digits are cut off."""
    day, clock, rest = slow_date(text[:10]), text[11:19], text[19:]
    shape = "".join("9" if c in DIGITS else c for c in clock)
    if day is None or text[10:11] not in ("T", "t") or shape != "99:99:99":
        return None
    hour, minute, second = (int(part) for part in clock.split(":"))
    fraction = ""
    if rest.startswith("."):
        fraction = rest[1 : 1 + next((n for n, c in enumerate(rest[1:]) if c not in DIGITS), len(rest))]
        rest = rest[1 + len(fraction) :]
        if not 1 <= len(fraction) <= 9:
            return None
    if hour > 23 or minute > 59 or second > 59:
        return None
    east = 0
    if rest not in ("Z", "z"):
        if "".join("9" if c in DIGITS else c for c in rest) not in ("+99:99", "-99:99"):
            return None
        hours, minutes = int(rest[1:3]), int(rest[4:])
        if hours > 23 or minutes > 59:
            return None
        east = (hours * 60 + minutes) * (60 if rest[0] == "+" else -60)
    seconds = (day.toordinal() - 1) * 86_400 + hour * 3600 + minute * 60 + second - east
    micros = seconds * 1_000_000 + int(fraction[:6].ljust(6, "0"))
    last = date.max.toordinal() * 86_400 * 1_000_000
    return datetime(1, 1, 1, tzinfo=UTC) + timedelta(microseconds=micros) if 0 <= micros < last else None


zones = st.sampled_from(
    ["Z", "z", "+00:00", "-00:00", "+14:00", "-12:30", "+23:59", "-23:59", "+24:00", "+01:60", "+01", ""]
)
fractions = st.just("") | st.integers(0, 10).flatmap(digits).map(".{}".format)
clocks = st.times().map(lambda time: time.isoformat("seconds")) | st.builds(
    "{:02}:{:02}:{:02}".format, st.integers(0, 25), st.integers(0, 61), st.integers(0, 61)
)
moments = st.builds("{}{}{}{}{}".format, days, st.sampled_from("TTTt "), clocks, fractions, zones)


@given(corrupted(moments))
@each(
    *("2026-01-05T09:00:00Z", "2026-01-05t09:00:00z", "2026-01-05T09:00:00.1Z"),
    *("2026-01-05T09:00:00.123456789+05:30", "2026-01-05T09:00:00.9999999Z", "2026-01-05T09:00:00.Z"),
    *("2026-01-05T09:00:00,5Z", "2026-01-05T09:00:00", "2026-01-05T09:00Z", "2026-01-05T24:00:00Z"),
    *("2026-06-30T23:59:60Z", "2026-01-05T09:00:00+0100", "2026-01-05T09:00:00+01:60", "2026-01-05T09:00:00+24:00"),
    *("0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59.999999-00:01", "9999-12-31T23:59:59Z"),
    *("2026-01-05T09:00:00Z\n", "2026-W02-1T09:00:00Z", "infinity", "now", ""),
)
def test_moment_parser_matches_reference(text: str) -> None:
    found = outcome(parse_date_time, text)
    assert found == slow_moment(text)
    assert found is None or found.tzinfo is UTC


def slow_zone(text: str) -> str | None:
    """A zone file of the tzdata package, found by exact names folder by folder."""
    place: Any = files("tzdata").joinpath("zoneinfo")
    for part in text.split("/"):
        inside = {each.name: each for each in place.iterdir()} if place.is_dir() else {}
        if part not in inside:
            return None
        place = inside[part]
    return text if place.is_file() and place.read_bytes()[:4] == b"TZif" and text not in NOT_NAMED else None


NOT_NAMED = {"localtime", "posixrules"}
NAMES = sorted(zone_names())


@given(corrupted(st.sampled_from(NAMES)) | st.sampled_from(NAMES).map(str.swapcase) | st.text(max_size=20))
@each(
    *("Asia/Calcutta", "Etc/GMT+5", "", "utc", "Europe", "Europe/", "America//Argentina", "Europe/../UTC", "./UTC"),
    *("+05:30", "UTC+1", "FOO5BAR", "posixrules", "localtime", "posix/UTC", "right/UTC", "/usr/share/zoneinfo/UTC"),
    *("zone.tab", "tzdata.zi", "leapseconds", "__init__.py", "UTC\0", "UTC\n", " UTC", "U" * 10_000),
)
def test_zone_parser_matches_reference(text: str) -> None:
    assert outcome(parse_timezone, text) == slow_zone(text)


def test_other_text_is_refused_with_a_sentence() -> None:
    with pytest.raises(ValueError, match="Not an IANA time zone"):
        parse_timezone("utc")


@pytest.mark.parametrize(("kind", "parse"), [(UUID, parse_uuid), (date, parse_date), (datetime, parse_date_time)])
def test_argument_is_text_or_parsed_value(kind: type, parse: Any) -> None:
    value = {UUID: UUID(int=1), date: date(2026, 1, 5), datetime: datetime(2026, 1, 5, tzinfo=UTC)}[kind]
    scalar = SCALAR_MAP[kind]
    assert scalar.parse_value is not None
    assert scalar.serialize is not None
    assert scalar.parse_value(value) is value
    text = value.isoformat().replace("+00:00", "Z") if isinstance(value, date) else str(value)
    assert scalar.parse_value(text) == value == parse(text)
    assert scalar.serialize(value) is value, "the JSON encoder writes it"
    for wrong in (1, 1.5, True, None, [text], {"value": text}, b"x"):
        with pytest.raises((TypeError, ValueError)):
            scalar.parse_value(wrong)


def test_every_scalar_of_the_schema_has_an_entry() -> None:
    used = {type_.name for type_ in GRAPHQL_SCHEMA.type_map.values() if isinstance(type_, GraphQLScalarType)}
    assert used <= set(SCALARS)


def test_missing_scalar_names_the_file_to_edit() -> None:
    with pytest.raises(LookupError, match=r"add it to SCALARS in schema/scalars\.py"):
        scalar_named("Float")


def test_each_custom_scalar_is_specified() -> None:
    scalars = filter(is_scalar_type, GRAPHQL_SCHEMA.type_map.values())
    custom = [each for each in scalars if not is_specified_scalar_type(each)]
    assert {each.name: each.specified_by_url for each in custom} == {
        "UUID": "https://www.rfc-editor.org/rfc/rfc9562#section-4",
        "Date": "https://www.rfc-editor.org/rfc/rfc3339#section-5.6",
        "DateTime": "https://www.rfc-editor.org/rfc/rfc3339#section-5.6",
        "Timezone": "https://www.iana.org/time-zones",
        "Seconds": "https://www.w3.org/TR/xmlschema11-2/#long",
        "Decimal": "https://www.w3.org/TR/xmlschema11-2/#decimal",
        "Amount": "https://www.w3.org/TR/xmlschema11-2/#decimal",
        "Quantity": "https://www.w3.org/TR/xmlschema11-2/#decimal",
        "Factor": "https://www.w3.org/TR/xmlschema11-2/#decimal",
        "Texts": "https://www.rfc-editor.org/rfc/rfc8259#section-4",
    }
