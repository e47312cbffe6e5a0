"""PgBouncer in front of the embedded server, with transaction pooling."""

import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any, Self

import psycopg

from db.sample.embedded.binaries import child
from db.sample.embedded.data_directory import account_of
from db.sample.embedded.database import OWNER
from db.sample.embedded.server import Server
from tests.faults.store import free_port

START_SECONDS = 10.0

# No ignore_startup_parameters: PgBouncer refuses connection parameters that it does not know.
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
    """The path of the program; None if it is missing."""
    return shutil.which("pgbouncer", path="/usr/local/sbin:/usr/sbin:/sbin") or shutil.which("pgbouncer")


class Pooler:
    """A PgBouncer that keeps its port over restarts.

    `size`: connections to the server per database and user. `lifetime`: seconds after which they are replaced.
    """

    def __init__(self, server: Server, folder: Path, *, size: int = 3, lifetime: int = 3600) -> None:
        self.port = free_port()
        self._folder = folder
        # PgBouncer refuses to run as root, and only the server's user can enter the folder of the socket.
        self._account = account_of(server.folder / "postgres")
        (folder / "users.txt").write_text(f'"{OWNER}" ""\n"postgres" ""\n')
        socket = psycopg.conninfo.conninfo_to_dict(server.url("postgres"))["host"]
        values = {"socket": socket, "port": self.port, "size": size, "lifetime": lifetime}
        (folder / "pgbouncer.ini").write_text(CONFIGURATION.format(**values, users=folder / "users.txt"))
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def url(self, direct: str) -> str:
        """The URL of a database through PgBouncer."""
        name = psycopg.conninfo.conninfo_to_dict(direct)["dbname"]
        return f"postgresql://{OWNER}@127.0.0.1:{self.port}/{name}"

    def start(self) -> None:
        """Start PgBouncer, and return when it answers."""
        program = find_pgbouncer()
        assert program is not None
        log = self._folder / "pgbouncer.log"
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                [program, str(self._folder / "pgbouncer.ini")], stdout=output, stderr=output, **child(self._account)
            )
        deadline = time.monotonic() + START_SECONDS
        while not self._answers():
            assert self._process.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.01)

    def kill(self) -> None:
        """Kill the process."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            self._process = None

    def ask(self, command: str) -> list[Any]:
        """The rows that its console returns to a command."""
        url = f"postgresql://postgres@127.0.0.1:{self.port}/pgbouncer"
        with psycopg.connect(url, autocommit=True, cursor_factory=psycopg.ClientCursor) as console:
            cursor = console.execute(command.encode())
            return cursor.fetchall() if cursor.description else []

    def _answers(self) -> bool:
        try:
            return bool(self.ask("SHOW VERSION"))
        except psycopg.OperationalError:
            return False
