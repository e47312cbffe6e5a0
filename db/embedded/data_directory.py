"""Where a cluster lives, and whom it belongs to, when root starts PostgreSQL.

PostgreSQL refuses to run as root, so a root process runs it as the system user `postgres`, or `nobody`
where there is none. The folder may be out of that user's reach, under a 0700 directory of root whose mode
is not for us to change. Then the cluster lives in a folder of its own in /var/lib/orgdata, and `postgres`
is a symbolic link to it, whose path is recorded beside the cluster as `link`. A cluster whose link is gone
is not used again. If that link was in the system's temporary directory, the cluster is removed when the
next one is made; elsewhere it stays, because the folder may only have been moved, or its disk not be
mounted.
"""

import fcntl
import os
import pwd
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from db.embedded.binaries import SHARED, Account, ServerError, version


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder for this run. Raises ServerError if another one holds it."""
    lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ServerError(f"The folder {folder} is in use by another run.") from error
        yield
    finally:
        os.close(lock)


def account_of(cluster: Path) -> Account | None:
    """Whom root runs PostgreSQL as: the cluster's owner, else `postgres` or `nobody`; None if not root."""
    if os.geteuid() != 0:
        return None
    if cluster.exists() and (owner := cluster.stat()).st_uid != 0:
        return Account(owner.st_uid, owner.st_gid)
    for name in ("postgres", "nobody"):
        with suppress(KeyError):
            user = pwd.getpwnam(name)
            return Account(user.pw_uid, user.pw_gid)
    raise ServerError("PostgreSQL does not run as root, and there is no user `postgres` or `nobody`.")


def home_of(folder: Path, binaries: Path, account: Account) -> Path:
    """Where root keeps the cluster of the folder: the folder itself, or the one that its link leads to."""
    link = folder / "postgres"
    if link.is_symlink():
        home = link.readlink().parent
        if home.parent == SHARED and home.is_dir():
            return home
    if link.is_dir() or version(binaries, account, inside=folder):
        return folder
    _remove_orphans()
    SHARED.mkdir(parents=True, exist_ok=True)
    SHARED.chmod(0o755)
    home = Path(tempfile.mkdtemp(prefix="cluster-", dir=SHARED))
    home.chmod(0o711)
    link.unlink(missing_ok=True)
    link.symlink_to(home / "postgres")
    return home


def record(link: Path, home: Path) -> None:
    """Note beside a cluster which link leads to it."""
    # A copy of the folder has a copy of the link. The cluster stays the first one's, and goes with that one.
    if not _is_linked(home):
        (home / "link").write_bytes(os.fsencode(link))


def _recorded_link(home: Path) -> Path:
    return Path(os.fsdecode((home / "link").read_bytes()))


def _is_linked(home: Path) -> bool:
    try:
        return _recorded_link(home).readlink() == home / "postgres"
    except OSError:
        return False


def _remove_orphans() -> None:
    temporary = os.path.realpath(tempfile.gettempdir())
    for record in SHARED.glob("cluster-*/link"):
        home = record.parent
        with suppress(OSError, ServerError):
            if not _is_linked(home) and _recorded_link(home).is_relative_to(temporary):
                with locked(home):
                    if not in_use(home / "postgres"):
                        shutil.rmtree(home)


def in_use(cluster: Path) -> bool:
    """Whether the postmaster of an earlier run is still there, perhaps shutting down."""
    try:
        pid = int((cluster / "postmaster.pid").read_bytes().split()[0])
        os.kill(pid, 0)
    except (OSError, ValueError, IndexError):
        return False  # never started, gone, or another user's and so not this cluster's
    try:
        # After a crash the id may have passed to any process; a postmaster is one that works in its cluster.
        return Path(f"/proc/{pid}/cwd").readlink() == cluster.resolve()
    except OSError:
        return True  # no /proc to ask, or no right to look
