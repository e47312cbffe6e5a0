"""Non-blocking log stream: drops lines when the pipe is full.

The log may go through a pipe whose reader stops. A blocking write to a full pipe would stop every request, so lines
that do not fit are dropped.
"""

import contextlib
import io
import os
import select
import stat
from typing import TextIO

CHUNK_BYTES = select.PIPE_BUF
"""Bytes that a writable pipe takes without blocking (POSIX, write: PIPE_BUF)."""


class NonblockingStream(io.TextIOBase):
    """Writes to a pipe or a socket without blocking, and to files and terminals as usual."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._descriptor = _pipe_descriptor(stream)
        self._poll = select.poll()
        if self._descriptor is not None:
            self._poll.register(self._descriptor, select.POLLOUT)

    def write(self, text: str, /) -> int:
        """Write a line, or drop what does not fit. Returns its length either way."""
        if self._descriptor is None:
            return self._stream.write(text)
        data = text.encode(errors="backslashreplace")
        # A closed pipe is ignored, too.
        with contextlib.suppress(OSError):
            for start in range(0, len(data), CHUNK_BYTES):
                if not self._poll.poll(0):
                    break
                os.write(self._descriptor, data[start : start + CHUNK_BYTES])
        return len(text)

    def flush(self) -> None:
        # Python flushes once more when it removes this object, perhaps after the stream is closed.
        if self._descriptor is None and not self._stream.closed:
            self._stream.flush()


def _pipe_descriptor(stream: TextIO) -> int | None:
    """The file descriptor of a pipe or a socket; None for files, terminals and in-memory streams."""
    try:
        descriptor = stream.fileno()
    except (OSError, ValueError):
        return None
    mode = os.fstat(descriptor).st_mode
    return descriptor if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) else None
