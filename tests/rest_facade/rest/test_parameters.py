"""Step 7: how the text of a query becomes values, which text does not, and what is checked before what."""

import calendar
import string
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx2 as httpx
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.errors import Refused
from rest_facade.rest.parameters import (
    Stage,
    parameter_of,
    parse_number,
    refuse_bad_range,
    refuse_missing,
    refuse_repeated,
    refuse_user_with_team,
    uuid,
)
from rest_facade.v1 import ENDPOINTS
from schema.execution.operation import Variable
from tests.conftest import Connect
from tests.errors import assert_error
from tests.factories.rows import Rows
from tests.property_tests import examples

pytestmark = pytest.mark.anyio

ID = "0198c5a4-7a1b-7c2d-8e3f-0123456789ab"
MOMENT = "Invalid updated_since. Use an RFC 3339 date-time."
DATE = "Invalid date format. Use YYYY-MM-DD."

# What is a digit to Python, but not to the specification.
DIGITS = "0123456789\N{FULLWIDTH DIGIT TWO}\N{ARABIC-INDIC DIGIT ONE}\N{SUPERSCRIPT TWO}"


def variable(name: str, kind: str, **given: Any) -> Variable:
    return Variable(name, kind, **{"is_list": False, "is_required": False, "choices": None} | given)


def read(given: Variable, text: str) -> Any:
    return parameter_of(given).value({given.name: [text]})


def refusal(given: Variable, text: str) -> tuple[str, Any]:
    """The message and the details with which a text is refused."""
    with pytest.raises(Refused) as raised:
        read(given, text)
    error = raised.value.error
    assert (error.status, error.code) == (400, "VALIDATION_ERROR")
    return error.message, error.details


@pytest.fixture(scope="module")
def key(rows: Rows) -> str:
    own = rows.organization()
    rows.quota(own, 100_000)
    for _ in range(3):
        rows.client(own)
    return rows.partner_key(own)


@pytest.fixture
async def http(key: str, client: Connect) -> AsyncIterator[httpx.AsyncClient]:
    async with client(key) as http:
        yield http


def short(value: object) -> str:
    """The name of a case, of whatever length its text is."""
    return repr(value)[:40]


# page and limit

NO_NUMBERS = [
    *(" ", "", "5 ", " 5", "5\n", "\n5", "5\t", "5\r", "5\0", "5\u200b", "\ufeff5"),
    *"abc 1.5 1.0 1e3 0x10 0b1 true null None [] NaN inf +5 - --1 1_000 1,000".split(),
    *("\N{FULLWIDTH DIGIT FIVE}", "\N{ARABIC-INDIC DIGIT FIVE}", "\N{SUPERSCRIPT TWO}", "\N{MINUS SIGN}1"),
]


@pytest.mark.parametrize(
    ("text", "value"),
    [("1", 1), ("100", 100), ("007", 7), ("0" * 18 + "7", 7)],
)
def test_a_number_is_read(text: str, value: int) -> None:
    assert parse_number("limit", text, 100) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0", "limit must be >= 1."),
        ("00", "limit must be >= 1."),
        ("-0", "limit must be >= 1."),
        ("-1", "limit must be >= 1."),
        ("-" + "9" * 5000, "limit must be >= 1."),
        ("101", "limit cannot exceed 100."),
        ("9" * 19, "limit cannot exceed 100."),
        ("9" * 5000, "limit cannot exceed 100."),
        *((text, "limit must be an integer.") for text in NO_NUMBERS),
    ],
    ids=short,
)
def test_a_number_is_refused_in_the_words_of_the_specification(text: str, message: str) -> None:
    with pytest.raises(Refused) as raised:
        parse_number("limit", text, 100)
    error = raised.value.error
    assert (error.status, error.code, error.message) == (400, "VALIDATION_ERROR", message)
    assert error.details == {"limit": [message]}


