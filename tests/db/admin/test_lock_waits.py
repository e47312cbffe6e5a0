"""A migration leaves the queue of a lock after two seconds, says who holds locks, and tries again."""

import re
import threading
from pathlib import Path

import psycopg
import pytest

from db.admin import lock_waits
from db.admin.engine import connect
from db.admin.errors import MigrationError
from db.admin.migrate import migrate, revision_of
from tests.db.migrations.later_revision import add_revision

ALTER = "op.execute('ALTER TABLE teams ADD COLUMN motto text')"

HELD = re.compile(
    r"The oldest transactions with locks: process \d+ \(orgdata_owner, \d+ s\): LOCK TABLE teams IN ACCESS SHARE MODE\."
)


@pytest.fixture
def later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A revision that changes teams; the queue of a lock is left early."""
    add_revision(tmp_path, monkeypatch, ALTER)
    monkeypatch.setattr(lock_waits, "LOCK_TIMEOUT", 0.1)
    monkeypatch.setattr(lock_waits, "PAUSE_SECONDS", 0.1)


@pytest.mark.usefixtures("later")
def test_migration_waits_for_a_lock_and_names_its_holder(own_url: str) -> None:
    said: list[str] = []
    waited = threading.Event()

    def step(sentence: str) -> None:
        said.append(sentence)
        if len(said) == 2:
            waited.set()

    with psycopg.connect(own_url) as holder:
        holder.execute("LOCK TABLE teams IN ACCESS SHARE MODE")

        def release() -> None:
            waited.wait(30)
            holder.rollback()

        releasing = threading.Thread(target=release)
        releasing.start()
        with connect(own_url).connect() as connection:
            assert migrate(connection, step=step) == "9999"
        releasing.join()
    assert len(said) >= 2
    for sentence in said[:2]:
        beginning, _, rest = sentence.partition(". ")
        assert beginning == "Waiting for a lock"
        assert HELD.fullmatch(rest), rest


@pytest.mark.usefixtures("later")
def test_migration_gives_up_and_names_the_holder(own_url: str) -> None:
    with connect(own_url).connect() as connection:
        before = revision_of(connection)
        with psycopg.connect(own_url) as holder:
            holder.execute("LOCK TABLE teams IN ACCESS SHARE MODE")
            with pytest.raises(MigrationError) as caught:
                migrate(connection, max_wait=0)
        assert revision_of(connection) == before
    beginning, _, rest = str(caught.value).partition(". ")
    assert beginning == "Locks were not free within 0 s"
    held, _, remedy = rest.partition(". ")
    assert HELD.fullmatch(f"{held}.")
    assert remedy == "End them, or wait for their end; then run orgdata migrate again, which continues."
