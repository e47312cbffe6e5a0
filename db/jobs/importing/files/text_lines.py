"""The lines of a text file: UTF-8, of bounded length, without a byte-order mark. They end with LF, CR LF or CR."""

from collections.abc import Iterator
from typing import BinaryIO

MAX_LENGTH = 1 << 20
"""Bytes of the longest line, and of the longest record of several lines. A longer one is not read to its end."""

CR_BLOCK = 1 << 16
"""Bytes that are read at once of lines that end with CR."""

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
        self._lines = _lines(file)
        self._length = 0

    def begin_record(self) -> None:
        self._length = 0

    def __next__(self) -> str:
        line = next(self._lines)
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


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines, of bounded length. They end with CR alone where the first one does."""
    line = file.readline(MAX_LENGTH + 1)
    first, mark, rest = line.partition(b"\r")
    if not mark or rest[:1] == b"\n" or first.count(b'"') % 2:
        while line:
            yield line
            line = file.readline(MAX_LENGTH + 1)
        return
    while line:
        *lines, line = line.split(b"\r")
        yield from (each + b"\r" for each in lines)
        block = file.read(CR_BLOCK)
        if line and (not block or len(line) > MAX_LENGTH):
            yield line
        line = line + block if block else b""