def slow_number(text: str, largest: int) -> int | str:
    """The slow and obvious rule: a sign, digits, and a value built a digit at a time."""
    digits = text[1:] if text[:1] == "-" else text
    if not digits or any(digit not in "0123456789" for digit in digits):
        return "page must be an integer."
    value = 0
    for digit in digits:
        value = value * 10 + "0123456789".index(digit)
    if text[0] == "-" or value == 0:
        return "page must be >= 1."
    return value if value <= largest else f"page cannot exceed {largest}."


@given(
    text=st.text()
    | st.text(DIGITS + "+-_ .e\n", max_size=8)
    | st.integers().map(str)
    | st.integers(-200, 200).map(str)
    | st.from_regex(r"-?0{0,9}[0-9]{1,9}", fullmatch=True),
    largest=st.sampled_from([20, 100, 2**31 - 1]),
)
@settings(deadline=None, max_examples=examples(200))
def test_numbers_are_read_as_the_slow_rule_reads_them(text: str, largest: int) -> None:
    try:
        found: int | str = parse_number("page", text, largest)
    except Refused as refused:
        found = refused.error.message
    assert found == slow_number(text, largest)


@pytest.mark.parametrize("name", ["page", "limit"])
@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ("0", "{} must be >= 1."),
        ("-1", "{} must be >= 1."),
        ("-0", "{} must be >= 1."),
        ("", "{} must be an integer."),
        ("abc", "{} must be an integer."),
        ("1.5", "{} must be an integer."),
        ("1e3", "{} must be an integer."),
        ("0x10", "{} must be an integer."),
        ("true", "{} must be an integer."),
        ("null", "{} must be an integer."),
        ("[]", "{} must be an integer."),
        ("NaN", "{} must be an integer."),
        ("1_0", "{} must be an integer."),
        ("+5", "{} must be an integer."),
        ("%2B5", "{} must be an integer."),
        ("%205", "{} must be an integer."),
        ("5%20", "{} must be an integer."),
        ("5%0A", "{} must be an integer."),
        ("5%0D%0A", "{} must be an integer."),
        ("5%09", "{} must be an integer."),
        ("5%00", "{} must be an integer."),
        ("5%E2%80%8B", "{} must be an integer."),
        ("%EF%BC%95", "{} must be an integer."),
        ("%FF", "{} must be an integer."),
        ("5,6", "{} must be an integer."),
        ("-" + "9" * 5000, "{} must be >= 1."),
    ],
    ids=short,
)
async def test_page_and_limit_are_refused_alike(name: str, raw: str, message: str, http: httpx.AsyncClient) -> None:
    text = message.format(name)
    assert_error(await http.get(f"/v1/clients/?{name}={raw}"), 400, "VALIDATION_ERROR", text, {name: [text]})


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("limit=101", "limit cannot exceed 100."),
        ("limit=" + "9" * 5000, "limit cannot exceed 100."),
        ("page=2147483648", "page cannot exceed 2147483647."),
        ("page=" + "9" * 5000, "page cannot exceed 2147483647."),
    ],
    ids=short,
)
async def test_page_and_limit_have_an_upper_end(query: str, message: str, http: httpx.AsyncClient) -> None:
    details = {query.partition("=")[0]: [message]}
    assert_error(await http.get(f"/v1/clients/?{query}"), 400, "VALIDATION_ERROR", message, details)


async def test_a_bare_name_is_an_empty_value(http: httpx.AsyncClient) -> None:
    assert_error(await http.get("/v1/clients/?page"), 400, "VALIDATION_ERROR", "page must be an integer.")
    assert_error(await http.get("/v1/clients/?limit&page=1"), 400, "VALIDATION_ERROR", "limit must be an integer.")


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", [0, 1, 2]),
        ("limit=100", [0, 1, 2]),
        ("limit=1", [0]),
        ("limit=007&page=1", [0, 1, 2]),
        ("limit=2&page=002", [2]),
        ("limit=2&page=9999999", []),
        ("limit=100&page=2147483647", []),
    ],
)
async def test_page_and_limit_choose_rows(query: str, names: list[int], http: httpx.AsyncClient) -> None:
    whole = (await http.get("/v1/clients/")).json()["results"]
    response = await http.get(f"/v1/clients/?{query}")
    assert response.status_code == 200
    assert response.json()["count"] == 3
    assert response.json()["results"] == [whole[number] for number in names]


