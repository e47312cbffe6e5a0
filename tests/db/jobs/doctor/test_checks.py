"""Checks of `orgdata doctor`: each finds its fault, with literal examples, and does not find rows that are sound.

Covers `db/jobs/doctor/amounts.py`, `db/jobs/doctor/check.py`, `db/jobs/doctor/definitions.py` and
`db/jobs/doctor/related_rows.py`. The states of the database are in
`tests/db/jobs/doctor/states/`.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, text

from db.admin.engine import connect
from db.admin.keys import set_organization
from db.admin.migrate import head, revision_of
from db.jobs.doctor.check import Check
from db.jobs.doctor.checks import CHECKS, DATABASE_CHECKS, ORGANIZATION_CHECKS, written_checks
from db.jobs.doctor.examination import OLD_REVISION, run_checks
from db.sample.embedded.database import OWNER
from db.sample.embedded.server import Server
from db.tables.belonging import BELONGINGS, SHOWN_ROWS
from db.tables.people import teams
from db.tables.work import project_members
from tests.conftest import _copy as copy_of
from tests.db.jobs.doctor.states import activity, amounts, caps, database, memberships, overlaps, pay, timers
from tests.db.jobs.doctor.states.faults import FAULTS, ORGANIZATION
from tests.db.jobs.doctor.states.tenant import Tenant
from tests.db.writing import parent_with_children, session
from tests.factories.rows import Rows
from tests.generate import new_database
from tests.helpers.databases import database_name, migrate_at
from tests.world import build

AREAS = (overlaps, memberships, activity, caps, timers, amounts, pay)
STATES = {name: state for area in AREAS for name, state in area.STATES.items()}
DELETED = {f"{each.child.name}-of-deleted-{each.parent.name}".replace("_", "-"): each for each in BELONGINGS}
OLDER = {f"{each.by.name}-older-than-{each.shown.name}".replace("_", "-"): each for each in SHOWN_ROWS}
"""By name of the check: what an older row shows."""

STATED = [check for check in ORGANIZATION_CHECKS if check.name in STATES]

NO_VALUES = {"no_parameters": True}
AS_OWNER = f"""
SET LOCAL search_path = public;
SET LOCAL app.organization_id = '{ORGANIZATION}';
SET SESSION AUTHORIZATION orgdata_owner"""


def each(checks: Sequence[Check]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("check", checks, ids=lambda check: check.name)


def found_in(tenant: Tenant, check: Check) -> tuple[int, tuple[str, ...]]:
    """The number of faults, and the examples in order."""
    connection = tenant.rows.connection
    with connection.begin():
        set_organization(connection, tenant.id)
        return result(connection, check, {**caps.CAPS, "organization_id": tenant.id})


def result(connection: Connection, check: Check, values: dict[str, Any]) -> tuple[int, tuple[str, ...]]:
    for finding in run_checks(connection, [check], values):
        return finding.count, tuple(sorted(finding.examples))
    return 0, ()


def test_part_of_a_file_that_is_no_check_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "checks.sql"
    file.write_text("-- Checks.\n\n-- == Group.\n\n-- a-name: error\n-- A fault.\nSELECT 1 AS example;\n")
    with pytest.raises(ValueError, match="has a part that is no check: -- a-name: error"):
        list(written_checks(str(file)))


@each(STATED)
def test_fault_of_an_organization_is_found_and_sound_rows_of_another_are_not(check: Check, rows: Rows) -> None:
    tenant, other = Tenant(rows), Tenant(rows)
    state = STATES[check.name]
    state.fault(tenant)
    state.sound(other)
    assert found_in(tenant, check) == (len(state.examples), tuple(sorted(state.examples)))
    assert found_in(other, check) == (0, ())


@pytest.fixture(scope="module")
def bare_url(server: Server, template: str) -> Iterator[str]:
    """A database without the triggers that change other rows."""
    with copy_of(server, template) as url:
        migrate_at(url, cascades=False)
        yield url


@pytest.fixture(scope="module")
def without_touches(bare_url: str) -> Iterator[Tenant]:
    """A filled organization in such a database."""
    rows = Rows(connect(bare_url))
    tenant = Tenant(rows)
    tenant.id = build(rows, "O").organization_id
    yield tenant
    rows.connection.close()


@each([check for check in ORGANIZATION_CHECKS if check.name in OLDER])
def test_row_that_is_older_than_what_it_shows_is_found(check: Check, without_touches: Tenant) -> None:
    shown, connection = OLDER[check.name], without_touches.rows.connection
    for table, expected in ((shown.shown, True), (shown.by, False)):
        with without_touches.rows.transaction(without_touches.id):
            if shown.shown is project_members and shown.by is teams:
                team = "source = 'team', team_id = (SELECT id FROM teams LIMIT 1)"
                connection.execute(text(f"UPDATE project_members SET {team}"))
            connection.execute(text(f"UPDATE {table.name} SET created_at = statement_timestamp()"))
        assert (found_in(without_touches, check)[0] > 0) is expected


@each([check for check in ORGANIZATION_CHECKS if check.name in DELETED])
def test_live_rows_of_a_deleted_row_are_found(check: Check, without_touches: Tenant, bare_url: str) -> None:
    belonging, parent = DELETED[check.name], DELETED[check.name].parent.name
    with session(bare_url, without_touches.id) as owner:
        key = parent_with_children(owner, belonging)
        statement = check.statement.replace(":organization_id", "%(o)s")
        assert owner.run(statement) == []
        of_key = f"{belonging.parent.primary_key.columns.keys()[-1]} = %(key)s"
        owner.run(f"UPDATE {parent} SET deleted_at = now() WHERE {of_key}", key=key)
        rows = owner.run(f"SELECT * FROM {belonging.child.name} WHERE {belonging.column} = %(key)s", key=key)
        assert {row.example for row in owner.run(statement)} == {
            str(row.id) if "id" in belonging.child.c else f"{row.timesheet_id} {row.slot_at:%Y-%m-%dT%H:%MZ}"
            for row in rows
        }


@pytest.fixture(scope="module")
def administrated(server: Server, template: str) -> Iterator[Engine]:
    """The superuser's engine for a migrated database of these tests."""
    with copy_of(server, template) as url:
        yield connect(server.url("postgres", database_name(url)))


