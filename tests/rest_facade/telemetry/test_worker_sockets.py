"""Worker sockets: each worker answers the others by name; one that is silent or gone is left out."""

import asyncio
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from rest_facade.telemetry import worker_sockets
from rest_facade.telemetry.worker_sockets import WorkerSockets


@pytest.fixture
def folder() -> Iterator[Path]:
    """Not pytest's own: the path of a socket has at most 107 bytes."""
    with tempfile.TemporaryDirectory(prefix="orgdata-") as name:
        yield Path(name)


def number_of(worker: WorkerSockets, _: bytes) -> bytes:
    return b"%d" % worker.number


async def test_others_answer_by_name(folder: Path) -> None:
    workers = [WorkerSockets(folder, number, 3) for number in range(3)]
    for worker in workers:
        await worker.open({"number": partial(number_of, worker), "echo": lambda value: value * 2})
    assert await workers[1].ask("number") == {0: b"0", 2: b"2"}
    assert await workers[0].ask("echo", b"ab,c") == {1: b"ab,cab,c", 2: b"ab,cab,c"}
    assert await workers[0].ask("unknown") == {1: b"", 2: b""}
    for worker in workers:
        worker.close()


async def test_silent_or_missing_worker_is_empty(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_sockets, "WORKER_TIMEOUT", 0.05)

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    server = await asyncio.start_unix_server(silent, folder / "worker-1")
    assert await WorkerSockets(folder, 0, 3).ask("number") == {1: b"", 2: b""}
    server.close()


async def test_socket_of_a_dead_worker_is_replaced(folder: Path) -> None:
    (folder / "worker-1").touch()
    replacement = WorkerSockets(folder, 1, 2)
    await replacement.open({"number": lambda _: b"1"})
    assert await WorkerSockets(folder, 0, 2).ask("number") == {1: b"1"}
    replacement.close()