@pytest.mark.parametrize(
    "query",
    [
        "&".join(f"x{number}={number}" for number in range(2000)),
        "x=" + "y" * 30_000,
        "&" * 2000,
        "=&=&;;&%&%zz=%&%00=%00",
        "limit[]=0&limit.x=0&Limit=0&LIMIT=0&page%5B%5D=0",
    ],
    ids=short,
)
async def test_whatever_else_stands_in_a_query_is_ignored(query: str, http: httpx.AsyncClient) -> None:
    response = await http.get(f"/v1/clients/?{query}")
    assert response.status_code == 200
    assert response.json()["count"] == 3


# UUIDs

MALFORMED = [
    "",
    "x",
    "null",
    ID[:-1],
    f"{ID}0",
    f"{ID} ",
    f" {ID}",
    f"{ID}\n",
    f"{ID}\0",
    ID.replace("-", ""),
    ID.replace("-", "_"),
    f"{{{ID}}}",
    f"{ID}}}",
    f"{ID}-",
    f"{ID}urn:",
    f"urn:uuid:{ID}",
    f"[{ID}]",
    f'"{ID}"',
    f"0x{ID[2:]}",
    f"{ID[:-1]}g",
    f"{ID[:-1]}\N{FULLWIDTH DIGIT FIVE}",
    f"{ID[:-1]}\N{ARABIC-INDIC DIGIT FIVE}",
    f"{ID[1:9]}-{ID[9:]}",
    f"+{ID[1:]}",
    f"{ID[:4]}_{ID[5:]}",
    "{}",
    "' OR 1=1 --",
    "1",
]


@pytest.mark.parametrize("text", MALFORMED)
def test_a_malformed_uuid_is_refused(text: str) -> None:
    message = "Invalid UUID format."
    assert refusal(variable("team_id", "UUID"), text) == (message, {"team_id": [message]})
    with pytest.raises(Refused, match="Invalid UUID format"):
        uuid("team_id", text)


@pytest.mark.parametrize(
    "text",
    [
        ID,
        "00000000-0000-0000-0000-000000000000",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
        "c232ab00-9414-11ec-b3c8-9f6bdeced846",
        "017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
    ],
)
def test_a_uuid_of_any_version_is_read_in_either_case(text: str) -> None:
    assert uuid("id", text) == uuid("id", text.upper()) == read(variable("id", "UUID"), text) == UUID(text)


def is_uuid(text: str) -> bool:
    parts = [part for part in text.split("-") if all(digit in string.hexdigits for digit in part)]
    return text.count("-") == 4 and [len(part) for part in parts] == [8, 4, 4, 4, 12]


@given(
    st.text()
    | st.uuids().map(str)
    | st.from_regex(r"[0-9a-fA-F]{7,9}(-[0-9a-fA-F]{4}){2,4}-[0-9a-fA-F]{11,13}\n?", fullmatch=True)
    | st.builds(
        lambda id_, at, other: str(id_)[:at] + other + str(id_)[at + 1 :],
        st.uuids(),
        st.integers(0, 35),
        st.text(max_size=2),
    )
)
@settings(deadline=None, max_examples=examples(200))
def test_uuids_are_read_as_the_slow_rule_reads_them(text: str) -> None:
    try:
        found = uuid("id", text)
    except Refused:
        assert not is_uuid(text)
    else:
        assert is_uuid(text)
        assert str(found) == text.lower()


WITH_UUIDS = [
    (endpoint, parameter.name) for endpoint in ENDPOINTS for parameter in endpoint.query if parameter.stage is Stage.IDS
]


