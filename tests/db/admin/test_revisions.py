"""Revisions after the baseline lock tables only for moments: squawk reads the SQL of each (`make check`)."""

import subprocess
import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path

from alembic import op
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from db.admin.migrate import BASELINE, FOLDER
from db.sample.embedded.binaries import OLDEST_VERSION

IGNORED = (
    "require-lock-timeout",  # `orgdata migrate` sets it for each transaction
    "require-statement-timeout",  # VALIDATE and concurrent indexes take long, and block neither reads nor writes
    "prefer-robust-stmts",  # a revision is a transaction, and is run once
    "prefer-bigint-over-int",  # counts of minutes
    "prefer-text-field",  # codes have a length
)


def findings(upgrade: Callable[[], None]) -> list[str]:
    """The names of squawk's rules that the statements of a revision break."""
    written = StringIO()
    context = MigrationContext.configure(dialect_name="postgresql", opts={"as_sql": True, "output_buffer": written})
    with Operations.context(context):
        upgrade()
    found = subprocess.run(
        [
            Path(sys.executable).with_name("squawk"),
            f"--pg-version={OLDEST_VERSION}.0",
            "--reporter=gcc",
            f"--exclude={','.join(IGNORED)}",
        ],
        # The statements of an autocommit block stand between a COMMIT and a BEGIN.
        input=f"BEGIN;\n{written.getvalue()}COMMIT;\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return [line.split("warning: ")[1].split()[0] for line in found.stdout.splitlines() if "warning: " in line]


LATER = [each for each in ScriptDirectory(str(FOLDER)).walk_revisions() if each.revision != BASELINE]


def test_each_revision_locks_only_for_moments() -> None:
    found = {each.revision: findings(each.module.upgrade) for each in LATER}
    assert found == {revision: [] for revision in found}, "docs/migrating.md says how a revision is written"


LOCKING = {
    "CREATE INDEX by_email ON members (email)": "require-concurrent-index-creation",
    "DROP INDEX by_email": "require-concurrent-index-deletion",
    "ALTER TABLE members ADD CONSTRAINT named CHECK (full_name <> '')": "constraint-missing-not-valid",
    "ALTER TABLE members ALTER COLUMN email SET NOT NULL": "adding-not-nullable-field",
    "ALTER TABLE members ALTER COLUMN email TYPE text": "changing-column-type",
    "ALTER TABLE members DROP COLUMN email": "ban-drop-column",
    "ALTER TABLE members RENAME COLUMN email TO address": "renaming-column",
}


def test_statement_that_locks_for_long_is_found() -> None:
    def upgrade() -> None:
        for statement in LOCKING:
            op.execute(statement)

    assert set(LOCKING.values()) <= set(findings(upgrade))
