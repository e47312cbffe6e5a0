"""Migrate a database to the schema of this version, as its owner."""

from collections.abc import Callable, Collection
from functools import partial
from importlib.resources import files
from typing import TYPE_CHECKING

from psycopg import errors
from sqlalchemy import Connection, insert, inspect, select, text
from sqlalchemy.exc import ProgrammingError

from db.admin.comments import ensure_comments
from db.admin.lock_waits import MAX_WAIT, lock_timeout, only_run, repeat_while_locked
from db.admin.revisions import MIGRATIONS, newest_revision
from db.admin.roles import ensure_policies, ensure_roles, give_to_owner, grant_rights, owner_remedy, require_schema
from db.admin.triggers.declared import ensure_triggers, has_cascades
from db.errors import OperatorError
from db.tables.areas import metadata
from db.tables.reference import PINNED_LISTS

if TYPE_CHECKING:
    # Imported when a revision is applied: it takes a tenth of a second, and most runs apply none.
    from alembic.config import Config

FOLDER = MIGRATIONS

# The key of an advisory lock: any number, the same in every version.
ADVISORY_LOCK = 4_112_020

# For Citus: the triggers of a row itself, and no others, are safe on distributed tables; a transaction that changed all
# shards at once cannot make a function, nor change the tables that reference a reference table after that one.
FOR_CITUS = (
    "SELECT set_config('citus.enable_unsafe_triggers', 'on', true)",
    "SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true)",
)

BASELINE = "0025"
"""The first revision. It replaced the revisions 0001 to 0024, which no release had."""

LAST_REPLACED = "0024"
"""The revision whose database the revisions after the baseline bring to the present tables."""

RECORD_BASELINE = text(f"UPDATE alembic_version SET version_num = '{BASELINE}'")


def migrate(
    connection: Connection,
    *,
    cascades: bool | None = None,
    max_wait: float = MAX_WAIT,
    step: Callable[[str], object] = lambda _: None,
) -> str:
    """Apply the missing migrations and return the new revision. An advisory lock makes concurrent runs wait.

    Each revision is a transaction of its own, so that its locks end with it. The next run continues an interrupted one.

    The baseline has functions, triggers, comments, reference lists and rights; later revisions have none of them: each
    run makes them as this version declares them, in the transaction of the last revision. `cascades`: whether triggers
    soft-delete what belongs to a row (`db.admin.triggers`); None leaves it as it is, and a new database has them.
    `step` is called with a sentence where the database is older than the baseline, and where locks are waited for, at
    most `max_wait` seconds for each step.

    Raises OperatorError if a role is missing and cannot be created, if this user may not use the schema of the tables,
    if the database has another encoding than UTF8, rows that break a new rule, or a revision that it cannot leave, or
    if others hold locks for too long.
    """

    def prepare() -> None:
        encoding = connection.scalar(text("SHOW server_encoding"))
        if encoding != "UTF8":
            good = "ENCODING 'UTF8' LOCALE 'C.UTF-8' TEMPLATE template0"
            raise OperatorError(f"The database stores {encoding}: create one with {good}.")
        ensure_roles(connection)
        require_schema(connection)
        _check_baseline(connection, step)

    def declare() -> None:
        ensure_functions(connection)
        add_reference_rows(connection)
        ensure_triggers(connection, cascades=has_cascades(connection) if cascades is None else cascades)
        ensure_comments(connection)
        give_to_owner(connection)
        ensure_policies(connection)
        grant_rights(connection)

    def upgrade() -> None:
        if revision_of(connection) == head():
            declare()
        while (found := revision_of(connection)) != head():
            if found == LAST_REPLACED:
                # Alembic goes on in the transaction of this record, which is committed with the next revision.
                connection.execute(RECORD_BASELINE)
            else:
                connection.commit()
            _apply_next_revision(connection, found, declare)

    connection.commit()
    repeat = partial(repeat_while_locked, connection, max_wait=max_wait, step=step)
    with only_run(connection, ADVISORY_LOCK, repeat), lock_timeout(connection, *FOR_CITUS):
        try:
            for work in (prepare, upgrade):
                repeat(work)
        except ProgrammingError as error:
            connection.rollback()
            if not isinstance(error.orig, errors.InsufficientPrivilege):
                raise
            user = str(connection.scalar(text("SELECT quote_ident(current_user)")))
            raise OperatorError(f"The database refused: {error.orig}. {owner_remedy(user)}") from error
        revision = revision_of(connection)
        connection.rollback()
    return str(revision)


