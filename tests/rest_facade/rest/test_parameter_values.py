"""Values of query parameters by type: numbers, UUIDs, lists, enumerations, Booleans, text, times, dates, time zones.

`tests/schema/test_scalars.py` has the forms of UUIDs, times, dates and zones.
"""

from datetime import UTC, date, datetime, timedelta
from uuid import UUID

import httpx2 as httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rest_facade.errors.envelope import Refused
from rest_facade.rest.envelopes import number
from rest_facade.rest.parameters import parameter_of
from schema.execution.operation import Variable
from tests.errors import assert_error
from tests.property_tests import examples
from tests.rest_facade.rest.variables import ID, STATUS, parsed, refusal, short, variable

DATE_TIME_MESSAGE = "Invalid updated_since. Use an RFC 3339 date-time."
DATE_MESSAGE = "Invalid date format. Use YYYY-MM-DD."

IDS, TEAM_ID = variable("id", "UUID", is_list=True), variable("team_id", "UUID")
IS_ACTIVE, SEARCH = variable("is_active", "Boolean"), variable("search", "String")
ZONE, START = variable("timezone", "Timezone"), variable("start_date", "Date")
SINCE = variable("updated_since", "DateTime")

MALFORMED = ["", "x", ID[:-1], f"{ID}\n", f"{{{ID}}}"]

INVALID_TIMEZONES = ["", "utc", "UTC\0", "Mars/Olympus"]

NO_TEXT = "search must have 1 to 255 characters of UTF-8, none of them a control character."
NO_BOOLEAN = "is_active must be true or false."

REFUSED: list[tuple[Variable, str, list[str]]] = [
    # A parameter, the message, and the texts that are refused with it.
    (TEAM_ID, "Invalid UUID format.", MALFORMED),
    (IDS, "Invalid UUID format.", ["", ",", f"{ID},", f",{ID}", f"{ID},,{ID}", f"{ID}, {ID}", f"{ID};{ID}", f"{ID},x"]),
    (IDS, "id cannot hold more than 100 values.", [",".join([ID] * 101)]),
    (
        STATUS,
        "Invalid value.",
        ["", "Open", "OPEN", "closed", "open,closed", "open,", "open, completed", "op", "open\n"],
    ),
    (IS_ACTIVE, NO_BOOLEAN, ["", "True", "TRUE", "FALSE", "1", "0", "yes", "no", "on", "t", "null", "true\n", " true"]),
    (SEARCH, NO_TEXT, ["", "x" * 256, "a\0", "a\nb", "\t", "\x1b[0m", "\x7f", "M\ufffdller", "\u200b\u200f"]),
]


@pytest.mark.parametrize(("parameter", "message", "texts"), REFUSED, ids=short)
def test_other_text_is_400(parameter: Variable, message: str, texts: list[str]) -> None:
    allowed = ["Allowed values: open, in_progress, completed."] if parameter is STATUS else []
    for text in texts:
        assert refusal(parameter, text) == (message, {parameter.name: [message, *allowed]}), text


def test_unknown_time_zone_is_400_without_details() -> None:
    for text in INVALID_TIMEZONES:
        assert refusal(ZONE, text) == ("Invalid timezone.", None), text


def test_text_is_its_value() -> None:
    texts = ["a", " ", "%", "_", "\\", "' OR 1=1 --", "\N{SNOWMAN}", "\U0001f600", "x" * 255]
    zones = "UTC Europe/London Asia/Calcutta Asia/Kathmandu Pacific/Apia EST5EDT".split()
    for parameter, text, value in [
        *((SEARCH, text, text) for text in texts),
        *((ZONE, name, name) for name in zones),
        # A raw plus of a query is read as a space.
        *((ZONE, "Etc/GMT+5", "Etc/GMT+5"), (ZONE, "Etc/GMT 5", "Etc/GMT+5")),
        *((IS_ACTIVE, "true", True), (IS_ACTIVE, "false", False), (IDS, ",".join([ID] * 100), [UUID(ID)] * 100)),
        # A list keeps its order and its repeated values.
        *((STATUS, "completed,open", ["completed", "open"]), (IDS, f"{ID},{ID.upper()}", [UUID(ID)] * 2)),
    ]:
        assert parsed(parameter, text) == value, text


async def test_escaped_id_is_decoded_before_it_is_refused(http: httpx.AsyncClient) -> None:
    message = "Invalid UUID format."
    for text in ("x", f"{ID}%0A", f"{ID}%00", f"{ID}%20", "%7B%7D", ID.replace("-", ""), "%FF%FE"):
        response = await http.get(f"/v1/projects/?client_id={text}")
        assert_error(response, 400, "VALIDATION_ERROR", message, {"client_id": [message]})


