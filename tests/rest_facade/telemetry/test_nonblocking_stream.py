"""Non-blocking log stream: full and closed pipes, files, in-memory streams."""

import io
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO
from unittest import mock

import pytest

from rest_facade.telemetry.nonblocking_stream import CHUNK_BYTES, NonblockingStream

Pipe = tuple[int, TextIO]


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb"), os.fdopen(writing, "w") as stream:
        yield reading, stream


def test_pipe_receives_each_line_unbuffered(pipe: Pipe) -> None:
    reading, stream = pipe
    lossy = NonblockingStream(stream)
    assert lossy.write("one\n") == 4
    assert lossy.write("zwölf \ud800\n") == 8
    assert os.read(reading, 100) == "one\nzwölf \\ud800\n".encode()


def test_full_pipe_drops_lines(pipe: Pipe) -> None:
    reading, stream = pipe
    lossy = NonblockingStream(stream)
    line = "x" * 999 + "\n"
    for _ in range(1000):
        lossy.write(line)
    os.set_blocking(reading, False)
    taken = os.read(reading, 10**7)
    assert 0 < len(taken) < 1000 * len(line)
    assert taken == line.encode() * (len(taken) // len(line))
    lossy.write("later\n")
    assert os.read(reading, 100) == b"later\n"


def test_full_pipe_truncates_a_long_line(pipe: Pipe) -> None:
    reading, stream = pipe
    NonblockingStream(stream).write("x" * 10**6)
    os.set_blocking(reading, False)
    assert CHUNK_BYTES <= len(os.read(reading, 10**7)) < 10**6


def test_truncated_line_ends_before_the_next(pipe: Pipe) -> None:
    reading, stream = pipe
    lossy = NonblockingStream(stream)
    lossy.write("x" * 10**6 + "\n")
    os.set_blocking(reading, False)
    torn = os.read(reading, 10**7)
    lossy.write("next\n")
    lossy.write("last\n")
    assert torn == b"x" * len(torn)
    assert os.read(reading, 100) == b"\nnext\nlast\n"


def test_pipe_that_another_process_fills_after_the_check_drops_lines(pipe: Pipe) -> None:
    reading, stream = pipe
    lossy = NonblockingStream(stream)
    os.set_blocking(reading, False)
    timer = threading.Timer(2, os.read, (reading, 10**7))
    with mock.patch.object(lossy, "_poll", mock.Mock(**{"poll.return_value": [True]})):
        timer.start()
        for _ in range(100):
            lossy.write("x" * 999 + "\n")
    assert timer.is_alive(), "the write waited for the reader"
    timer.cancel()
    assert os.get_blocking(stream.fileno()), "other processes have the same file description"


def test_full_socket_drops_lines() -> None:
    reading, writing = socket.socketpair()
    with reading, writing, os.fdopen(os.dup(writing.fileno()), "w") as stream:
        lossy = NonblockingStream(stream)
        for _ in range(10_000):
            lossy.write("x" * 999 + "\n")
        assert reading.recv(1000) == b"x" * 999 + b"\n"


def test_closed_pipe_is_ignored() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as stream:
        assert NonblockingStream(stream).write("line\n") == 5


def test_file_receives_everything(tmp_path: Path) -> None:
    with (tmp_path / "log").open("w") as stream:
        lossy = NonblockingStream(stream)
        for _ in range(1000):
            lossy.write("x" * 999 + "\n")
        lossy.flush()
        assert (tmp_path / "log").stat().st_size == 10**6
    lossy.close()


def test_in_memory_stream_receives_everything() -> None:
    stream = io.StringIO()
    NonblockingStream(stream).write("line\n")
    assert stream.getvalue() == "line\n"
