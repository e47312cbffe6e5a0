"""A PostgreSQL server behind a proxy, with two organizations."""

import contextlib
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self
from uuid import UUID

import psycopg

from db.admin.engine import connect
from db.admin.migrate import migrate
from db.sample.embedded.database import ensure_database
from db.sample.embedded.server import SOCKET_NAME, Server
from tests.factories.rows import Rows
from tests.faults.proxy import Proxy
from tests.processes import signal_family

DATABASE = "orgdata"
TEAMS = 40
OPTIONS = {"fsync": "off", "max_connections": "30"}


@dataclass(frozen=True)
class Tenant:
    """An organization with a key, and the names of its teams, which no other one has."""

    id: UUID
    key: str
    names: tuple[str, ...]


def make_tenant(rows: Rows, name: str) -> Tenant:
    """A new organization with TEAMS teams and a key."""
    own = rows.organization(name=name)
    names = tuple(f"{name} {number:02} {'x' * 30}" for number in range(TEAMS))
    with rows.transaction(own):
        for each in names:
            rows.team(own, name=each)
    return Tenant(own, rows.partner_key(own), names)


class ServerOfTests:
    """A PostgreSQL, for its superuser."""

    server: Server

    def superuser_url(self, database: str) -> str:
        return self.server.url("postgres", database)

    def run(self, text: str, database: str = DATABASE) -> list[Any]:
        """The rows of a statement, as the superuser."""
        with self.session(database) as session:
            cursor = session.execute(text.encode())
            return cursor.fetchall() if cursor.description else []

    @contextlib.contextmanager
    def session(self, database: str = DATABASE) -> Iterator[psycopg.Connection]:
        """A session of the superuser, each of whose statements is a transaction."""
        with psycopg.connect(self.superuser_url(database), autocommit=True) as session:
            yield session

    def kill(self) -> None:
        """End the server and all its backends at once, as a crash of the machine would."""
        signal_family(self.server.pid, signal.SIGKILL)
        self.server.stop()


class Cluster(ServerOfTests):
    """A PostgreSQL that tests may kill, starve and slow. It has one address over all restarts: that of `proxy`."""

    def __init__(self, folder: Path) -> None:
        self.server = Server(folder, options=OPTIONS)
        self.proxy = Proxy(folder)
        self.tenants: list[Tenant] = []

    def __enter__(self) -> Self:
        self.start()
        self.proxy.__enter__()
        engine = connect(ensure_database(self.server, DATABASE))
        with engine.connect() as connection:
            migrate(connection)
        self.rows = Rows(engine)
        self.tenants = [make_tenant(self.rows, name) for name in ("First", "Second")]
        self.rows.connection.close()
        engine.dispose()
        return self

    def __exit__(self, *_: object) -> None:
        self.proxy.__exit__(None, None, None)
        self.server.stop()

    @property
    def url(self) -> str:
        """The address for the service: through the proxy, as the owner, who is no superuser."""
        return f"postgresql://orgdata_owner@127.0.0.1:{self.proxy.port}/{DATABASE}?sslmode=disable"

    def start(self) -> None:
        """Start the server, and return when it accepts connections."""
        self.server.start()
        socket = psycopg.conninfo.conninfo_to_dict(self.server.url("postgres"))["host"]
        self.proxy.target = Path(str(socket), SOCKET_NAME)

    def restart(self) -> None:
        """End all connections, stop, and start again."""
        self.server.stop()
        self.start()

    def pids(self, state: str = "idle") -> list[int]:
        """The backends that serve the service, in a state; the one that was used last comes first."""
        found = self.run(
            "SELECT pid, state FROM pg_stat_activity WHERE application_name = 'orgdata' ORDER BY state_change DESC"
        )
        return [pid for pid, at in found if at == state]

    def terminate(self) -> int:
        """End all connections of the service; returns how many."""
        return len(
            self.run("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'orgdata'")
        )

    def key(self, tenant: Tenant) -> str:
        """A fresh key of a tenant, which no cache knows."""
        rows = Rows(connect(self.server.url("orgdata_owner", DATABASE)))
        with contextlib.closing(rows.connection):
            return rows.partner_key(tenant.id)