@pytest.mark.parametrize(("endpoint", "name"), WITH_UUIDS, ids=lambda value: getattr(value, "operation", value))
async def test_a_malformed_id_in_any_query_is_400_before_anything_is_looked_up(
    endpoint: Endpoint, name: str, http: httpx.AsyncClient
) -> None:
    path = endpoint.path.format_map(dict.fromkeys(endpoint.ids, ID))
    for text in ("x", f"{ID}%0A", f"{ID}%00", f"{ID}%20", "%7B%7D", f"{ID.replace('-', '')}", "%FF%FE"):
        response = await http.get(f"{path}?{name}={text}")
        message = "Invalid UUID format."
        assert_error(response, 400, "VALIDATION_ERROR", message, {name: [message]})


@pytest.mark.parametrize("query", ["client_id[]={id}", "client_id%5B0%5D=x", "client_id.id=x", "Client_id=x"])
async def test_brackets_make_another_name(query: str, http: httpx.AsyncClient) -> None:
    assert (await http.get(f"/v1/projects/?{query.format(id=ID)}")).status_code == 200


@pytest.mark.parametrize("id_", ["c232ab00-9414-11ec-b3c8-9f6bdeced846", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"])
async def test_a_well_formed_id_of_any_version_is_merely_absent(id_: str, http: httpx.AsyncClient) -> None:
    assert_error(await http.get(f"/v1/clients/{id_}/"), 404, "RESOURCE_NOT_FOUND", "Client not found.")
    assert (await http.get(f"/v1/projects/?client_id={id_}")).json()["results"] == []


# Lists of values


def test_a_list_holds_up_to_100_values() -> None:
    ids = [UUID(int=number) for number in range(101)]
    listed = variable("id", "UUID", is_list=True)
    assert read(listed, str(ids[0])) == ids[:1]
    assert read(listed, ",".join(map(str, ids[:100]))) == ids[:100]
    message = "id cannot hold more than 100 values."
    assert refusal(listed, ",".join(map(str, ids))) == (message, {"id": [message]})


@pytest.mark.parametrize("text", ["", ",", f"{ID},", f",{ID}", f"{ID},,{ID}", f"{ID}, {ID}", f"{ID};{ID}", f"{ID},x"])
def test_each_value_of_a_list_must_be_one(text: str) -> None:
    message = "Invalid UUID format."
    assert refusal(variable("id", "UUID", is_list=True), text) == (message, {"id": [message]})


def test_a_value_may_stand_in_a_list_twice() -> None:
    assert read(variable("id", "UUID", is_list=True), f"{ID},{ID.upper()}") == [UUID(ID), UUID(ID)]


STATUS = variable("status", "TaskStatus", is_list=True, choices=("open", "in_progress", "completed"))


def test_an_enumeration_is_read() -> None:
    assert read(STATUS, "open") == ["open"]
    assert read(STATUS, "completed,open") == ["completed", "open"]


@pytest.mark.parametrize(
    "text", ["", "Open", "OPEN", "closed", "open,closed", "open,", "open, completed", "op", "open\n"]
)
def test_what_is_not_of_an_enumeration_is_refused(text: str) -> None:
    assert refusal(STATUS, text) == ("Invalid value.", {"status": ["Invalid value."]})


# Booleans


@pytest.mark.parametrize(("text", "value"), [("true", True), ("false", False)])
def test_a_boolean_is_true_or_false(text: str, value: bool) -> None:
    assert read(variable("is_active", "Boolean"), text) is value


@given(st.text() | st.sampled_from(["", "True", "TRUE", "FALSE", "1", "0", "yes", "no", "on", "off", "t", "f", "null"]))
@example("true\n")
@example(" true")
@settings(deadline=None)
def test_nothing_else_is_a_boolean(text: str) -> None:
    assume(text not in ("true", "false"))
    message = "is_active must be true or false."
    assert refusal(variable("is_active", "Boolean"), text) == (message, {"is_active": [message]})


# Text


@pytest.mark.parametrize(
    "text", ["a", " ", "%", "_", "\\", "' OR 1=1 --", "\N{SNOWMAN}", "\U0001f600", "x" * 255], ids=short
)
def test_a_text_is_taken_as_it_is(text: str) -> None:
    assert read(variable("search", "String"), text) == text


@pytest.mark.parametrize("text", ["", "x" * 256, "a\0", "a\nb", "\t", "\x1b[0m", "\x7f"], ids=short)
def test_a_text_is_neither_empty_nor_long_nor_of_control_characters(text: str) -> None:
    message = "search must have 1 to 255 characters, none of them a control character."
    assert refusal(variable("search", "String"), text) == (message, {"search": [message]})


# Moments


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-01-05", datetime(2026, 1, 5, tzinfo=UTC)),
        ("0001-01-01", datetime(1, 1, 1, tzinfo=UTC)),
        ("9999-12-31", datetime(9999, 12, 31, tzinfo=UTC)),
        ("2026-01-05T09:00:00Z", datetime(2026, 1, 5, 9, tzinfo=UTC)),
        ("2026-01-05t09:00:00z", datetime(2026, 1, 5, 9, tzinfo=UTC)),
        ("2026-01-05T09:00:00+00:00", datetime(2026, 1, 5, 9, tzinfo=UTC)),
        ("2026-01-05T09:00:00-00:00", datetime(2026, 1, 5, 9, tzinfo=UTC)),
        ("2026-01-05T09:00:00+14:00", datetime(2026, 1, 4, 19, tzinfo=UTC)),
        ("2026-01-05T09:00:00 14:00", datetime(2026, 1, 4, 19, tzinfo=UTC)),
        ("2026-01-05T09:00:00-23:59", datetime(2026, 1, 6, 8, 59, tzinfo=UTC)),
        ("2026-01-05T09:00:00.5Z", datetime(2026, 1, 5, 9, 0, 0, 500_000, UTC)),
        ("2026-01-05T09:00:00.000001Z", datetime(2026, 1, 5, 9, 0, 0, 1, UTC)),
        ("2026-01-05T09:00:00.123456789Z", datetime(2026, 1, 5, 9, 0, 0, 123_456, UTC)),
        ("2024-02-29T23:59:59Z", datetime(2024, 2, 29, 23, 59, 59, tzinfo=UTC)),
    ],
)
def test_a_moment_is_read(text: str, moment: datetime) -> None:
    found = read(variable("updated_since", "DateTime"), text)
    assert found == moment
    assert found.utcoffset() == timedelta(0)


