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


def finish_export(unfinished: Path, manifest: Manifest, state: ExportState) -> None:
    """Move the files from the hidden folder to that of the export: the manifest after them, and last the state."""
    # A run that is killed below is followed by one that finds the names here, and removes the files.
    (unfinished / MANIFEST).write_bytes(json_bytes(manifest))
    state.write(unfinished / STATE)
    names = [file.file for file in manifest.files]
    _sync(*(unfinished / name for name in (*names, MANIFEST, STATE)), unfinished)
    for name in names:
        (unfinished / name).rename(unfinished.parent / name)
    for name in (MANIFEST, STATE):
        shutil.copyfile(unfinished / name, unfinished / f"{name}.copy")
        _sync(unfinished / f"{name}.copy")
        (unfinished / f"{name}.copy").rename(unfinished.parent / name)
    _sync(unfinished.parent)


@contextmanager
def export_folder(path: Path) -> Iterator[Path]:
    """The hidden folder in a folder without an export, made if it is missing. What a broken export left is removed.

    Only the owner may read what is made meanwhile: it holds names, addresses and pay. An error removes it. Raises
    OperatorError for a folder that holds anything else.
    """
    before = os.umask(0o077)
    try:
        yield from _unfinished(path)
    finally:
        os.umask(before)


def _unfinished(path: Path) -> Iterator[Path]:
    unfinished = path / UNFINISHED
    try:
        unfinished.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OperatorError(f"{path} is no folder that can be written to: {error.strerror}.") from error
    with (unfinished / LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise OperatorError(f"Another export writes to {path}.") from error
        try:
            _remove_leftovers(path)
            yield unfinished
        except BaseException:
            # Without the list of the files that were moved already, the next export could not remove them.
            if not (unfinished / MANIFEST).exists():
                shutil.rmtree(unfinished)
            raise
        shutil.rmtree(unfinished)


def _remove_leftovers(path: Path) -> None:
    """Remove the files of an export that was killed. Raises OperatorError if the folder has others."""
    unfinished = path / UNFINISHED
    found = {entry.name for entry in path.iterdir()} - {UNFINISHED}
    if STATE in found or (MANIFEST in found and not (unfinished / MANIFEST).exists()):
        raise OperatorError(f"{path} already has an export: name an empty folder.")
    try:
        own = {MANIFEST, *(file.file for file in read_manifest(unfinished).files)}
    except OperatorError:
        own = set()
    if found - own:
        raise OperatorError(f"{path} is not empty: it has {min(found - own)}.")
    for name in found:
        (path / name).unlink()
    for entry in unfinished.iterdir():
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
