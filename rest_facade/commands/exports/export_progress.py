"""Progress bar of `orgdata export`: how many resources are written, and how many rows a second."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import Progress, TaskID

from rest_facade.commands.imports.import_progress import RowProgress, row_bar


class ExportProgress(RowProgress):
    """Counts the resources that begin, and the rows that are written."""

    def __init__(self, progress: Progress, task: TaskID) -> None:
        super().__init__(progress, task)
        self._begun = 0

    def begin(self, resource: str) -> None:
        """Show the resource that is written next."""
        self._progress.update(self._task, description=resource, completed=self._begun)
        self._begun += 1


@contextmanager
def export_progress(resources: int) -> Iterator[ExportProgress]:
    """A progress bar of so many resources."""
    with row_bar(resources) as bar:
        yield ExportProgress(*bar)
