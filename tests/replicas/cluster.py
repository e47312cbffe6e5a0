"""A primary and its streaming replicas on the loopback address, made with initdb and pg_basebackup."""

import contextlib
import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Self

from psycopg.conninfo import make_conninfo

from db.admin.engine import connect
from db.admin.migrate import migrate
from db.errors import OperatorError
from db.sample.embedded.binaries import INSTALLED, accessible_to, child
from db.sample.embedded.data_directory import account_of
from db.sample.embedded.database import DATABASE, OWNER, ensure_database
from db.sample.embedded.server import Server
from tests.factories.rows import Rows
from tests.faults.database.cluster import ServerOfTests, Tenant, make_tenant
from tests.faults.store import free_port
from tests.helpers.waiting import until
from tests.processes import signal_family
from tests.world import World, build

PROGRAMS = ("initdb", "postgres", "pg_basebackup")
OPTIONS = {
    "listen_addresses": "127.0.0.1",
    "fsync": "off",
    "max_connections": "60",
    # A replica returns to its primary soon.
    "wal_retrieve_retry_interval": "100ms",
}
CLONE_SECONDS = 60


def find_programs() -> Path | None:
    """The folder of a PostgreSQL that can make replicas, an installed one; None if there is none."""
    on_path = shutil.which("initdb")
    folders = [*sorted(INSTALLED.glob("*/bin"), reverse=True), *([Path(on_path).resolve().parent] if on_path else [])]
    return next((each for each in folders if all(os.access(each / name, os.X_OK) for name in PROGRAMS)), None)


class ReplicationNode(ServerOfTests):
    """One server of a replication cluster: a primary or a replica. It keeps its port over restarts."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self.port = free_port()
        self._folder = folder
        self._programs = programs
        self.server = Server(folder, binaries=programs, options=OPTIONS | {"port": str(self.port)})

    @property
    def host(self) -> str:
        """The address as `host:port`."""
        return f"127.0.0.1:{self.port}"

    def url(self, role: str = OWNER, database: str = DATABASE) -> str:
        return f"postgresql://{role}@{self.host}/{database}"

    def superuser_url(self, database: str) -> str:
        return self.url("postgres", database)

    def set(self, **settings: str) -> None:
        """Change settings of the running server, and wait until they hold. An empty value resets the setting."""
        with self.session() as session:
            for name, value in settings.items():
                change = f"SET {name} = '{value}'" if value else f"RESET {name}"
                session.execute(f"ALTER SYSTEM {change}".encode())
            session.execute("SELECT pg_reload_conf()")
        for name, value in settings.items():
            if value:
                until(lambda name=name, value=value: self.run(f"SHOW {name}") == [(value,)])  # type: ignore[misc]

    def clone(self) -> "ReplicationNode":
        """A new replica of this server, which is started."""
        replica = ReplicationNode(self._folder.with_name(f"{self._folder.name}-{free_port()}"), self._programs)
        replica.copy(self)
        replica.server.start()
        return replica

    def copy(self, primary: "ReplicationNode") -> None:
        """Replace the data of this server, which is stopped, by a copy of a primary that it then follows."""
        account = account_of(primary.server.folder / "postgres")
        data = self._folder / "postgres"
        shutil.rmtree(data, ignore_errors=True)
        data.mkdir(parents=True, mode=0o700)
        programs = self._programs
        if account is not None:
            os.chown(data, account.uid, account.gid)
            programs = accessible_to(programs, account)
        source = make_conninfo(host="127.0.0.1", port=primary.port, user="postgres")
        command = [str(programs / "pg_basebackup"), f"--dbname={source}", f"--pgdata={data}"]
        command += ["--write-recovery-conf", "--checkpoint=fast", "--no-sync"]
        subprocess.run(command, check=True, timeout=CLONE_SECONDS, **child(account))

    def hang(self) -> None:
        """Stop all its processes. The kernel still accepts connections for it, which nothing answers."""
        signal_family(self.server.pid, signal.SIGSTOP)

    def resume(self) -> None:
        """Continue after `hang`."""
        signal_family(self.server.pid, signal.SIGCONT)

    def promote(self) -> None:
        """Make a replica a primary, and wait until it accepts writes."""
        assert self.run("SELECT pg_promote()") == [(True,)]


class ReplicationCluster:
    """A primary and two streaming replicas with the migrated, empty database `orgdata`, and two tenants."""

    def __init__(self, folder: Path, programs: Path, *, replicas: int = 2) -> None:
        self.primary = ReplicationNode(folder / "primary", programs)
        self.replicas: list[ReplicationNode] = []
        self.tenants: list[Tenant] = []
        self._number = replicas
        self._cleanup = contextlib.ExitStack()

    def __enter__(self) -> Self:
        with self._cleanup as cleanup:
            self._start(self.primary, cleanup)
            with connect(self._create_database()).connect() as connection:
                migrate(connection)
            rows = Rows(connect(self.primary.url()))
            self.tenants = [make_tenant(rows, name) for name in ("First", "Second")]
            rows.connection.close()
            for _ in range(self._number):
                replica = self.primary.clone()
                cleanup.callback(self._end, replica)
                self.replicas.append(replica)
            self._cleanup = cleanup.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._cleanup.close()

    def url(self, *nodes: ReplicationNode, target: str = "any") -> str:
        """The libpq URL of several servers: `postgresql://role@host:port,host:port/database`."""
        return f"postgresql://{OWNER}@{','.join(node.host for node in nodes)}/{DATABASE}?target_session_attrs={target}"

    def conninfo(self, *nodes: ReplicationNode, target: str = "any") -> str:
        """The same address as keywords and values."""
        hosts, ports = ",".join("127.0.0.1" for _ in nodes), ",".join(str(node.port) for node in nodes)
        return make_conninfo(host=hosts, port=ports, user=OWNER, dbname=DATABASE, target_session_attrs=target)

    def follow(self, promoted: ReplicationNode) -> None:
        """Make a promoted replica the primary, and the other servers copies of it."""
        others = [node for node in (self.primary, *self.replicas) if node is not promoted]
        self.primary, self.replicas = promoted, others
        for replica in others:
            self._end(replica)
            replica.copy(promoted)
            replica.server.start()

    def key(self, tenant: Tenant) -> str:
        """A new key of a tenant, which no cache knows and the replicas may not have yet."""
        rows = Rows(connect(self.primary.url()))
        with contextlib.closing(rows.connection):
            return rows.partner_key(tenant.id)

    def build_worlds(self) -> list[World]:
        """Two organizations with the same row ids."""
        rows = Rows(connect(self.primary.url()))
        with contextlib.closing(rows.connection):
            return [build(rows, "A"), build(rows, "B")]

    def await_replay(self, *replicas: ReplicationNode) -> None:
        """Wait until the replicas (all by default) have replayed what the primary has written until now."""
        ((position,),) = self.primary.run("SELECT pg_current_wal_lsn()::text")
        replayed = f"SELECT pg_last_wal_replay_lsn() >= '{position}'"
        for replica in replicas or self.replicas:
            until(lambda replica=replica: replica.run(replayed) == [(True,)])  # type: ignore[misc]

    def _create_database(self) -> str:
        ensure_database(self.primary.server, DATABASE)
        return self.primary.url()

    def _start(self, node: ReplicationNode, cleanup: contextlib.ExitStack) -> None:
        node.server.start()
        cleanup.callback(self._end, node)

    def _end(self, node: ReplicationNode) -> None:
        # Killed, because a shutdown writes a checkpoint first, for data that is thrown away.
        with contextlib.suppress(OperatorError):
            node.kill()