NO_MOMENTS = [
    "",
    "now",
    "now()",
    "today",
    "epoch",
    "infinity",
    "-infinity",
    "garbage",
    "+14:00",
    "1767603600",
    "2026",
    "2026-01",
    "2026-1-5",
    "20260105",
    "2026-W02-1",
    "2026-02-29",
    "2026-13-01",
    "0000-01-01",
    "-001-01-01",
    "10000-01-01",
    "2026-01-05 ",
    "2026-01-05\n",
    "2026-01-05Z",
    "2026-01-05T",
    "2026-01-05T09:00Z",
    "2026-01-05T09Z",
    "2026-01-05T090000Z",
    "2026-01-05T09:00:00",
    "2026-01-05 09:00:00Z",
    "2026-01-05T24:00:00Z",
    "2026-01-05T23:60:00Z",
    "2026-01-05T23:59:61Z",
    "2026-01-05T09:00:00,5Z",
    "2026-01-05T09:00:00.Z",
    "2026-01-05T09:00:00.1234567890Z",
    "2026-01-05T09:00:00+01",
    "2026-01-05T09:00:00+0100",
    "2026-01-05T09:00:00+1:00",
    "2026-01-05T09:00:00+24:00",
    "2026-01-05T09:00:00+99:99",
    "2026-01-05T09:00:00 UTC",
    "2026-01-05T09:00:00ZZ",
    "2026-01-05T09:00:00Z\n",
    "2026-01-05T09:00:00Z\0",
    "0001-01-01T00:00:00+00:01",
    "9999-12-31T23:59:59-00:01",
    "\N{FULLWIDTH DIGIT TWO}026-01-05",
    "2026-01-05T09:00:00+\N{FULLWIDTH DIGIT ZERO}1:00",
]


