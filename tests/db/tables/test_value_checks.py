"""Values that readers cannot answer with are refused by a constraint that names the rule.

Covers `db/tables/people.py`, `db/tables/activity.py`, `db/tables/leaves.py`, `db/tables/money.py`,
`db/tables/payroll.py` and `db/tables/timesheets.py`.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import CheckConstraint

from db.admin.engine import connect
from db.admin.roles import written_tables
from db.tables.people import FEATURES, RETENTION_DAYS
from db.tables.value_checks import value_checks
from resolvers.relations.strawberry_internals import definition_of_class
from schema.people import Features, Retention
from tests.db.writing import Session, session
from tests.factories.rows import Rows
from tests.generate.migrated import check_changes
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
            refused = f'new row for relation "{table}" violates check constraint "{table}_{rule}_check"'
            assert writer.error(statement) == refused


def test_value_of_the_right_form_is_accepted(writer: Session) -> None:
    for statement, _, rule in VALUES:
        if rule == "accepted":
            with writer.connection.transaction(force_rollback=True):
                assert writer.run(statement.replace("%", "%%") + " RETURNING 1"), statement


def test_every_bound_refuses_a_value() -> None:
    tried = {f"{table}_{rule}_check" for _, table, rule in VALUES} | {rule for *_, rule in COPIES}
    # A trigger sets these times first.
    tried |= {"members_joined_at_check", "members_first_joined_at_check"}
    untried = []
    for table in written_tables():
        names = [each.name for each in value_checks(table)]
        names += [column.name for column in table.columns if "values" in column.info]
        made_alike = {f"{table.name}_{name}_check" for name in names}
        checks = {str(each.name) for each in table.constraints if isinstance(each, CheckConstraint)}
        untried += sorted(checks - tried - made_alike)
    assert untried == [], "write values that these refuse into tests/db/tables/checked_values.sql"


COPY = (
    "INSERT INTO {0} SELECT (jsonb_populate_record(NULL::{0}, to_jsonb(x) || jsonb_build_object({1}))).*"
    " FROM (SELECT * FROM {0} LIMIT 1) x RETURNING 1"
)


COPIES = [
    ("app_usages", "'slot_at', slot_at + interval '5 minutes'", "app_usages_slot_at_check"),
    ("app_usages", "'slot_at', slot_at + interval '900.6 s'", "app_usages_slot_at_check"),
    ("url_usages", "'slot_at', slot_at + interval '5 minutes'", "url_usages_slot_at_check"),
    ("activity_slots", "'slot_at', slot_at + interval '1 s'", "activity_slots_slot_at_check"),
    ("app_usages", "'sessions_count', 2", "app_usages_pkey"),
    ("apps", "'id', gen_random_uuid()", "apps_organization_id_name_key"),
    ("domains", "'id', gen_random_uuid()", "domains_organization_id_name_key"),
    ("invoices", "'id', gen_random_uuid()", "invoices_organization_id_number_key"),
    ("leave_balances", "'id', gen_random_uuid()", "leave_balances_live_key"),
    ("leave_application_days", "'id', gen_random_uuid()", "leave_application_days_live_key"),
]


def test_copy_of_a_row_is_refused(writer: Session) -> None:
    for table, changes, rule in COPIES:
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


def test_stored_checks_are_the_declared_ones(owner_url: str) -> None:
    with connect(owner_url).connect() as connection:
        changes = check_changes(connection)
    assert not changes, "\n".join(["run make migration NAME=..., which drafts this:", *changes])


def test_changed_checks_are_drafted(owner_url: str) -> None:
    declared = "CHECK ((LEAST((number)::bigint, estimate_seconds) >= 0))"
    tasks, name = "ALTER TABLE tasks", "CONSTRAINT tasks_zero_or_more_check"
    with connect(owner_url).connect() as connection:

        def drafted(*before: str) -> list[str]:
            for change in before:
                connection.exec_driver_sql(f"{tasks} {change}")
            return [change for change in check_changes(connection) if change.startswith(tasks)]

        assert drafted(f"DROP {name}") == [f"{tasks} ADD {name} {declared} NOT VALID"]
        assert drafted(f"ADD {name} {declared} NOT VALID") == [f"{tasks} VALIDATE {name}"]
        assert drafted(f"DROP {name}", f"ADD {name} CHECK (number > 0)") == [
            f"{tasks} DROP {name}, ADD {name} {declared} NOT VALID"
        ]
        assert drafted(f"DROP {name}", f"ADD {name} {declared}", "ADD CONSTRAINT other CHECK (number > 0)") == [
            f"{tasks} DROP CONSTRAINT other"
        ]
