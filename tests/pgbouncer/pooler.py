"""A PgBouncer for tests, in front of the embedded server: a connection to the server is lent for a transaction."""

import shutil
import signal
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import psycopg

from db.embedded.binaries import child
from db.embedded.data_directory import account_of
from db.embedded.database import OWNER
from db.embedded.server import Server
from tests.faults.store import free_port

PATIENCE = 10.0

# Nothing is ignored of what clients say when they connect: whatever PgBouncer does not know is refused.
CONFIGURATION = """
[databases]
* = host={socket} port=5432

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = trust
auth_file = {users}
admin_users = postgres
pool_mode = transaction
default_pool_size = {size}
max_client_conn = 500
server_lifetime = {lifetime}
server_login_retry = 1
server_round_robin = 1
"""


def find_pgbouncer() -> str | None:
    """The program, if there is one."""
    return shutil.which("pgbouncer", path="/usr/local/sbin:/usr/sbin:/sbin") or shutil.which("pgbouncer")


class Pooler:
    """A PgBouncer on a port that it keeps over restarts: `size` connections to the server for each database and user.

    `lifetime` is the number of seconds after which it replaces a connection to the server.
    """

    def __init__(self, server: Server, folder: Path, *, size: int = 3, lifetime: int = 3600) -> None:
        self.port = free_port()
        self._folder = folder
        # Root must not run it, and only whom the server runs as can enter the folder of its socket.
        self._account = account_of(server.folder / "postgres")
        (folder / "users.txt").write_text(f'"{OWNER}" ""\n"postgres" ""\n')
        socket = psycopg.conninfo.conninfo_to_dict(server.url("postgres"))["host"]
        values = {"socket": socket, "port": self.port, "size": size, "lifetime": lifetime}
        (folder / "pgbouncer.ini").write_text(CONFIGURATION.format(**values, users=folder / "users.txt"))
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    def url(self, direct: str) -> str:
        """The address of a database of the server, through PgBouncer."""
        name = psycopg.conninfo.conninfo_to_dict(direct)["dbname"]
        return f"postgresql://{OWNER}@127.0.0.1:{self.port}/{name}"

    def start(self) -> None:
        """Start it, and return when it answers."""
        program = find_pgbouncer()
        assert program is not None
        log = self._folder / "pgbouncer.log"
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                [program, str(self._folder / "pgbouncer.ini")], stdout=output, stderr=output, **child(self._account)
            )
        deadline = time.monotonic() + PATIENCE
        while not self._answers():
            assert self._process.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.01)

    def kill(self) -> None:
        """End it at once, as a crash would."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            self._process = None

    def ask(self, command: str) -> list[Any]:
        """What its console answers; one that answers without rows gives none."""
        url = f"postgresql://postgres@127.0.0.1:{self.port}/pgbouncer"
        with psycopg.connect(url, autocommit=True, cursor_factory=psycopg.ClientCursor) as console:
            cursor = console.execute(command.encode())
            return cursor.fetchall() if cursor.description else []

    def _answers(self) -> bool:
        try:
            return bool(self.ask("SHOW VERSION"))
        except psycopg.OperationalError:
            return False
