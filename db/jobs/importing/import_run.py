"""An import: rows from files become rows of an organization, all of them or none."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import Connection

from db.admin.keys import set_organization
from db.admin.triggers.declared import has_cascades
from db.errors import OperatorError
from db.jobs.distribution.image import image_of
from db.jobs.importing.amount_checks import amount_checks, sum_checks
from db.jobs.importing.checks import check_forms, identity_checks, name_checks, row_checks
from db.jobs.importing.import_table import IMPORT_TABLES
from db.jobs.importing.merging.cascades import SET_LAST_TRACKED, Cascades, concerned, note_tracked_users
from db.jobs.importing.merging.merge import TableChanges, count_changes, delete_missing, write_changes
from db.jobs.importing.problems import ProblemLog, add_problems, read_problems
from db.jobs.importing.rows import SourceItem
from db.jobs.importing.staged_table import StagedTable
from db.jobs.importing.staging import Staging
from db.jobs.importing.statements import ORGANIZATION, prepare, run
from db.jobs.importing.time_summary import NamedTime, TimeSummary, TrackedSeconds, deleted_time, time_summary
from db.jobs.importing.typed.identities import add_staged_names, create_id_function, create_name_table
from db.jobs.importing.typed.text_forms import create_functions
from db.jobs.importing.typed.typed_rows import create_typed_rows
from db.tables.timesheets import timesheets

# The functions of an import stay on this node of a cluster.
# Compiling the statements takes longer than running them. Of an organization that is not in the statistics, the planner
# expects one row: nested loops over all of its rows and those of the files take the square of the time. SET LOCAL would
# forbid them on the other nodes of a cluster, too.
PREPARE = f"""
SET LOCAL citus.enable_ddl_propagation = off;

SET LOCAL jit = off;

SELECT set_config('enable_nestloop', 'off', true);

SET LOCAL work_mem = '64MB';

SET LOCAL TimeZone = 'UTC';

CREATE TEMP TABLE import_organization ON COMMIT DROP AS
SELECT timezone, currency FROM organizations WHERE organization_id = {ORGANIZATION};

CREATE TEMP TABLE import_files (file int, name text) ON COMMIT DROP;

CREATE TEMP TABLE import_problems (of_table text, row bigint, name text, value text, reason text) ON COMMIT DROP;
"""


class ImportRefused(OperatorError):
    """Rows were refused, so nothing was written. `log` has the problems."""

    def __init__(self, log: ProblemLog) -> None:
        super().__init__(f"{log.count:,} problem{'s' * (log.count != 1)}; nothing was imported.")
        self.log = log


class ImportResult(NamedTuple):
    """What an import changed, or would change, the time that its rows have, and that of the rows it deleted."""

    tables: Sequence[TableChanges]
    time: TimeSummary | None = None
    deleted: NamedTime = ()


def import_rows(
    connection: Connection,
    organization_id: UUID,
    items: Iterable[SourceItem],
    *,
    replace: bool = False,
    dry_run: bool = False,
    tracked_seconds: TrackedSeconds | None = None,
    timesheets_cap: int | None = None,
    step: Callable[[str], object] = lambda _: None,
) -> ImportResult:
    """Merge rows into an organization in the caller's transaction; returns what changed, or would change (`dry_run`).

    `replace` deletes the rows of each table in `items` that it does not have. `tracked_seconds` tells what reports
    count (`time_summary`), `timesheets_cap` how many timesheets of a person. `step` is called with what is done next.
    Raises AccessError for an unknown organization, and ImportRefused if a row is refused: then nothing was written.
    """
    set_organization(connection, organization_id)
    prepare(connection, PREPARE, step)
    create_functions(connection)
    create_id_function(connection)
    log = ProblemLog()
    staging = Staging(connection, log, replace=replace)
    if not staging.stage(items):
        raise ImportRefused(log)
    step("Checking")
    with image_of(connection, organization_id, concerned(table.spec.table for table in staging.tables)):
        staging.run_queries()
        tables = staging.tables
        _check_texts(connection, tables)
        staged = {table.spec.name: table for table in tables}
        for table in tables:
            create_typed_rows(connection, table, staged)
        for table in tables:
            checks = [*row_checks(connection, table, staged), *amount_checks(table, staged)]
            add_problems(connection, table, table.rows, checks)
        # Sums are compared if nothing else is wrong: one mistake is one problem.
        if not run(connection, "SELECT EXISTS (SELECT FROM import_problems)").scalar_one():
            for table, check in sum_checks(staged):
                add_problems(connection, table, table.rows, [check])
        for table in tables:
            read_problems(connection, table, log)
        if log.count:
            raise ImportRefused(log)
        time = time_summary(connection, organization_id, staged, tracked_seconds, timesheets_cap)
        deleted = deleted_time(connection, staged)
        changes = [count_changes(connection, table) for table in tables]
        if not dry_run:
            step("Writing")
            _write(connection, tables)
    return ImportResult(changes, time, deleted)


def _check_texts(connection: Connection, tables: Sequence[StagedTable]) -> None:
    """Check the form of all texts, and collect the names of the rows that they name."""
    named = {
        (reference.target.name, column)
        for table in tables
        for reference in table.spec.references.values()
        for name, column in reference.names.items()
        if name in table.given
    }
    named |= {(table.spec.name, name) for table in tables for name in table.spec.own_names if name in table.given}
    for target, column in sorted(named):
        if IMPORT_TABLES[target].is_looked_up(column):
            create_name_table(connection, IMPORT_TABLES[target], column)
    for table in tables:
        check_forms(connection, table)
        add_problems(connection, table, table.staging, identity_checks(table))
        for name in table.spec.own_names:
            if table.spec.id and table.spec.is_looked_up(name) and name in table.given:
                add_staged_names(connection, table, name)
    for table in tables:
        add_problems(connection, table, table.staging, name_checks(table))


def _write(connection: Connection, tables: Sequence[StagedTable]) -> None:
    note_tracked_users(connection, tables)
    cascades = None if has_cascades(connection) else Cascades(connection, tables)

    def change(function: Callable[[Connection, StagedTable], None], table: StagedTable) -> None:
        function(connection, table)
        if cascades is not None:
            cascades.follow()

    replacing = [table for table in tables if table.deletes]
    # Rows that nothing references make room for new ones with their unique keys. Others wait until the import has moved
    # elsewhere what belongs to them.
    for table in replacing:
        if table.spec.is_leaf:
            change(delete_missing, table)
    for table in tables:
        change(write_changes, table)
    # Again all of them: a row that was restored has restored what belongs to it.
    for table in replacing:
        change(delete_missing, table)
    if any(table.spec.table is timesheets for table in tables):
        run(connection, SET_LAST_TRACKED)
