"""Rows of CSV files, and the problems of files that are not quite CSV."""

import pytest

from db.jobs.importing.rows import Problem, SourceItem, SourceRow, SourceTable
from tests.db.jobs.importing.files.read import read_file


def read(text: str) -> list[SourceItem]:
    return read_file(text.encode(), "teams", "t.csv")


def row(line: int, **values: str | None) -> SourceRow:
    return SourceRow("teams", "t.csv", line, values)


def problem(line: int, column: str, value: str | None, reason: str) -> Problem:
    return Problem("t.csv", line, column, value, reason)


def header(*columns: str, line: int = 1) -> SourceTable:
    return SourceTable("teams", "t.csv", line, columns and list(columns))


def test_rows_have_the_columns_of_the_header() -> None:
    assert read("external_id, name\r\nd,Design\r\nb,\r\n") == [
        header("external_id", "name"),
        row(2, external_id="d", name="Design"),
        row(3, external_id="b", name=None),
    ]


def test_quoted_newline_stays_and_lines_are_counted() -> None:
    assert read('\ufeffname,note\n"a ""b""","one\r\ntwo\n"\n\nc,d\n') == [
        header("name", "note"),
        row(2, name='a "b"', note="one\r\ntwo\n"),
        row(6, name="c", note="d"),
    ]


def test_header_alone_names_the_table() -> None:
    assert read("name\n") == [header("name")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", problem(1, "", None, "is empty: a CSV file begins with the names of its columns")),
        ("\n\n", problem(1, "", None, "is empty: a CSV file begins with the names of its columns")),
        ("id,name,id\n1,2,3\n", problem(1, "id", None, "stands twice in the header: rename or delete one")),
    ],
)
def test_bad_header_ends_the_file(text: str, expected: Problem) -> None:
    assert read(text) == [expected]


def test_row_of_another_length_is_a_problem() -> None:
    assert read("a,b\n1\n1,2,3\n1,2\n") == [
        header("a", "b"),
        problem(2, "", None, "has 1 of 2 values: complete the line, or delete it"),
        problem(3, "", None, "has 3 values, and the header has 2: put values with separators in quotes"),
        row(4, a="1", b="2"),
    ]


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ('a\n"1"2\n', 2, "has text after a closing quote: write a quote inside a value twice"),
        ('a\n1\n"2\n3\n', 3, "has a quote that is not closed: close it, or write a quote inside a value twice"),
        ("a\n" + "x" * 200_000 + "\n", 2, "is not CSV: field larger than field limit (131072)"),
    ],
)
def test_what_is_not_csv_ends_the_file(text: str, line: int, reason: str) -> None:
    assert read(text)[-1] == problem(line, "", None, reason)


def test_record_that_never_ends_is_refused() -> None:
    *_, last = read('a\n"\n' + '","\n' * 400_000)
    assert isinstance(last, Problem)
    assert last.reason == "is longer than 1,048,576 bytes, or a quote is not closed"
