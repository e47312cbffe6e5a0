"""An examination: checks are run over the database and its organizations, each in a read-only transaction of its own.

So no transaction is long, and the snapshot of none keeps VACUUM from removing rows. The checks see the database at
slightly different times. The checks of an organization are one statement, whose plan is kept for the next one. Where
it takes too long, each check is one; and one that takes too long, too, is run again over the rows of RECENT_DAYS, so
that an examination of a billion rows ends.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any
from uuid import UUID

from psycopg.errors import QueryCanceled
from sqlalchemy import Connection, Engine, TextClause, func, select, text
from sqlalchemy.exc import DBAPIError

from db.admin.keys import set_organization
from db.admin.migrate import head, revision_of
from db.admin.tenant import set_on_all_nodes, use_organization
from db.jobs.doctor.check import Check, Severity
from db.jobs.doctor.checks import DATABASE_CHECKS, DECLARED, ORGANIZATION_CHECKS
from db.tables.people import organizations

MAX_EXAMPLES = 5

RECENT_DAYS = 35
"""Days whose rows are checked where those of all days take too long. The caps of reports are those of 31 days."""

IMPATIENT_SECONDS = 2.0
"""Seconds for all days of an organization in which a check has taken too long already."""

MOMENTS = {
    "timesheets": "started_at",
    "idle_times": "started_at",
    "activity_slots": "slot_at",
    "app_usages": "slot_at",
    "url_usages": "slot_at",
    "screenshots": "captured_at",
    "clock_records": "clock_in_at",
}
"""The tables that grow each day, with the column of their day."""

SESSION_SETTINGS = {
    "transaction_read_only": "on",
    "timezone": "UTC",
    # Whatever roles and databases set: definitions are printed as in a new database.
    "search_path": "public",
    "quote_all_identifiers": "off",
    "jit": "off",
    # Joins of a whole table of usage are hashed in memory.
    "work_mem": "128MB",
    "lock_timeout": "2s",
}

OLD_REVISION = Check(
    "old-revision",
    Severity.error,
    "The database is not at the revision of this version; nothing else was checked.",
    "Run orgdata migrate with this version, or use the version that migrated the database.",
    "SELECT coalesce(CAST(:revision AS text), 'no revision') || ' instead of ' || :head AS example"
    " WHERE CAST(:revision AS text) IS DISTINCT FROM :head",
)


Begin = Callable[[str, UUID | None, int], object]
"""Called before each check with its name, its organization, if it is of one, and the number of all checks."""


@dataclass(frozen=True)
class Finding:
    """What a check found: the number of faults, and some examples. `unfinished` says why it did not end.

    `is_late`: it took too long. `is_recent`: it saw the rows of RECENT_DAYS only.
    """

    check: Check
    organization_id: UUID | None = None
    count: int = 0
    examples: Sequence[str] = ()
    unfinished: str | None = None
    is_late: bool = False
    is_recent: bool = False

    @property
    def severity(self) -> Severity:
        """That of the check; a warning if the check did not end."""
        return Severity.warning if self.unfinished else self.check.severity


def examine(
    engine: Engine,
    caps: Mapping[str, int],
    *,
    organization_id: UUID | None = None,
    first_id: UUID | None = None,
    timeout: float,
    begin: Begin = lambda *_: None,
) -> Iterator[Finding]:
    """Findings of all checks, of the database first, then of the organizations by id.

    With `first_id` an examination goes on: the organizations before it and the database are left out. A check that runs
    longer than `timeout` seconds is unfinished; where it can, it first sees RECENT_DAYS only. `caps`: values of the
    checks, the most records of one person that a response may cover. Raises AccessError for an unknown organization.
    """
    with engine.connect() as connection:
        values = {"revision": revision_of(connection), "head": head(), **caps}
    with engine.connect() as connection:
        old = _run(connection, [OLD_REVISION], values, timeout)
        yield from old
        if old:
            return
        ids = _organizations(connection, organization_id, first_id)
        database_checks = DATABASE_CHECKS if first_id is None else []
        total = len(database_checks) + len(ids) * len(ORGANIZATION_CHECKS)
        for check in database_checks:
            begin(check.name, None, total)
            yield from _run(connection, [check], values, timeout)
        for own in ids:
            yield from _examine_organization(connection, {**values, "organization_id": own}, timeout, begin, total)


def _examine_organization(
    connection: Connection, values: Mapping[str, Any], timeout: float, begin: Begin, total: int
) -> Iterator[Finding]:
    seconds, is_done = timeout, False
    for place, check in enumerate(ORGANIZATION_CHECKS):
        begin(check.name, values["organization_id"], total)
        if place == 0:
            together = _run(connection, ORGANIZATION_CHECKS, values, min(timeout, IMPATIENT_SECONDS))
            is_done = not any(finding.unfinished for finding in together)
            yield from together if is_done else ()
        if is_done:
            continue
        recent = only_recent(check)
        findings = _run(connection, [check], values, timeout if recent is None else seconds)
        if recent is not None and any(finding.is_late for finding in findings):
            seconds = min(timeout, IMPATIENT_SECONDS)
            unseen = f"Only the rows of the last {RECENT_DAYS} days were checked."
            seen = _run(connection, [recent], values, timeout)
            findings = [replace(each, check=check, is_recent=True) for each in seen] or [
                Finding(check, values["organization_id"], unfinished=unseen, is_recent=True)
            ]
        yield from findings


def only_recent(check: Check) -> Check | None:
    """The check over the rows of RECENT_DAYS; None if it reads no table that grows each day.

    The rows that it looks at are those of the table that it names first. Those that it compares them with may be two
    days older: what belongs together is at most MAX_INTERVAL apart.
    """
    named = [name for name in re.findall(r"\b(?:FROM|JOIN) (\w+)", check.statement) if name in MOMENTS]
    if not named:
        return None
    # A WITH query hides the table of its name.
    shown = [
        f"{name} AS NOT MATERIALIZED (SELECT * FROM {name} WHERE organization_id = :organization_id"
        f" AND {MOMENTS[name]} > now() - interval '{RECENT_DAYS + (0 if name == named[0] else 2)} days')"
        for name in dict.fromkeys(named)
    ]
    return replace(check, statement=f"WITH {', '.join(shown)} SELECT example FROM ({check.statement}) recent")


def run_checks(connection: Connection, checks: Sequence[Check], values: Mapping[str, Any]) -> Sequence[Finding]:
    """The findings of checks by one statement, in the transaction of the caller."""
    found = connection.execute(_statement(tuple(checks)), {**DECLARED, **values})
    own = values.get("organization_id")
    return [Finding(checks[place], own, count, tuple(examples)) for place, count, examples in found]


@lru_cache(maxsize=8)
def _statement(checks: Sequence[Check]) -> TextClause:
    """A row for each check that finds something: its place, the number of faults, and some examples."""
    # Aggregates over a numbered list: all faults are counted, and few are kept.
    return text(
        " UNION ALL ".join(
            f"""
