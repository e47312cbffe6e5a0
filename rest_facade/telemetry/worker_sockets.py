"""Sockets between the workers of an instance: each answers the requests of the others over a unix socket."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path

WORKER_TIMEOUT = 1.0
"""Seconds to wait for the answer of another worker. One that does not answer is left out."""


class WorkerSockets:
    """The sockets of `count` workers, as worker `number` uses them. They are in `folder`.

    A request is one line: a name, a space, and a value without line ends.
    """

    def __init__(self, folder: Path, number: int, count: int) -> None:
        self._folder = folder
        self.number = number
        self._others = [each for each in range(count) if each != number]
        self._server: asyncio.Server | None = None

    async def open(self, answers: Mapping[str, Callable[[bytes], bytes]]) -> None:
        """Start answering the other workers: what returns the answer to a value, by the name in their requests."""

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                name, _, value = (await reader.readline()).rstrip(b"\n").partition(b" ")
                if (respond := answers.get(name.decode())) is not None:
                    writer.write(respond(value))
                    await writer.drain()
            finally:
                writer.close()

        path = self._path(self.number)
        path.unlink(missing_ok=True)  # left by the previous worker of this number
        self._server = await asyncio.start_unix_server(answer, path)

    def close(self) -> None:
        """Stop answering."""
        if self._server is not None:
            self._server.close()

    async def ask(self, name: str, value: bytes = b"") -> Mapping[int, bytes]:
        """The answers of the other workers by number; empty for one that does not answer in time."""
        answers = await asyncio.gather(*(self._ask(number, name, value) for number in self._others))
        return dict(zip(self._others, answers, strict=True))

    async def _ask(self, number: int, name: str, value: bytes) -> bytes:
        try:
            async with asyncio.timeout(WORKER_TIMEOUT):
                reader, writer = await asyncio.open_unix_connection(self._path(number))
                try:
                    writer.write(b"%s %s\n" % (name.encode(), value))
                    return await reader.read()
                finally:
                    writer.close()
        except OSError:  # TimeoutError is one
            return b""

    def _path(self, number: int) -> Path:
        return self._folder / f"worker-{number}"
