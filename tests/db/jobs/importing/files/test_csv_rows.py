"""Rows of CSV files, and the problems of files that are not quite CSV."""

import pytest

from db.jobs.importing.rows import Problem, SourceItem, SourceRow, SourceTable
from tests.db.jobs.importing.files.read import read_file


def read(text: str) -> list[SourceItem]:
    return read_file(text.encode(), "teams", "t.csv")


def row(line: int, **values: str | None) -> SourceRow:
    return SourceRow("teams", "t.csv", line, values)


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
    ("text", "line"),
    [
        ("sep=;\na;b,c\n1;2\n", 3),
        ("a;b,c\n1;2\n", 2),
        ("a\tb,c\n1\t2\n", 2),
        ("a;b,c\r1;2\r", 2),
        ('"a";"b,c"\n\n;\n , ,\n1;2\n', 5),
    ],
)
def test_separator_and_line_ends_are_told_by_the_first_lines(text: str, line: int) -> None:
    first = line - 1 if text.startswith("sep") else 1
    assert read(text) == [header("a", "b,c", line=first), row(line, **{"a": "1", "b,c": "2"})]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a\n" + "x" * 200_000 + "\n", "is not CSV: field larger than field limit (131072)"),
        ("a\n" + "\r" * 1_048_578, "is the last of 1,048,577 empty lines: delete them"),
        ("\n" * 1_001 + "a\n", "is the last of 1,001 empty lines: delete them"),
        ('a\n"\n' + '","\n' * 400_000, "is longer than 1,048,576 bytes, or a quote is not closed"),
    ],
)
def test_what_is_too_long_ends_the_file(text: str, reason: str) -> None:
    *_, last = read(text)
    assert isinstance(last, Problem)
    assert last.reason == reason
