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
        self._own = None if self._descriptor is None else _opened_nonblocking(self._descriptor)
        self._poll = select.poll()
        if self._descriptor is not None:
            self._poll.register(self._descriptor, select.POLLOUT)
        self._line_end = b""
        """What ends the line that was truncated last."""

    def write(self, text: str, /) -> int:
        """Write a line, or drop what does not fit. Returns its length either way."""
        if self._descriptor is None:
            return self._stream.write(text)
        data = self._line_end + text.encode(errors="backslashreplace")
        # A full pipe raises BlockingIOError. A closed pipe is ignored, too.
        with contextlib.suppress(OSError):
            for start in range(0, len(data), CHUNK_BYTES):
                if self._own is None and not self._poll.poll(0):
                    break
                chunk = data[start : start + CHUNK_BYTES]
                os.write(self._descriptor if self._own is None else self._own, chunk)
                self._line_end = b"" if chunk.endswith(b"\n") else b"\n"
        return len(text)

    def close(self) -> None:
        super().close()
        own, self._own = self._own, None
        if own is not None:
            os.close(own)

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


def _opened_nonblocking(descriptor: int) -> int | None:
    """A descriptor of the same pipe that does not block; None where it can't be opened, such as for a socket.

    Workers share a pipe: another one may fill it between poll and write. O_NONBLOCK on the inherited descriptor would
    hold for all processes that have it.
    """
    try:
        return os.open(f"/proc/self/fd/{descriptor}", os.O_WRONLY | os.O_NONBLOCK)
    except OSError:
        return None
