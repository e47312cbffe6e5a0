"""Data directory of the embedded server: its lock, and its place and owner when root starts PostgreSQL.

PostgreSQL refuses to run as root, so a root process runs it as the system user `postgres`, or `nobody` where there is
none. That user may not be able to enter the folder, for example under a 0700 directory of root. Then the cluster is in
a folder of /var/lib/orgdata, `postgres` is a symbolic link to it, and the file `link` beside the cluster records the
link's path. A cluster whose link is missing is not used again. If the link was in the system's temporary directory, the
cluster is removed when the next one is created. Elsewhere it stays: the folder may have been moved, or its disk not be
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

from db.errors import OperatorError
from db.sample.embedded.binaries import SHARED, Account, version


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock the folder. Raises OperatorError if another process has locked it."""
    lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise OperatorError(f"The folder {folder} is in use by another run.") from error
        yield
    finally:
        os.close(lock)


def account_of(cluster: Path) -> Account | None:
    """The user that PostgreSQL runs as: the cluster's owner, else `postgres` or `nobody`; None if not root."""
    if os.geteuid() != 0:
        return None
    if cluster.exists() and (owner := cluster.stat()).st_uid != 0:
        return Account(owner.st_uid, owner.st_gid)
    for name in ("postgres", "nobody"):
        with suppress(KeyError):
            user = pwd.getpwnam(name)
            return Account(user.pw_uid, user.pw_gid)
    raise OperatorError("PostgreSQL does not run as root, and there is no user `postgres` or `nobody`.")


def cluster_parent(folder: Path, binaries: Path, account: Account) -> Path:
    """The folder that holds the cluster: `folder` if the account can enter it, else one in /var/lib/orgdata."""
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


def record_link(link: Path, home: Path) -> None:
    """Record beside a cluster the path of the link to it."""
    # A copy of the folder copies the link. The cluster belongs to the first link, and is removed with it.
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
        with suppress(OSError, OperatorError):
            if not _is_linked(home) and _recorded_link(home).is_relative_to(temporary):
                with locked(home):
                    if not in_use(home / "postgres"):
                        shutil.rmtree(home)


def in_use(cluster: Path) -> bool:
    """Whether the postmaster of an earlier run still exists; it may be shutting down."""
    try:
        pid = int((cluster / "postmaster.pid").read_bytes().split()[0])
        os.kill(pid, 0)
    except (OSError, ValueError, IndexError):
        return False  # never started, ended, or a process of another user and so not this cluster's
    try:
        # After a crash another process may have the id. A postmaster's working directory is its cluster.
        return Path(f"/proc/{pid}/cwd").readlink() == cluster.resolve()
    except OSError:
        return True  # no /proc, or no permission to read it
