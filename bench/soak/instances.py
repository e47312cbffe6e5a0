"""Two instances of the service on the same ports, which are replaced one after another, as an upgrade does."""

import signal
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Self

from bench.processes import free_port
from tests.faults.service import Serving, serving


class Instances:
    """The running instances. Each has half of the workers; the kernel spreads connections over all workers."""

    def __init__(self, folder: Path, workers: int, **settings: str) -> None:
        self.public, self.internal = free_port(), free_port()
        self.running: list[Serving] = []
        self._folder, self._workers, self._settings = folder, workers, settings
        self._cleanup = ExitStack()
        self._names = count(1)

    def __enter__(self) -> Self:
        with self._cleanup as cleanup:
            self.running = [self._start() for _ in range(2)]
            self._cleanup = cleanup.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._cleanup.close()

    @property
    def address(self) -> str:
        """The URL of the public listeners."""
        return f"http://127.0.0.1:{self.public}"

    def replace(self, **settings: str) -> None:
        """Start an instance with changed settings and end an old one, twice."""
        self._settings |= settings
        for number, old in enumerate(self.running):
            self.running[number] = self._start()
            code = old.stop(signal.SIGTERM)
            assert code == 0, (code, old.log_text())

    def _start(self) -> Serving:
        return self._cleanup.enter_context(
            serving(
                self._folder,
                f"--workers={self._workers // 2}",
                name=f"service-{next(self._names)}",
                port=self.public,
                internal_port=self.internal,
                **self._settings,
            )
        )
