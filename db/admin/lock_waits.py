"""Lock timeouts of migrations: they queue for a lock for seconds, and try again while others hold it.

Readers of a table wait behind a migration that waits for its lock. So a migration stops waiting before the deadline of
requests, and tries again.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic, sleep

from psycopg import errors
from sqlalchemy import Connection, event, text
from sqlalchemy.exc import OperationalError

from db.errors import OperatorError

LOCK_TIMEOUT = 2
"""Seconds in the queue of a lock: less than the deadline of a request's statement."""

PAUSE_SECONDS = 1
"""Seconds between two attempts, in which the others of the queue go on."""

MAX_WAIT = 600
"""Seconds until a migration gives up, unless the operator says another time."""

NAMED_TRANSACTIONS = 3
"""Transactions that the sentence about a wait names."""

OLDEST_TRANSACTIONS = text("""
SELECT pid, coalesce(usename, backend_type) AS usename, extract(epoch FROM now() - xact_start)::int AS age,
       left(query, 80) AS query
FROM pg_stat_activity a
WHERE datname = current_database() AND pid <> ALL(CAST(:own AS int[]))
  AND (xact_start IS NOT NULL OR query = '<insufficient privilege>')
  AND EXISTS (SELECT FROM pg_locks l WHERE l.pid = a.pid AND l.granted AND l.locktype IN ('relation', 'advisory'))
ORDER BY xact_start NULLS FIRST
LIMIT :named
""")
"""Those of roles whose statistics this role may not read come first, without age and statement. After a lock timeout
`pg_blocking_pids()` names nobody: the wait is over."""

LOCK_PIDS = "lock_pids"
"""Key of a connection's `info`: the server's processes of the run, which no sentence about a wait names."""


@contextmanager
def only_run(connection: Connection, key: int, repeat: Callable[[Callable[[], None]], None]) -> Iterator[None]:
    """Hold the advisory lock `key` in a transaction of a second connection, also between those of `connection`.

    An index that is built concurrently waits for everybody who waits with a snapshot: each attempt ends at once, and
    `repeat` makes the next. A lock of the session would outlive the run behind a pooler.
    """
    with connection.engine.connect() as holder:
        holder.exec_driver_sql("SET LOCAL lock_timeout = '1ms'")
        own = text("SELECT pg_backend_pid()")
        connection.info[LOCK_PIDS] = [connection.scalar(own), holder.scalar(own)]

        def lock() -> None:
            with holder.begin_nested():
                holder.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": key})

        repeat(lock)
        yield


@contextmanager
def lock_timeout(connection: Connection, *settings: str) -> Iterator[None]:
    """Begin each transaction of `connection` with the lock timeout and the commands `settings`."""
    engine = connection.engine

    def begin(begun: Connection) -> None:
        for command in (f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}s'", *settings):
            begun.exec_driver_sql(command)

    event.listen(engine, "begin", begin)
    try:
        yield
    finally:
        event.remove(engine, "begin", begin)


def repeat_while_locked(
    connection: Connection, work: Callable[[], None], *, max_wait: float, step: Callable[[str], object]
) -> None:
    """Run `work` and commit, again while it does not get its locks. `step` gets a sentence about each wait.

    `work` must continue where it was interrupted. Raises OperatorError after `max_wait` seconds.
    """
    began = monotonic()
    while True:
        try:
            work()
            connection.commit()
        except OperationalError as error:
            connection.rollback()
            if not isinstance(error.orig, errors.LockNotAvailable | errors.DeadlockDetected):
                raise
        else:
            return
        holders = _oldest_transactions(connection)
        if monotonic() - began >= max_wait:
            raise OperatorError(
                f"Locks were not free within {max_wait:g} s. {holders} End them, or wait for their end; then run"
                " orgdata migrate again, which continues."
            )
        step(f"Waiting for a lock. {holders}")
        sleep(PAUSE_SECONDS)


def _oldest_transactions(connection: Connection) -> str:
    """A sentence that names the oldest transactions with locks in the database."""
    values = {"named": NAMED_TRANSACTIONS, "own": connection.info[LOCK_PIDS]}
    found = connection.execute(OLDEST_TRANSACTIONS, values).all()
    connection.rollback()
    named = [
        f"process {row.pid} ({row.usename}), whose statement this role may not see"
        if row.age is None
        else f"process {row.pid} ({row.usename}, {row.age} s): {' '.join(row.query.split())}"
        for row in found
    ]
    return f"The oldest transactions with locks: {'; '.join(named) or 'none now'}."