@pytest.mark.parametrize("text", NO_MOMENTS)
def test_what_is_no_moment_is_refused(text: str) -> None:
    assert refusal(variable("updated_since", "DateTime"), text) == (MOMENT, {"updated_since": [MOMENT]})


@pytest.mark.parametrize("text", ["2026-01-05T09:00:00+01:60", "2026-01-05T09:00:00-00:99"])
def test_an_offset_has_at_most_59_minutes(text: str) -> None:
    assert refusal(variable("updated_since", "DateTime"), text) == (MOMENT, {"updated_since": [MOMENT]})


@pytest.mark.parametrize("text", NO_MOMENTS)
async def test_what_is_no_moment_never_reaches_the_database(text: str, http: httpx.AsyncClient) -> None:
    response = await http.get(f"/v1/clients/?updated_since={quote(text)}")
    assert_error(response, 400, "VALIDATION_ERROR", MOMENT, {"updated_since": [MOMENT]})


@given(
    moment=st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31)),
    minutes=st.integers(-23 * 60 - 59, 23 * 60 + 59),
)
@settings(deadline=None)
def test_a_moment_with_any_offset_is_read(moment: datetime, minutes: int) -> None:
    zone = timezone(timedelta(minutes=minutes))
    written = moment.replace(tzinfo=zone).isoformat()
    if minutes == 0:
        written = written.replace("+00:00", "Z")
    assert read(variable("updated_since", "DateTime"), written) == moment.replace(tzinfo=zone)


# Days


def slow_date(text: str) -> date | None:
    """The slow and obvious rule: four, two and two digits that the calendar has."""
    parts = text.split("-")
    if [len(part) for part in parts] != [4, 2, 2] or any(d not in "0123456789" for part in parts for d in part):
        return None
    year, month, day = (int(part) for part in parts)
    if year < 1 or not 1 <= month <= 12 or not 1 <= day <= calendar.monthrange(year, month)[1]:
        return None
    return date(year, month, day)


@given(
    st.text()
    | st.text(DIGITS + "-Z", min_size=8, max_size=11)
    | st.dates().map(str)
    | st.from_regex(r"(19|20)[0-9]{2}-[01][0-9]-[0-3][0-9]\n?", fullmatch=True)
)
@example("2024-02-30")
@example("2023-02-29")
@example("0000-01-01")
@example("2024-1-1")
@example("20240101")
@example("2024-W01-1")
@example("2024-01-01T00:00:00")
@example("\N{FULLWIDTH DIGIT TWO}024-01-01")
@settings(deadline=None, max_examples=examples(200))
def test_days_are_read_as_the_slow_rule_reads_them(text: str) -> None:
    given = variable("start_date", "Date")
    expected = slow_date(text)
    if expected is None:
        assert refusal(given, text) == (DATE, {"start_date": [DATE]})
    else:
        assert read(given, text) == expected