@given(st.lists(st.lists(st.sampled_from(STATUS.choices or ()), min_size=1, max_size=3), min_size=1, max_size=3))
@settings(deadline=None, max_examples=examples(20))
def test_repeated_and_comma_separated_values_are_one_list(parts: list[list[str]]) -> None:
    texts = [",".join(part) for part in parts]
    assert parameter_of(STATUS).value({"status": texts}) == ",".join(dict.fromkeys(texts)).split(",")
    assert parameter_of(STATUS).value({"status": texts}) == parsed(STATUS, ",".join(dict.fromkeys(texts)))


def test_repeated_values_count_together() -> None:
    ids = [str(UUID(int=number)) for number in range(101)]
    assert len(parameter_of(IDS).value({"id": [",".join(ids[:50]), *ids[50:100]]})) == 100
    with pytest.raises(Refused, match="id cannot hold more than 100 values"):
        parameter_of(IDS).value({"id": [",".join(ids[:50]), *ids[50:]]})


def test_invalid_part_of_repeated_list_is_400() -> None:
    for texts in (["", "open"], ["open", ""], ["open", "x"], ["open,", "completed"]):
        with pytest.raises(Refused, match="Invalid value"):
            pytest.fail(str(parameter_of(STATUS).value({"status": texts})))


def test_date_time_is_parsed_to_utc() -> None:
    for text, moment in [
        ("2026-01-05", datetime(2026, 1, 5, tzinfo=UTC)),
        ("0001-01-01", datetime(1, 1, 1, tzinfo=UTC)),
        ("9999-12-31", datetime(9999, 12, 31, tzinfo=UTC)),
        ("2026-01-05T09:00:00+14:00", datetime(2026, 1, 4, 19, tzinfo=UTC)),
        ("2026-01-05T09:00:00 14:00", datetime(2026, 1, 4, 19, tzinfo=UTC)),
        ("2026-01-05T09:00:00.000001Z", datetime(2026, 1, 5, 9, 0, 0, 1, UTC)),
    ]:
        found = parsed(SINCE, text)
        assert (found, found.utcoffset()) == (moment, timedelta(0)), text


INVALID_DATE_TIMES = [
    *("", "now", "+14:00", "2026-02-29", "2026-01-05 ", "2026-01-05Z", "2026-01-05T09:00:00", "2026-01-05 09:00:00Z"),
    *("2026-01-05T09:00:00 UTC", "2026-01-05T09:00:00Z\n", "9999-12-31T23:59:59-00:01"),
]


def test_malformed_date_time_is_400() -> None:
    expected = DATE_TIME_MESSAGE, {"updated_since": [DATE_TIME_MESSAGE]}
    for text in INVALID_DATE_TIMES:
        assert refusal(SINCE, text) == expected, text


def test_malformed_date_is_400() -> None:
    assert parsed(START, "2024-02-29") == date(2024, 2, 29)
    for text in ("2024-02-30", "20240101", "2024-01-01T00:00:00", " 2024-01-01", "2024-01-01\0"):
        assert refusal(START, text) == (DATE_MESSAGE, {"start_date": [DATE_MESSAGE]}), text


INVALID_NUMBERS = [
    *(" ", "", "5 ", " 5", "5\n", "\n5", "5\t", "5\r", "5\0", "5\u200b", "\ufeff5"),
    *"abc 1.5 1.0 1e3 0x10 0b1 true null None [] NaN inf +5 - --1 1_000 1,000".split(),
    *("\N{FULLWIDTH DIGIT FIVE}", "\N{ARABIC-INDIC DIGIT FIVE}", "\N{SUPERSCRIPT TWO}", "\N{MINUS SIGN}1"),
]


def test_digits_are_a_number() -> None:
    for text, value in (("1", 1), ("100", 100), ("007", 7), ("0" * 18 + "7", 7)):
        assert number("limit", {"limit": [text]}, 50, 100) == value


def test_invalid_number_is_400() -> None:
    for text, message in [
        ("0", "limit must be >= 1."),
        ("00", "limit must be >= 1."),
        ("-0", "limit must be >= 1."),
        ("-1", "limit must be >= 1."),
        ("-" + "9" * 5000, "limit must be >= 1."),
        ("101", "limit cannot exceed 100."),
        ("9" * 19, "limit cannot exceed 100."),
        ("9" * 5000, "limit cannot exceed 100."),
        *((text, "limit must be an integer.") for text in INVALID_NUMBERS),
    ]:
        with pytest.raises(Refused) as raised:
            pytest.fail(f"{text!r} is {number('limit', {'limit': [text]}, 50, 100)}")
        error = raised.value.error
        assert (error.status, error.code, error.message) == (400, "VALIDATION_ERROR", message), text
        assert error.details == {"limit": [message]}
