"""The lines of a text, of bounded length, without a byte-order mark. They end with LF, CR LF or CR."""

import io
from collections.abc import Iterator
from typing import BinaryIO, TextIO

MAX_LENGTH = 1 << 20
"""Bytes of the longest line, and of the longest record of several lines. A longer one is not read to its end."""

MAX_EMPTY_BEFORE, MAX_EMPTY = 1_000, 1 << 20
"""Empty lines that are left out at most, before the header and in all: a spreadsheet has no more rows. Those of a small
compressed file would be read for minutes."""


class UnreadableText(Exception):
    """A line that ends the reading of its file: what follows it cannot be told apart. The message says why."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line
        self.reason = reason


def opened_text(file: BinaryIO, encoding: str) -> TextIO:
    """The text of a file, with its own line ends. Bytes that are not UTF-8 stay in it, for `TextLines` to find."""
    return io.TextIOWrapper(file, encoding, "surrogateescape" if encoding == "utf_8" else "replace", newline="")


class TextLines(Iterator[str]):
    """The lines of a text with their ends. Raises UnreadableText.

    `number` is that of the last line. A reader whose records have several lines calls `begin_record` before each, so
    that the bound holds for the record.
    """

    def __init__(self, text: TextIO) -> None:
        self.number = 0
        self._text = text
        self._length = self._empty = 0

    def begin_record(self) -> None:
        self._length = 0

    def leave_out(self, most: int = MAX_EMPTY) -> None:
        """Count an empty record."""
        self._empty += 1
        if self._empty > most:
            raise UnreadableText(self.number, f"is the last of {self._empty:,} empty lines: delete them")

    def __next__(self) -> str:
        line = self._text.readline(MAX_LENGTH + 1)
        if not line:
            raise StopIteration
        self.number += 1
        if self.number == 1:
            line = line.removeprefix("\ufeff")
        try:
            self._length += len(line) if line.isascii() else len(line.encode())
        except UnicodeEncodeError as error:
            place = len(line[: error.start].encode()) + 1
            raise UnreadableText(self.number, f"is not UTF-8 at byte {place}: save the file as CSV in UTF-8") from error
        if self._length > MAX_LENGTH:
            if self.number == 1 and line.startswith(("[", "{")):
                reason = f"is JSON of more than {MAX_LENGTH:,} bytes in one line: write one object a line, as .ndjson"
                raise UnreadableText(1, reason)
            raise UnreadableText(self.number, f"is longer than {MAX_LENGTH:,} bytes, or a quote is not closed")
        if "\0" in line:
            raise UnreadableText(self.number, "has a NUL character: save the file as CSV in UTF-8")
        return line