@pytest.mark.parametrize(
    ("start", "end", "message"),
    [
        (date(2026, 1, 1), date(2026, 1, 1), None),
        (date(2026, 1, 1), date(2026, 1, 31), None),
        (date(2026, 1, 31), date(2026, 3, 2), None),
        (date(2026, 1, 1), date(2026, 2, 1), "Date range cannot exceed 31 days."),
        (date(2026, 1, 1), date(2026, 2, 3), "Date range cannot exceed 31 days."),
        (date(1, 1, 1), date(9999, 12, 31), "Date range cannot exceed 31 days."),
        (date(2026, 1, 2), date(2026, 1, 1), "end_date must be on or after start_date."),
        (date(9999, 12, 31), date(1, 1, 1), "end_date must be on or after start_date."),
    ],
)
def test_a_range_has_31_days_at_most_both_ends_counted(start: date, end: date, message: str | None) -> None:
    values = {"start_date": start, "end_date": end}
    if message is None:
        refuse_bad_range(values)
        return
    with pytest.raises(Refused) as raised:
        refuse_bad_range(values)
    assert (raised.value.error.message, raised.value.error.details) == (message, None)


def test_no_range_is_no_error() -> None:
    refuse_bad_range({})
    refuse_bad_range({"start_date": None, "end_date": None})


# Zones


@pytest.mark.parametrize("text", ["UTC", "Europe/London", "Asia/Calcutta", "Asia/Kathmandu", "Pacific/Apia", "EST5EDT"])
def test_a_zone_is_a_name_of_the_time_zone_database(text: str) -> None:
    assert read(variable("timezone", "Timezone"), text) == text


NO_ZONES = [
    *("", "Europe/London ", "UTC\0"),
    *"Mars/Olympus EST5EDT4 FOO5BAR +05:30 UTC+1 utc europe/london Europe Europe/../UTC ./UTC /etc/passwd".split(),
    *"../../etc/passwd /usr/share/zoneinfo/UTC right/UTC posix/UTC Factory/x localtime posixrules".split(),
    *"tzdata.zi zone.tab zone1970.tab leapseconds".split(),
]


@pytest.mark.parametrize("text", NO_ZONES)
def test_what_is_no_zone_is_refused_in_the_message_alone(text: str) -> None:
    assert refusal(variable("timezone", "Timezone"), text) == ("Invalid timezone.", None)


# What is checked before what


def test_a_parameter_that_was_not_sent_has_no_value() -> None:
    for kind in ("UUID", "Boolean", "String", "DateTime", "Date", "Timezone"):
        assert parameter_of(variable("x", kind)).value({"y": ["1"]}) is None


@pytest.mark.parametrize("kind", ["Int", "Float", "ID", "Amount", "Seconds", "Texts"])
def test_a_type_without_a_rule_is_refused_with_its_name(kind: str) -> None:
    with pytest.raises(ValueError, match=rf"^\$most: no query parameter is of the type {kind}\..*schema/scalars\.py"):
        parameter_of(variable("most", kind))


def test_stages_are_in_the_order_of_the_specification() -> None:
    assert [stage.name for stage in Stage] == ["IDS", "MISSING", "DATES", "ZONE", "PAGING", "TOGETHER", "FILTERS"]
    kinds = {
        "UUID": Stage.IDS,
        "Date": Stage.DATES,
        "Timezone": Stage.ZONE,
        "Boolean": Stage.FILTERS,
        "String": Stage.FILTERS,
        "DateTime": Stage.FILTERS,
    }
    assert {kind: parameter_of(variable("x", kind)).stage for kind in kinds} == kinds
    assert parameter_of(STATUS).stage is Stage.FILTERS


def test_a_known_parameter_is_sent_once_and_an_unknown_one_as_often_as_one_likes() -> None:
    refuse_repeated(("page", "limit"), {"page": ["1"], "other": ["1", "2"]})
    with pytest.raises(Refused) as raised:
        refuse_repeated(("page", "limit"), {"page": ["1"], "limit": ["1", "1"]})
    message = "limit must be given once."
    assert (raised.value.error.message, raised.value.error.details) == (message, {"limit": [message]})


