"""Embedded PostgreSQL server, for `orgdata demo` and the tests.

One folder holds a server: the cluster in `postgres`, the log of the last run in `postgres.log`, and `lock`, so that one
process at a time uses the folder. `data_directory.py` says where the cluster is when root starts the server.
"""

import ctypes
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from locale import LC_CTYPE
from pathlib import Path
from subprocess import DEVNULL, PIPE, CalledProcessError, Popen, TimeoutExpired, run
from typing import Self
from urllib.parse import quote

from db.errors import OperatorError
from db.sample.embedded.binaries import Account, accessible_to, child, find_binaries, version
from db.sample.embedded.data_directory import account_of, cluster_parent, in_use, locked, record_link

# The address of a unix socket has at most 108 bytes on Linux and 104 elsewhere, including the final zero byte.
SOCKET_PATH_BYTES = 103
SOCKET_PORT = "5432"
SOCKET_NAME = f".s.PGSQL.{SOCKET_PORT}"
LONGEST_SOCKET_NAME = ".s.PGSQL.65535"
INITDB_SECONDS = 120
BUILTIN_LOCALE = 17
PREVIOUS_RUN_SECONDS = 10
# After a crash, a start first replays up to 1 GB of log. A start that fails is noticed at once.
START_SECONDS = 60
# Signals and seconds to wait: fast shutdown, immediate shutdown (the next start recovers), kill.
STOP_SIGNALS = ((signal.SIGINT, 1.5), (signal.SIGQUIT, 1.5), (signal.SIGKILL, 10.0))


class Server:
    """A PostgreSQL server that keeps its data in `folder`, which is created if missing.

    `binaries` is the folder of `initdb` and `postgres`, by default the result of `find_binaries`. `options` are
    settings as in postgresql.conf, such as `{"fsync": "off"}`. The superuser is `postgres`.

    On Linux the server shuts down when the process that started it ends, even by SIGKILL. The kernel watches the
    *thread* that called `start`: call it in a thread that outlives the server, such as the main thread.
    """

    def __init__(self, folder: Path, *, binaries: Path | None = None, options: Mapping[str, str] | None = None) -> None:
        self.folder = Path(os.path.realpath(folder))
        self._binaries = binaries
        self._options = dict(options or {})
        self._port = self._options.get("port", SOCKET_PORT)
        self._cleanup = ExitStack()
        self._process: Popen[bytes] | None = None
        self._socket: Path | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        """The process id of the postmaster. Raises OperatorError unless started."""
        if self._process is None:
            raise OperatorError("The embedded PostgreSQL is not started.")
        return self._process.pid

    def url(self, role: str, database: str = "postgres") -> str:
        """A libpq URL for the role, without a password. Raises OperatorError unless started."""
        if self._socket is None:
            raise OperatorError("The embedded PostgreSQL is not started.")
        host = quote(os.fsencode(self._socket), safe="")
        return f"postgresql://{quote(role, safe='')}@/{quote(database, safe='')}?host={host}&port={self._port}"

    def start(self) -> None:
        """Start the server and return when it accepts connections; do nothing if it is started.

        Raises OperatorError if the folder cannot be written or is in use by another process, if no PostgreSQL is found,
        or if it does not start. After an exception nothing is left running.
        """
        if self._process is not None:
            return
        with ExitStack() as cleanup:
            try:
                self._start(cleanup)
            except OSError as error:
                raise OperatorError(f"PostgreSQL cannot be started in {self.folder}: {error}.") from error
            self._cleanup = cleanup.pop_all()

    def stop(self) -> None:
        """Shut the server down, ending its connections; do nothing if it is not started."""
        self._cleanup.close()

    def _start(self, cleanup: ExitStack) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            cleanup.enter_context(locked(self.folder))
        except OSError as error:
            raise OperatorError(f"The folder {self.folder} cannot be written: {error.strerror}.") from error

        binaries = self._binaries or find_binaries(_made_by(self.folder / "postgres"))
        account = account_of(self.folder / "postgres")
        home = self.folder
        if account:
            binaries = accessible_to(binaries, account)
            home = cluster_parent(self.folder, binaries, account)
            if home != self.folder:
                cleanup.enter_context(locked(home))
                record_link(self.folder / "postgres", home)

        cluster = home / "postgres"
        _await_end_of_previous_run(cluster)
        if _made_by(cluster) is None:
            _initialise(cluster, binaries, account)
        _check_version(cluster, binaries)

        cleanup.callback(self._forget)
        self._socket = cleanup.enter_context(_socket_folder(home, binaries, account))
        # No passwords: only the user of the server can enter the folder of the socket.
        settings = {"listen_addresses": "", "unix_socket_directories": str(self._socket)} | self._options
        command = [str(binaries / "postgres"), f"-D{cluster}"]
        command += [f"-c{name}={value}" for name, value in settings.items()]
        log = self.folder / "postgres.log"
        self._process = cleanup.enter_context(_running(command, log, account))
        _await_ready(self._process, cluster, log)

    def _forget(self) -> None:
        self._process = self._socket = None