SELECT {place} AS place, count(*),
       array_agg(example) FILTER (WHERE number <= {MAX_EXAMPLES}) AS examples
FROM (SELECT example, row_number() OVER () AS number FROM ({check.statement}) fault) numbered
HAVING count(*) > 0"""
            for place, check in enumerate(checks)
        )
    )


def _set(connection: Connection, values: Mapping[str, Any], timeout: float) -> None:
    own = values.get("organization_id")
    settings = SESSION_SETTINGS | {"statement_timeout": f"{int(timeout * 1000)}ms"}
    if own is not None:
        use_organization(connection, own)
        set_on_all_nodes(connection)
    connection.execute(select(*(func.set_config(name, value, True) for name, value in settings.items())))


def _run(
    connection: Connection, checks: Sequence[Check], values: Mapping[str, Any], timeout: float
) -> Sequence[Finding]:
    """The findings of checks by one statement; or the only one, that it did not end."""
    try:
        with connection.begin():
            _set(connection, values, timeout)
            if len(checks) > 1:
                # psycopg prepares what it has executed a few times: the plan is kept for the next organization.
                connection.exec_driver_sql("SET LOCAL plan_cache_mode = force_generic_plan")
            return run_checks(connection, checks, values)
    except DBAPIError as error:
        if connection.closed or error.connection_invalidated:
            raise
        late = isinstance(error.orig, QueryCanceled)
        reason = str(error.orig).strip().splitlines()[0]
        sentence = f"It took longer than {timeout:g} s." if late else f"It failed: {reason}."
        return [Finding(checks[0], values.get("organization_id"), unfinished=sentence, is_late=late)]


def _organizations(connection: Connection, organization_id: UUID | None, first_id: UUID | None) -> Sequence[UUID]:
    """The organizations by id, from the first one on, or the one that is given. Raises AccessError if it is unknown."""
    with connection.begin():
        if organization_id is not None:
            set_organization(connection, organization_id)
            return [organization_id]
        ids = select(organizations.c.organization_id).order_by(organizations.c.organization_id)
        if first_id is not None:
            ids = ids.where(organizations.c.organization_id >= first_id)
        return connection.scalars(ids).all()
