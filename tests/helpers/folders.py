"""Temporary folders."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def open_folder(parent: Path | None = None) -> Iterator[Path]:
    """A new folder that every user can enter, unlike pytest's `tmp_path`."""
    with tempfile.TemporaryDirectory(prefix="orgdata-test-", dir=parent) as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