def _check_baseline(connection: Connection, step: Callable[[str], object]) -> None:
    """Refuse a database of a newer version, or from before the last revision that the baseline replaced.

    Raises OperatorError.
    """
    found = revision_of(connection)
    named = sorted(set(inspect(connection).get_table_names("public")) & metadata.tables.keys())
    if found is None and named:
        raise OperatorError(
            f"The database has tables of this service ({', '.join(named[:2])}, ...), and alembic_version does not have"
            " their revision: restore alembic_version from the backup, or insert into it the revision that `orgdata"
            " --version` of the version that migrated it shows; then run orgdata doctor, which compares them."
        )
    if found == LAST_REPLACED:
        step(f"The database has revision {found}: later revisions add what it lacks of the baseline {BASELINE}.")
    elif found is not None and "," in found:
        raise OperatorError(f"The database has the revisions {found}: delete from alembic_version what was added.")
    elif found is not None and found > head():
        raise OperatorError(
            f"The database has revision {found}, which is newer than {head()}, that of this version: use the version"
            " that migrated it."
        )
    elif found is not None and found < BASELINE:
        raise OperatorError(
            f"The database has revision {found}: this version migrates new databases, and those from {LAST_REPLACED}"
            f" on. Run orgdata migrate of commit c20d811 first, which has the revisions 0001 to {LAST_REPLACED};"
            " there was no release with them."
        )


def ensure_functions(connection: Connection) -> None:
    """Replace the SQL functions, which policies and triggers call, by those of this version.

    After the migrations: a policy of a new revision needs a function that the revision creates.
    """
    functions = files(__package__).joinpath("functions.sql").read_text()
    # As one message without parameters, in which a percent sign is no placeholder.
    connection.exec_driver_sql(functions, execution_options={"no_parameters": True})


def add_reference_rows(connection: Connection) -> None:
    """Add what the pinned lists have and the reference tables lack. Nothing is removed: rows may name it."""
    for table, names in PINNED_LISTS.items():
        (key,) = table.primary_key.columns
        if missing := names() - set(connection.scalars(select(key))):
            connection.execute(insert(table), [{key.name: name} for name in sorted(missing)])


def _apply_next_revision(connection: Connection, found: str | None, at_head: Callable[[], None]) -> None:
    """Apply the revision after `found`, if another run has not done so, in a transaction, which Alembic begins.

    Alembic reads the revision inside of it, behind the advisory lock. The last revision is recorded together with what
    `at_head` does. An index that is built concurrently is not: meanwhile, a run of an earlier version may record the
    revision.
    """
    from alembic.command import upgrade  # noqa: PLC0415 - see above
    from alembic.util import CommandError  # noqa: PLC0415

    def declare(*, heads: Collection[str], **_: object) -> None:
        if head() in heads:
            at_head()

    config = configuration(connection)
    config.attributes["on_version_apply"] = declare
    try:
        upgrade(config, "+1")
    except CommandError:
        connection.rollback()
        if revision_of(connection) == found:
            raise


def revision_of(connection: Connection) -> str | None:
    """The revision that the database is at; None before the first migration."""
    if connection.scalar(text("SELECT to_regclass('public.alembic_version')")) is None:
        return None
    # An edited table may name several, which no version has.
    recorded = "SELECT string_agg(version_num, ', ' ORDER BY version_num) FROM public.alembic_version"
    revision: str | None = connection.scalar(text(recorded))
    return revision


def require_head(connection: Connection) -> str:
    """The revision that this version requires. Raises OperatorError if the database is at another one."""
    found = revision_of(connection)
    if found is None or found != head():
        raise OperatorError(
            f"The database is at {found or 'no revision'}, this version needs {head()}: run orgdata migrate, or use the"
            " version that migrated it."
        )
    return found


def head() -> str:
    """The revision that this version requires."""
    return newest_revision(FOLDER)


def configuration(connection: Connection) -> "Config":
    """Alembic's configuration, built here so that no file holds a path."""
    from alembic.config import Config  # noqa: PLC0415 - see above

    config = Config()
    # Alembic reads its options with interpolation: a percent sign in a path must be doubled.
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
