"""Rows of NDJSON files.

Covers `db/jobs/importing/rows.py`.
"""

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from db.jobs.importing.rows import Problem, SourceItem, SourceRow, SourceTable, text_of
from tests.db.jobs.importing.files.read import read_file


def read(data: bytes) -> list[SourceItem]:
    present, *rows = read_file(data, "clients", "c.ndjson")
    assert present == SourceTable("clients", "c.ndjson", 1, ())
    return rows


def problem(line: int, value: str | None, reason: str, column: str = "") -> list[SourceItem]:
    return [Problem("c.ndjson", line, reason, column, value)]


def test_values_become_texts() -> None:
    line = b'{"name": "Z\\u00f6", "n": 5, "d": 18.5, "b": true, "none": null, "empty": "", "o": {"a": [1, "x"]}}\r\n'
    values = {"name": "Zö", "n": "5", "d": "18.5", "b": "true", "none": None, "empty": None, "o": '{"a":[1,"x"]}'}
    assert read(b"\xef\xbb\xbf" + line + b"\n  \n") == [SourceRow("clients", "c.ndjson", 1, values)]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'{"a": "\\u0000"}', problem(1, None, "has a NUL character: take it out", "a")),
        (b'{"a": "\xc3\xa9\xff"}', problem(1, None, "is not UTF-8 at byte 10: save the file as CSV in UTF-8")),
    ],
)
def test_bad_line_is_a_problem(data: bytes, expected: list[SourceItem]) -> None:
    assert read(data)[-1:] == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (datetime(2026, 3, 1, 9, tzinfo=timezone(timedelta(hours=1))), "2026-03-01T08:00:00+00:00"),
        (datetime(2026, 3, 1, 9, tzinfo=UTC), "2026-03-01T09:00:00+00:00"),
        (datetime(2026, 3, 1, 9), "2026-03-01T09:00:00"),
        (date(2026, 3, 1), "2026-03-01"),
        (Decimal("1E+3"), "1000"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (UUID(int=1).bytes, "00000000-0000-0000-0000-000000000001"),
        (0, "0"),
        (False, "false"),
        (-7.0, "-7"),
        (9007199254740991.0, "9007199254740991"),
        (0.1, "0.1"),
    ],
)
def test_typed_value_has_the_text_of_a_csv_field(value: Any, expected: str) -> None:
    assert text_of(value) == expected


@pytest.mark.parametrize("value", [b"three", timedelta(1)])
def test_value_of_no_column_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="which no column can hold"):
        text_of(value)


@pytest.mark.parametrize("value", [1e20, -9007199254740992.0, float("nan"), float("inf")])
def test_number_without_all_digits_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="is a number whose digits may be lost: write it as text, or null"):
        text_of(value)
