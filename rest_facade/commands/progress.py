"""Progress of a job on standard error: a bar on a terminal, elsewhere a line of JSON every few seconds."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic
from typing import IO, TypeVar

import orjson
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

Item = TypeVar("Item")

INTERVAL = 5.0
"""Seconds between two lines of JSON. A job that is shorter writes none."""

COUNTED_ROWS = 1_000
"""Rows between two updates."""


class JobProgress:
    """What a job does now, how much of the whole is done, and how many rows passed.

    `total` is the whole, as a number of bytes or of parts. It is None if it is not known.
    """

    def __init__(self, job: str, total: int | None) -> None:
        self._job = job
        self._total = total
        self._step = "Reading"
        self._done = self._rows = self._begun = 0
        self._started = monotonic()
        self._changed: Callable[[], object] = lambda: None

    def show(self, name: str) -> None:
        """Show what is done now, as a part of the whole."""
        self._step = name
        self._changed()

    def step(self, name: str) -> None:
        """Show what is done after the whole, without a known end."""
        self._total = None
        self.show(name)

    def begin(self, name: str, total: int | None = None) -> None:
        """Show the part that begins, where the whole is a number of parts. `total`: the whole, if it was not known."""
        self._total = total or self._total
        self._done = self._begun
        self._begun += 1
        self.show(name)

    def advance(self, count: int) -> None:
        """Add to what is done of the whole."""
        self._done += count
        self._changed()

    def count(self, rows: int) -> None:
        """Add rows that passed."""
        self._rows += rows
        self._changed()

    def counted(self, items: Iterable[Item]) -> Iterator[Item]:
        """The same items, each of which is a row."""
        count = 0
        for count, item in enumerate(items, start=1):
            yield item
            if count % COUNTED_ROWS == 0:
                self.count(COUNTED_ROWS)
        self.count(count % COUNTED_ROWS)

    def line(self) -> str:
        """The progress as JSON. `seconds_left` is an estimate."""
        seconds = monotonic() - self._started
        # A file may be read more often than it was counted.
        share = min(1.0, self._done / self._total) if self._total else None
        content = {
            "event": "progress",
            "job": self._job,
            "step": self._step,
            "rows": self._rows,
            "rows_per_second": self._rate,
            "done": None if share is None else round(share, 3),
            "seconds": round(seconds, 1),
            "seconds_left": round(seconds / share - seconds, 1) if share else None,
        }
        return orjson.dumps(content).decode()

    @property
    def _rate(self) -> int:
        return int(self._rows / max(monotonic() - self._started, 0.001))

    @contextmanager
    def bar(self) -> Iterator[None]:
        """Show a bar while the job runs."""
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.fields[rows]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
        )
        # Standard output is not drawn over the bar if it goes elsewhere.
        with Progress(*columns, console=Console(stderr=True), redirect_stdout=sys.stdout.isatty()) as shown:
            task = shown.add_task(self._step, total=self._total, rows="")

            def changed() -> None:
                shown.tasks[task].total = self._total
                rows = f"{self._rows:,} rows, {self._rate:,} a second" if self._rows else ""
                shown.update(task, description=self._step, completed=self._done, rows=rows)

            self._changed = changed
            yield

    @contextmanager
    def lines(self, file: IO[str]) -> Iterator[None]:
        """Write a line of JSON at each INTERVAL while the job runs, also while it waits for one long statement."""
        ended = Event()

        def write() -> None:
            while not ended.wait(INTERVAL):
                print(self.line(), file=file, flush=True)

        thread = Thread(target=write, name="progress", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()


@contextmanager
def job_progress(job: str, total: int | None) -> Iterator[JobProgress]:
    """The progress of a job while it runs."""
    progress = JobProgress(job, total)
    with progress.bar() if sys.stderr.isatty() else progress.lines(sys.stderr):
        yield progress
