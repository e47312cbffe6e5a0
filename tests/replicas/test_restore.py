"""Replicas, and a server restored from a backup, answer byte for byte as the primary, whatever the address's spelling.

The restore drill has a base backup and archived log, and the primary is lost.
"""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from psycopg.conninfo import make_conninfo

from db.sample.embedded.binaries import child
from db.sample.embedded.data_directory import account_of
from rest_facade.settings import load
from rest_facade.v1 import ENDPOINTS
from tests.citus.answers import answers_of
from tests.helpers.folders import open_folder
from tests.helpers.repository import DEPLOY
from tests.helpers.waiting import until
from tests.replicas.cluster import PROGRAMS, ReplicationCluster, ReplicationNode, find_programs
from tests.world import World

pytestmark = pytest.mark.replicas


class Backup:
    """deploy/backup.sh over a primary, as the user of the server."""

    def __init__(self, folder: Path, programs: Path, primary: ReplicationNode) -> None:
        self.folder = folder
        account = account_of(primary.server.folder / "postgres")
        folder.mkdir()
        if account is not None:
            os.chown(folder, account.uid, account.gid)
        self._options = child(account)
        self._options["env"] = dict(os.environ) | {"PATH": f"{programs}:{os.environ['PATH']}"}
        self.script = folder.with_name("backup.sh")
        self.script.write_bytes((DEPLOY / "backup.sh").read_bytes())
        self.script.chmod(0o755)
        self.conninfo = make_conninfo(host="127.0.0.1", port=primary.port, user="postgres")

    def run(self, *arguments: str | Path) -> None:
        """A command of the script, to its end."""
        subprocess.run([self.script, *arguments], check=True, timeout=120, **self._options)

    @contextmanager
    def streaming(self) -> Iterator[subprocess.Popen[bytes]]:
        """The log is archived in here."""
        with subprocess.Popen([self.script, "stream", self.conninfo, self.folder], **self._options) as process:
            try:
                yield process
            finally:
                process.terminate()


@pytest.mark.parametrize("until_time", [False, True])
async def test_restored_server_answers_byte_for_byte(until_time: bool) -> None:
    programs = find_programs()
    if programs is None:
        pytest.skip(f"No installed PostgreSQL has the programs {', '.join(PROGRAMS)}.")
    settings = load({"signing_keys": "a signing key of the tests", "quota_limit": 10_000})
    with open_folder() as folder, ReplicationCluster(folder, programs, replicas=0) as cluster:
        backup = Backup(folder / "backup", programs, cluster.primary)
        restored = ReplicationNode(folder / "restored", programs)
        restored.server.folder.mkdir(mode=0o755)
        owner = backup.folder.stat()
        os.chown(restored.server.folder, owner.st_uid, owner.st_gid)
        slots = "SELECT active FROM pg_replication_slots WHERE slot_name = 'orgdata_backup'"
        with backup.streaming():
            until(lambda: cluster.primary.run(slots) == [(True,)])
            backup.run("base", backup.conninfo, backup.folder)
            # What is written after the backup is in the log alone.
            worlds = cluster.build_worlds()
            now = datetime.now(UTC)
            before = await answers_of(cluster.primary.url(), settings, worlds, now)
            ((moment,),) = cluster.primary.run("SELECT clock_timestamp()::text")
            cluster.primary.run("CREATE TABLE written_later (id int)")
            # An archive is at most the log behind that is on its way.
            flushed = "SELECT flush_lsn >= pg_current_wal_flush_lsn() FROM pg_stat_replication"
            until(lambda: cluster.primary.run(f"{flushed} WHERE application_name = 'pg_receivewal'") == [(True,)])
            cluster.primary.kill()
        target = [moment] if until_time else []
        backup.run("restore", backup.folder, restored.server.folder / "postgres", *target)
        restored.server.start()
        try:
            until(lambda: restored.run("SELECT pg_is_in_recovery()") == [(False,)], 60)
            assert restored.run("SELECT to_regclass('written_later') IS NULL") == [(until_time,)]
            after = await answers_of(restored.url(), settings, worlds, now)
        finally:
            restored.kill()
    assert {operation.split()[0] for operation, _ in before} == {endpoint.operation for endpoint in ENDPOINTS}
    assert after == before


@pytest.fixture(scope="module")
def worlds(cluster: ReplicationCluster) -> list[World]:
    made = cluster.build_worlds()
    cluster.await_replay()
    return made


async def test_every_operation_responds_as_through_primary(cluster: ReplicationCluster, worlds: list[World]) -> None:
    now = datetime.now(UTC)
    settings = load({"signing_keys": "a signing key of the tests", "quota_limit": 10_000})
    direct = await answers_of(cluster.primary.url(), settings, worlds, now)
    assert {operation.split()[0] for operation, _ in direct} == {endpoint.operation for endpoint in ENDPOINTS}
    assert {status for status, _ in direct.values()} == {200}
    for address in (
        cluster.url(*cluster.replicas, target="standby"),
        cluster.conninfo(*cluster.replicas, cluster.primary, target="prefer-standby"),
    ):
        assert await answers_of(address, settings, worlds, now) == direct
