"""Values that readers cannot answer with are refused by a constraint that names the rule.

Covers `db/tables/people.py`, `db/tables/activity.py`, `db/tables/leaves.py`, `db/tables/money.py`,
`db/tables/payroll.py` and `db/tables/timesheets.py`.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql

from db.admin.engine import connect
from db.sample.embedded.database import ensure_database
from db.sample.embedded.server import Server
from db.tables.columns import metadata
from db.tables.people import FEATURES, RETENTION_DAYS
from resolvers.relations.strawberry_internals import definition_of_class
from schema.people import Features, Retention
from tests.db.writing import Session, session
from tests.factories.rows import Rows
from tests.world import World, build


@pytest.fixture(scope="module")
def world(rows: Rows) -> World:
    return build(rows, "C")


@pytest.fixture
def writer(owner_url: str, world: World) -> Iterator[Session]:
    with session(owner_url, world.organization_id, "orgdata_writer") as writer:
        yield writer


TEXT = Path(__file__).with_name("checked_values.sql").read_text("utf-8")
VALUES = re.findall(r"^(UPDATE (\w+) SET [^;]+);\s+-- (\w+)$", TEXT, re.MULTILINE)
"""Statements, each with its table, and with the rule that refuses it."""


def test_value_is_refused_by_a_rule_with_a_name(writer: Session) -> None:
    assert len(VALUES) == TEXT.count(";")
    for statement, table, rule in VALUES:
        if rule != "accepted":
            assert writer.error(statement) == (
                f'new row for relation "{table}" violates check constraint "{table}_{rule}_check"'
            )


def test_value_of_the_right_form_is_accepted(writer: Session) -> None:
    for statement, _, rule in VALUES:
        if rule == "accepted":
            with writer.connection.transaction(force_rollback=True):
                assert writer.run(statement.replace("%", "%%") + " RETURNING 1"), statement


COPY = (
    "INSERT INTO {0} SELECT (jsonb_populate_record(NULL::{0}, to_jsonb(x) || jsonb_build_object({1}))).*"
    " FROM (SELECT * FROM {0} LIMIT 1) x RETURNING 1"
)


def test_copy_of_a_row_is_refused(writer: Session) -> None:
    for table, changes, rule in [
        ("app_usages", "'slot_at', slot_at + interval '5 minutes'", "app_usages_slot_at_check"),
        ("app_usages", "'slot_at', slot_at + interval '900.6 s'", "app_usages_slot_at_check"),
        ("activity_slots", "'slot_at', slot_at + interval '1 s'", "activity_slots_slot_at_check"),
        ("app_usages", "'sessions_count', 2", "app_usages_pkey"),
        ("apps", "'id', gen_random_uuid()", "apps_organization_id_name_key"),
        ("domains", "'id', gen_random_uuid()", "domains_organization_id_name_key"),
        ("invoices", "'id', gen_random_uuid()", "invoices_organization_id_number_key"),
        ("leave_balances", "'id', gen_random_uuid()", "leave_balances_live_key"),
        ("leave_application_days", "'id', gen_random_uuid()", "leave_application_days_live_key"),
    ]:
        assert f'constraint "{rule}"' in writer.error(COPY.format(table, changes))


def test_other_or_deleted_copy_of_a_row_is_accepted(writer: Session) -> None:
    for table, changes in [
        ("apps", "'name', upper(name)"),
        ("leave_balances", "'deleted_at', now()"),
        ("leave_application_days", "'deleted_at', now()"),
    ]:
        assert writer.run(COPY.format(table, f"'id', gen_random_uuid(), {changes}"))


def test_organization_without_features_has_the_defaults(owner_url: str) -> None:
    with session(owner_url, uuid4()) as owner:
        row = owner.one(
            "INSERT INTO organizations (organization_id, name, timezone, currency)"
            " VALUES (%(o)s, 'A', 'UTC', 'EUR') RETURNING features, data_retention_days"
        )
    assert row.features == dict.fromkeys(FEATURES, True)
    assert row.data_retention_days == RETENTION_DAYS == {"screenshots": 180, "app_usage": 365, "url_usage": 365}


def test_keys_are_those_of_the_schema() -> None:
    def names(type_: Any) -> set[str]:
        return {field.name for field in definition_of_class(type_).fields}

    assert names(Features) == set(FEATURES)
    assert names(Retention) == set(RETENTION_DAYS)


def test_stored_checks_are_the_declared_ones(server: Server, owner_url: str) -> None:
    # Both as PostgreSQL writes them: one database is made by the migrations, the other from the declarations.
    query = (
        "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint"
        " WHERE contype = 'c' AND conrelid <> 0 AND connamespace = 'public'::regnamespace ORDER BY 1"
    )
    name = f"declared_{uuid4().hex}"
    engine = connect(ensure_database(server, name))
    metadata.create_all(engine)
    with engine.connect() as connection:
        declared = [tuple(row) for row in connection.exec_driver_sql(query)]
    with psycopg.connect(server.url("postgres"), autocommit=True) as connection_:
        connection_.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))
    with session(owner_url) as reader:
        stored = [tuple(row) for row in reader.run(query)]
    assert stored == declared
    assert ("tasks_zero_or_more_check", "CHECK ((LEAST((number)::bigint, estimate_seconds) >= 0))") in stored
