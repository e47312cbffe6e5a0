"""A migration leaves the queue of a lock after two seconds, says who holds locks, and tries again."""

import re
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from db.admin import lock_waits
from db.admin.engine import connect
from db.admin.migrate import ADVISORY_LOCK, migrate, revision_of
from db.errors import MigrationError
from db.sample.embedded.server import Server
from tests.db.migrations.later_revision import add_revision

ALTER = "op.execute('ALTER TABLE teams ADD COLUMN motto text')"

READING = "LOCK TABLE teams IN ACCESS SHARE MODE"
COMMENTING = "LOCK TABLE clients IN SHARE UPDATE EXCLUSIVE MODE"
MIGRATING = f"SELECT pg_advisory_xact_lock({ADVISORY_LOCK})"


def is_about(sentence: str, statement: str) -> bool:
    """Whether a sentence names the transaction of a statement."""
    held = r"The oldest transactions with locks: process \d+ \(orgdata_owner, \d+ s\): "
    return re.fullmatch(held + re.escape(f"{statement}."), sentence) is not None


@pytest.fixture
def later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A revision that changes teams; the queue of a lock is left early."""
    add_revision(tmp_path, monkeypatch, ALTER)
    monkeypatch.setattr(lock_waits, "LOCK_TIMEOUT", 0.1)
    monkeypatch.setattr(lock_waits, "PAUSE_SECONDS", 0.1)


@pytest.mark.usefixtures("later")
@pytest.mark.parametrize("holding", [READING, MIGRATING, COMMENTING], ids=["a reader", "a migration", "a comment"])
def test_migration_waits_for_a_lock_and_names_its_holder(holding: str, own_url: str) -> None:
    said: list[str] = []

    def step(sentence: str) -> None:
        said.append(sentence)
        if len(said) == 2:
            holder.rollback()

    with psycopg.connect(own_url) as holder, connect(own_url).connect() as connection:
        # A comment that is not as declared: the last step of the migration sets it.
        holder.execute("COMMENT ON TABLE clients IS 'Another'")
        holder.commit()
        holder.execute(holding.encode())
        assert migrate(connection, step=step) == "9999"
    assert len(said) == 2
    for sentence in said:
        beginning, _, rest = sentence.partition(". ")
        assert beginning == "Waiting for a lock"
        assert is_about(rest, holding), rest


@pytest.mark.usefixtures("later")
def test_migration_gives_up_and_names_the_holder(own_url: str) -> None:
    with connect(own_url).connect() as connection:
        before = revision_of(connection)
        with psycopg.connect(own_url) as holder:
            holder.execute(READING.encode())
            with pytest.raises(MigrationError) as caught:
                migrate(connection, max_wait=0)
        assert revision_of(connection) == before
    beginning, _, rest = str(caught.value).partition(". ")
    assert beginning == "Locks were not free within 0 s"
    held, _, remedy = rest.partition(". ")
    assert is_about(f"{held}.", READING)
    assert remedy == "End them, or wait for their end; then run orgdata migrate again, which continues."


@pytest.mark.usefixtures("later")
def test_holder_whose_statistics_are_hidden_is_named(server: Server, own_url: str) -> None:
    name = str(conninfo_to_dict(own_url)["dbname"])
    with psycopg.connect(server.url("postgres", name)) as holder, connect(own_url).connect() as connection:
        holder.execute(READING.encode())
        pid = holder.info.backend_pid
        with pytest.raises(MigrationError) as caught:
            migrate(connection, max_wait=0)
    held = f"process {pid} (postgres), whose statement this role may not see."
    assert f"The oldest transactions with locks: {held}" in str(caught.value)
