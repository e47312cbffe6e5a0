"""The parameters `page` and `limit`: which texts are numbers, and which numbers are allowed."""

import pytest

from rest_facade.errors.envelope import Refused
from rest_facade.rest.envelopes import number

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
