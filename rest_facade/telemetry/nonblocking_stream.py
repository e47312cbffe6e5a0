"""A stream for lines that nobody may wait for.

Whoever starts the service may read its log through a pipe, and one day stop reading. A write to a full pipe waits, and
with it would wait every request. So what does not fit is lost: a log with gaps is better than a service that hangs.
"""

import contextlib
import io
import os
import select
import stat
from typing import TextIO

AT_ONCE = select.PIPE_BUF
"""Bytes that a pipe takes without waiting if it takes any at all (POSIX, write)."""


class NonblockingStream(io.TextIOBase):
    """Writes to a pipe or a socket as much as it takes, and to anything else as usual."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._to = _pipe_of(stream)
        self._poll = select.poll()
        if self._to is not None:
            self._poll.register(self._to, select.POLLOUT)

    def write(self, text: str, /) -> int:
        """Write a line, or lose it."""
        if self._to is None:
            return self._stream.write(text)
        data = text.encode(errors="backslashreplace")
        # A pipe that nobody reads any more is no reason to fail, either.
        with contextlib.suppress(OSError):
            for start in range(0, len(data), AT_ONCE):
                if not self._poll.poll(0):
                    break
                os.write(self._to, data[start : start + AT_ONCE])
        return len(text)

    def flush(self) -> None:
        if self._to is None:
            self._stream.flush()


def _pipe_of(stream: TextIO) -> int | None:
    """The descriptor of a pipe or a socket; None for files, terminals, and streams of a test."""
    try:
        number = stream.fileno()
    except (OSError, ValueError):
        return None
    mode = os.fstat(number).st_mode
    return number if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) else None
