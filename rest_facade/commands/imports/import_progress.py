"""Progress bar of `orgdata import`: how much of the files is read, and how many rows a second."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from db.jobs.importing.files.import_file import ImportFile
from db.jobs.importing.rows import SourceItem

Item = TypeVar("Item")

PROGRESS_LINES = 1_000
"""Rows between two updates."""


class RowProgress:
    """Counts rows, and shows how many pass in a second."""

    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress = progress
        self._task = task

    def count(self, rows: int) -> None:
        """Show that so many rows more have passed."""
        task = self._progress.tasks[self._task]
        total = task.fields["rows"] + rows
        self._progress.update(self._task, rows=total, rate=int(total / max(task.elapsed or 0, 0.001)))


class ImportProgress(RowProgress):
    """Counts the rows that pass, and the bytes that are read."""

    def step(self, name: str) -> None:
        """Show what is done after the files are read."""
        self._progress.update(self._task, description=name)

    def advance(self, count: int) -> None:
        """Show that so many bytes more are read."""
        self._progress.advance(self._task, count)

    def rows(self, files: Sequence[ImportFile]) -> Iterator[SourceItem]:
        """The rows of the files."""
        for file in files:
            self.step(file.source.name)
            yield from self.counted(file.rows(self.advance))

    def counted(self, items: Iterable[Item]) -> Iterator[Item]:
        """The same items."""
        count = 0
        for count, item in enumerate(items, start=1):
            yield item
            if count % PROGRESS_LINES == 0:
                self.count(PROGRESS_LINES)
        self.count(count % PROGRESS_LINES)


@contextmanager
def row_bar(total: int | None) -> Iterator[tuple[Progress, TaskID]]:
    """A progress bar with the count of rows, on standard error. It is not shown where that is no terminal."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[rows]:,} rows, {task.fields[rate]:,} a second"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), disable=not sys.stderr.isatty()) as progress:
        yield progress, progress.add_task("Reading", total=total, rows=0, rate=0)


@contextmanager
def import_progress(size: int | None) -> Iterator[ImportProgress]:
    """A progress bar of so many bytes."""
    with row_bar(size) as bar:
        yield ImportProgress(*bar)