def _await_end_of_previous_run(cluster: Path) -> None:
    deadline = time.monotonic() + PREVIOUS_RUN_SECONDS
    while in_use(cluster) and time.monotonic() < deadline:
        time.sleep(0.01)  # if it never ends, PostgreSQL will refuse to start and say why


def _initialise(cluster: Path, binaries: Path, account: Account | None) -> None:
    # Created under another name and renamed, so that an interrupted initdb does not look like a cluster.
    for unfinished in cluster.parent.glob("unfinished-*"):
        _remove_left_over(unfinished)
    unfinished = _own_folder("unfinished-", cluster.parent, account)
    command = [str(binaries / "initdb"), f"--pgdata={unfinished}", "--username=postgres", "--auth=trust"]
    command += ["--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions"]
    if version(binaries) >= BUILTIN_LOCALE:
        # Sorts like C, and maps upper and lower case of all letters, on every system alike.
        command += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
    elif _system_has(b"C.UTF-8"):
        command.append("--lc-ctype=C.UTF-8")
    try:
        run(command, check=True, stdout=DEVNULL, stderr=PIPE, timeout=INITDB_SECONDS, **child(account))
        unfinished.rename(cluster)
    except CalledProcessError as error:
        raise OperatorError(f"PostgreSQL could not make its cluster:\n{_last_lines(error.stderr)}") from error
    except TimeoutExpired as error:
        raise OperatorError(f"PostgreSQL did not make its cluster in {INITDB_SECONDS} seconds.") from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _system_has(locale: bytes) -> bool:
    """Whether a Linux has a locale."""
    if sys.platform != "linux":
        return False
    newlocale = ctypes.CDLL(None).newlocale
    newlocale.restype = ctypes.c_void_p
    return newlocale(1 << LC_CTYPE, locale, None) is not None


def _remove_left_over(folder: Path) -> None:
    # A killed initdb leaves a postgres process, which may write a little more before it ends.
    deadline = time.monotonic() + PREVIOUS_RUN_SECONDS
    shutil.rmtree(folder, ignore_errors=True)
    while folder.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
        shutil.rmtree(folder, ignore_errors=True)


def _made_by(cluster: Path) -> int | None:
    """The version of PostgreSQL that made a cluster, if there is one."""
    file = cluster / "PG_VERSION"
    return int(file.read_text()) if file.exists() else None


def _check_version(cluster: Path, binaries: Path) -> None:
    made, found = _made_by(cluster), version(binaries)
    if made != found:
        raise OperatorError(
            f"{cluster} was made by PostgreSQL {made}, which PostgreSQL {found} in {binaries} cannot use; "
            f"install PostgreSQL {made}, or choose another folder."
        )


def _own_folder(prefix: str, parent: Path, account: Account | None) -> Path:
    """A new folder with a random name, which only the account (and root) can enter."""
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
    if account:
        os.chown(folder, account.uid, account.gid)
    return folder


@contextmanager
def _socket_folder(home: Path, binaries: Path, account: Account | None) -> Iterator[Path]:
    for stale in home.glob("socket-*"):
        shutil.rmtree(stale, ignore_errors=True)
    folder = _own_folder("socket-", _socket_parent(home, binaries, account), account)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _socket_parent(home: Path, binaries: Path, account: Account | None) -> Path:
    for parent in (home, Path(tempfile.gettempdir())):
        example = os.fsencode(parent / "socket-12345678" / LONGEST_SOCKET_NAME)
        # libpq splits hosts at commas, and cannot quote them.
        fits = len(example) <= SOCKET_PATH_BYTES and b"," not in example
        if fits and (account is None or version(binaries, account, inside=parent)):
            return parent
    raise OperatorError("No folder for a unix socket has a path short enough; set TMPDIR to one that has.")


@contextmanager
def _running(command: list[str], log: Path, account: Account | None) -> Iterator[Popen[bytes]]:
    with log.open("wb") as output:
        # Statements in it have values.
        log.chmod(0o600)
        process: Popen[bytes] = Popen(command, stdout=output, stderr=output, **child(account))
    try:
        yield process
    finally:
        for number, seconds in STOP_SIGNALS:
            process.send_signal(number)
            with suppress(TimeoutExpired):
                process.wait(seconds)
                break


def _await_ready(process: Popen[bytes], cluster: Path, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not _is_ready(process.pid, cluster):
        if process.poll() is not None or time.monotonic() > deadline:
            raise OperatorError(f"PostgreSQL did not start; {log} ends with:\n{_last_lines(log.read_bytes())}")
        time.sleep(0.005)


def _is_ready(pid: int, cluster: Path) -> bool:
    # The postmaster writes its state into this file; pg_ctl waits for the same word.
    try:
        lines = (cluster / "postmaster.pid").read_text(errors="replace").split("\n")
    except FileNotFoundError:
        return False
    return lines[0] == str(pid) and "ready" in map(str.strip, lines)


def _last_lines(output: bytes) -> str:
    return "\n".join(output.decode(errors="replace").strip().splitlines()[-5:])