@each([check for check in DATABASE_CHECKS if check.name in database.STATES])
def test_fault_of_the_database_is_found_and_a_sound_one_is_not(check: Check, administrated: Engine) -> None:
    state = database.STATES[check.name]
    for commands, examples in ((state.fault, state.examples), (state.sound, ())):
        # Closing the connection rolls back.
        with administrated.connect() as connection:
            connection.exec_driver_sql(commands)
            assert result(connection, check, {}) == (len(examples), tuple(sorted(examples)))


def test_number_that_postgresql_keeps_of_a_column_is_no_finding(administrated: Engine) -> None:
    """PostgreSQL 15.20 keeps one of each column."""
    (check,) = (check for check in CHECKS if check.name == "added-storage")
    with administrated.connect() as connection:
        change = "UPDATE pg_attribute SET attoptions = '{pg_attver=26494200}' WHERE attrelid = 'tasks'::regclass"
        connection.exec_driver_sql(change)
        connection.exec_driver_sql(AS_OWNER, execution_options=NO_VALUES)
        assert result(connection, check, {}) == (0, ())


def test_right_that_stands_for_owning_the_database_is_no_finding(administrated: Engine) -> None:
    (check,) = (check for check in CHECKS if check.name == "added-right")
    with administrated.connect() as connection:
        connection.exec_driver_sql("GRANT ALL ON SCHEMA public TO orgdata_owner WITH GRANT OPTION")
        connection.exec_driver_sql(AS_OWNER, execution_options=NO_VALUES)
        assert result(connection, check, {}) == (0, ())


def test_owner_of_another_table_has_no_right_too_many(administrated: Engine) -> None:
    (check,) = (check for check in CHECKS if check.name == "added-right")
    with administrated.connect() as connection:
        connection.exec_driver_sql("CREATE TABLE badges (id int)")
        connection.exec_driver_sql("ALTER TABLE badges OWNER TO orgdata_owner")
        connection.exec_driver_sql(AS_OWNER, execution_options=NO_VALUES)
        assert result(connection, check, {}) == (0, ())


def test_fault_is_named_with_its_remedy(administrated: Engine) -> None:
    for fault, (name, example) in FAULTS.items():
        (check,) = (check for check in [OLD_REVISION, *CHECKS] if check.name == name)
        with administrated.connect() as connection:
            database_name = connection.scalar(text("SELECT current_database()"))
            connection.exec_driver_sql(fault.replace("this_database", str(database_name)), execution_options=NO_VALUES)
            connection.exec_driver_sql(AS_OWNER, execution_options=NO_VALUES)
            values = {"organization_id": ORGANIZATION, "revision": revision_of(connection), "head": head()}
            (finding,) = run_checks(connection, [check], values)
            assert any(example in each for each in finding.examples), finding.examples
            assert len({*finding.examples}) == len(finding.examples)


def test_every_check_has_a_state() -> None:
    older = {name for name, shown in OLDER.items() if not shown.is_referred}
    stated = STATES.keys() | DELETED.keys() | database.STATES.keys() | older | {check for check, _ in FAULTS.values()}
    made_alike = ("-without-parents", "-finer-than-currency")
    assert {check.name for check in CHECKS if not check.name.endswith(made_alike)} - stated == set()


def test_checks_have_names_of_their_own_and_sentences() -> None:
    names = [check.name for check in CHECKS]
    assert [name for name in names if not re.fullmatch(r"[a-z]+(-[a-z]+)*", name) or names.count(name) > 1] == []
    texts = [text for check in CHECKS for text in (check.sentence, check.remedy)]
    assert [text for text in texts if not (text[:1].isupper() and text.endswith("."))] == []
    assert [check for check in CHECKS if ":organization_id" in check.statement] == ORGANIZATION_CHECKS


def test_file_of_a_new_database_is_current(server: Server, template: str) -> None:
    with connect(server.url(OWNER, template)).connect() as connection:
        found = new_database.content(new_database.catalogue_of(connection))
    assert found == new_database.FILE.read_bytes(), f"{new_database.FILE.name} is out of date: run make generated"
