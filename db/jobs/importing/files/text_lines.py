"""The lines of a text file: UTF-8, of bounded length, without a byte-order mark."""

from collections.abc import Iterator
from typing import BinaryIO

MAX_LENGTH = 1 << 20
"""Bytes of the longest line, and of the longest record of several lines. A longer one is not read to its end."""

_UTF_8_MARK = b"\xef\xbb\xbf"


class UnreadableText(Exception):
    """A line that ends the reading of its file: what follows it cannot be told apart. The message says why."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line
        self.reason = reason


class TextLines(Iterator[str]):
    """The lines of a file with their ends. Raises UnreadableText.

    `number` is that of the last line. A reader whose records have several lines calls `begin_record` before each, so
    that the bound holds for the record.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.number = 0
        self._file = file
        self._length = 0

    def begin_record(self) -> None:
        self._length = 0

    def __next__(self) -> str:
        line = self._file.readline(MAX_LENGTH + 1)
        if not line:
            raise StopIteration
        self.number += 1
        self._length += len(line)
        if self.number == 1:
            line = line.removeprefix(_UTF_8_MARK)
        if self._length > MAX_LENGTH:
            raise UnreadableText(self.number, f"is longer than {MAX_LENGTH:,} bytes, or a quote is not closed")
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            raise UnreadableText(
                self.number, f"is not UTF-8 at byte {error.start + 1}: save the file as CSV in UTF-8"
            ) from error
        if "\0" in text:
            raise UnreadableText(self.number, "has a NUL character: save the file as CSV in UTF-8")
        return text
