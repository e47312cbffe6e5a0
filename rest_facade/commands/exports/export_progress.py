"""Progress bar of `orgdata export`: how many resources are written, and how many rows a second."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn


class ExportProgress:
    """Counts the resources that begin, and the rows that are written."""

    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress = progress
        self._task = task
        self._begun = 0

    def begin(self, resource: str) -> None:
        self._progress.update(self._task, description=resource, completed=self._begun)
        self._begun += 1

    def count(self, rows: int) -> None:
        task = self._progress.tasks[self._task]
        total = task.fields["rows"] + rows
        self._progress.update(self._task, rows=total, rate=int(total / max(task.elapsed or 0, 0.001)))


@contextmanager
def export_progress(resources: int) -> Iterator[ExportProgress]:
    """A progress bar of so many resources, on standard error. It is not shown where that is no terminal."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[rows]:,} rows, {task.fields[rate]:,} a second"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), disable=not sys.stderr.isatty()) as progress:
        yield ExportProgress(progress, progress.add_task("Reading", total=resources, rows=0, rate=0))
