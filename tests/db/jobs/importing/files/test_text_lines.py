"""Lines of text files: what ends their reading."""

import io
from typing import BinaryIO

import pytest

from db.jobs.importing.files.text_lines import MAX_LENGTH, TextLines, UnreadableText, opened_text


class Endless(io.RawIOBase):
    """A line without an end; counts the bytes that were read of it."""

    read_bytes = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        buffer[:] = b"x" * len(buffer)
        self.read_bytes += len(buffer)
        return len(buffer)


def lines(data: bytes) -> TextLines:
    return TextLines(opened_text(io.BytesIO(data), "utf_8"))


def test_lines_keep_their_ends() -> None:
    assert list(lines(b"a\r\nb\n\nc")) == ["a\r\n", "b\n", "\n", "c"]


def test_line_without_end_is_not_read_further() -> None:
    source = Endless()
    file: BinaryIO = io.BufferedReader(source)
    with pytest.raises(UnreadableText, match="is longer than 1,048,576 bytes"):
        next(TextLines(opened_text(file, "utf_8")))
    assert source.read_bytes < 2 * MAX_LENGTH


def test_bound_holds_for_a_record_of_many_lines() -> None:
    source = lines(b"x" * (MAX_LENGTH // 2 - 1) + b"\n" + b"x" * (MAX_LENGTH // 2) + b"\n")
    next(source)
    with pytest.raises(UnreadableText):
        next(source)


def test_bound_begins_anew_with_each_record() -> None:
    source = lines(b"x" * (MAX_LENGTH - 1) + b"\n" + b"x" * MAX_LENGTH)
    next(source)
    source.begin_record()
    assert len(next(source)) == MAX_LENGTH
