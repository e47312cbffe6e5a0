"""The folder of an export: files are written in a hidden folder inside it, and moved when all of them are whole."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from db.errors import OperatorError
from db.jobs.exporting.manifest import MANIFEST, Manifest, json_bytes, read_manifest
from db.jobs.exporting.state import STATE, ExportState

UNFINISHED = ".unfinished"
LOCK = "lock"


class ExportFolder:
    """`unfinished` is where files are written. `finish` moves them to `path`: the manifest, and last the state."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.unfinished = path / UNFINISHED

    def finish(self, manifest: Manifest, state: ExportState) -> None:
        # A run that is killed below is followed by one that finds the names here, and removes the files.
        (self.unfinished / MANIFEST).write_bytes(json_bytes(manifest))
        state.write(self.unfinished / STATE)
        names = [file.file for file in manifest.files]
        _sync(*(self.unfinished / name for name in (*names, MANIFEST, STATE)), self.unfinished)
        for name in names:
            (self.unfinished / name).rename(self.path / name)
        for name in (MANIFEST, STATE):
            shutil.copyfile(self.unfinished / name, self.unfinished / f"{name}.copy")
            _sync(self.unfinished / f"{name}.copy")
            (self.unfinished / f"{name}.copy").rename(self.path / name)
        _sync(self.path)


@contextmanager
def export_folder(path: Path) -> Iterator[ExportFolder]:
    """A folder without an export, made if it is missing. What a broken export left in it is removed.

    Only the owner may read what is made meanwhile: it holds names, addresses and pay. An error removes it. Raises
    OperatorError for a folder that holds anything else.
    """
    before = os.umask(0o077)
    try:
        yield from _export_folder(ExportFolder(path))
    finally:
        os.umask(before)


def _export_folder(folder: ExportFolder) -> Iterator[ExportFolder]:
    try:
        folder.unfinished.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OperatorError(f"{folder.path} is no folder that can be written to: {error.strerror}.") from error
    with (folder.unfinished / LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise OperatorError(f"Another export writes to {folder.path}.") from error
        try:
            _remove_leftovers(folder)
            yield folder
        except BaseException:
            # Without the list of the files that were moved already, the next export could not remove them.
            if not (folder.unfinished / MANIFEST).exists():
                shutil.rmtree(folder.unfinished)
            raise
        shutil.rmtree(folder.unfinished)


def _remove_leftovers(folder: ExportFolder) -> None:
    """Remove the files of an export that was killed. Raises OperatorError if the folder has others."""
    found = {entry.name for entry in folder.path.iterdir()} - {UNFINISHED}
    if STATE in found or (MANIFEST in found and not (folder.unfinished / MANIFEST).exists()):
        raise OperatorError(f"{folder.path} already has an export: name an empty folder.")
    try:
        own = {MANIFEST, *(file.file for file in read_manifest(folder.unfinished).files)}
    except OperatorError:
        own = set()
    if found - own:
        raise OperatorError(f"{folder.path} is not empty: it has {min(found - own)}.")
    for name in found:
        (folder.path / name).unlink()
    for entry in folder.unfinished.iterdir():
        if entry.name != LOCK:
            entry.unlink()


def _sync(*paths: Path) -> None:
    """Wait until files, or the names in a folder, are on the disk."""
    for path in paths:
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