@pytest.mark.parametrize(
    ("required", "sent", "message"),
    [
        (True, {}, "start_date and end_date are required."),
        (True, {"start_date": ["2026-01-01"]}, "start_date and end_date are required."),
        (True, {"end_date": ["2026-01-01"]}, "start_date and end_date are required."),
        (True, {"start_date": [""], "end_date": ["2026-01-01"]}, "start_date and end_date are required."),
        (True, {"start_date": [""], "end_date": [""]}, "start_date and end_date are required."),
        (True, {"start_date": ["x"], "end_date": ["x"]}, None),
        (False, {}, None),
        (False, {"start_date": ["2026-01-01"]}, "start_date and end_date are required."),
        (False, {"end_date": ["2026-01-01"]}, "start_date and end_date are required."),
        (False, {"start_date": ["x"], "end_date": ["x"]}, None),
    ],
)
def test_the_ends_of_a_range_come_together(required: bool, sent: Any, message: str | None) -> None:
    ends = [parameter_of(variable(name, "Date", is_required=required)) for name in ("start_date", "end_date")]
    if message is None:
        refuse_missing(ends, sent)
        return
    with pytest.raises(Refused) as raised:
        refuse_missing(ends, sent)
    assert (raised.value.error.message, raised.value.error.details) == (message, None)


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        ({}, "user_id is required."),
        ({"date": ["2026-01-01"]}, "user_id is required."),
        ({"user_id": [""], "date": ["2026-01-01"]}, "user_id is required."),
        ({"user_id": [ID]}, "date is required."),
        ({"user_id": [ID], "date": [""]}, "date is required."),
    ],
)
def test_the_first_required_parameter_that_is_missing_is_named(sent: Any, message: str) -> None:
    user_id, day = variable("user_id", "UUID", is_required=True), variable("date", "Date", is_required=True)
    with pytest.raises(Refused) as raised:
        refuse_missing([parameter_of(user_id), parameter_of(day)], sent)
    assert raised.value.error.message == message


def test_an_empty_value_is_missing_where_it_is_required_and_malformed_where_it_is_not() -> None:
    required = parameter_of(variable("user_id", "UUID", is_required=True))
    assert required.is_missing({"user_id": [""]})
    assert required.value({"user_id": [""]}) is None
    assert refusal(variable("user_id", "UUID"), "")[0] == "Invalid UUID format."


def test_a_person_and_a_team_are_not_combined() -> None:
    refuse_user_with_team({"user_id": UUID(ID), "team_id": None})
    refuse_user_with_team({"team_id": UUID(ID)})
    with pytest.raises(Refused) as raised:
        refuse_user_with_team({"user_id": UUID(ID), "team_id": UUID(ID)})
    error = raised.value.error
    assert (error.message, error.details) == ("Cannot combine user_id and team_id filters.", None)


# From the latest check to the earliest: each of these is answered although all that stand before it are wrong too.
WRONG = [
    ("is_active=1", "is_active must be true or false."),
    ("page=0", "page must be >= 1."),
    ("limit=0", "limit must be >= 1."),
    ("client_id=x", "Invalid UUID format."),
    ("is_billable=1&is_billable=1", "is_billable must be given once."),
]


@pytest.mark.parametrize("number", range(len(WRONG)), ids=lambda number: WRONG[number][0])
async def test_the_first_failure_wins_wherever_it_stands(number: int, http: httpx.AsyncClient) -> None:
    queries = [query for query, _ in WRONG[: number + 1]]
    for query in ("&".join(queries), "&".join(reversed(queries))):
        response = await http.get(f"/v1/projects/?{query}")
        assert_error(response, 400, "VALIDATION_ERROR", WRONG[number][1])


async def test_a_malformed_id_of_the_path_comes_before_the_query_and_the_query_before_the_look_up(
    http: httpx.AsyncClient,
) -> None:
    malformed = await http.get("/v1/clients/x/projects/?limit=0")
    assert_error(malformed, 400, "VALIDATION_ERROR", "Invalid UUID format.", {"client_id": ["Invalid UUID format."]})
    absent = await http.get(f"/v1/clients/{ID}/projects/?limit=0")
    assert_error(absent, 400, "VALIDATION_ERROR", "limit must be >= 1.")
