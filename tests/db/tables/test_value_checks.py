"""Values that readers cannot answer with are refused by a constraint that names the rule.

Covers `db/tables/people.py`.
"""

from collections.abc import Iterator
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


REFUSED = [
    ("organizations", "features = '{}'", "features_app_tracking_is_boolean"),
    ("organizations", "features = features - 'leave'", "features_leave_is_boolean"),
    ("organizations", 'features = features || \'{"leave": "yes"}\'', "features_leave_is_boolean"),
    ("organizations", "features = '[]'", "features_app_tracking_is_boolean"),
    ("organizations", "data_retention_days = '{}'", "data_retention_days_app_usage_is_days"),
    (
        "organizations",
        "data_retention_days = data_retention_days || '{\"url_usage\": 1.5}'",
        "data_retention_days_url_usage_is_days",
    ),
    (
        "organizations",
        "data_retention_days = data_retention_days || '{\"url_usage\": -1}'",
        "data_retention_days_url_usage_is_days",
    ),
    ("members", "custom_fields = '{\"desk\": 7}'", "custom_fields_are_strings"),
    ("members", 'custom_fields = \'{"desk": ["B"]}\'', "custom_fields_are_strings"),
    ("members", "custom_fields = '[]'", "custom_fields_are_strings"),
    ("members", "first_joined_at = 'infinity', joined_at = 'infinity'", "years_1900_to_2999"),
    ("members", "weekly_limit_seconds = -1", "zero_or_more"),
    ("members", "hired_on = '-infinity'", "years_1900_to_9999"),
    ("clients", "address = '{\"city\": 1}'", "address_are_strings"),
    ("clients", "invoice_emails = ARRAY['a@example.com', NULL]", "invoice_emails_without_null"),
    ("tasks", "labels = ARRAY[ARRAY['a', 'b'], ARRAY['c', 'd']]", "labels_without_null"),
    ("tasks", "due_date = 'infinity'", "years_1900_to_9999"),
    ("tasks", "estimate_seconds = -1", "zero_or_more"),
    ("tasks", "deleted_at = 'infinity'", "years_1900_to_2999"),
    ("projects", "bill_rate = 'NaN'", "without_nan"),
    ("invoice_lines", "quantity = 'NaN'", "without_nan"),
    ("timesheets", "tracked_until = '0044-03-15 BC'", "tracked_until"),
    ("clock_records", "scheduled_start_at = '2026-01-06Z', scheduled_end_at = '2026-01-05Z'", "scheduled"),
    ("clock_records", "clock_in_location = '{}'", "clock_in_location_is_place"),
    ("clock_records", 'clock_in_location = \'{"latitude": 52.5, "longitude": "1"}\'', "clock_in_location_is_place"),
    ("clock_records", 'clock_in_location = \'{"latitude": "N", "longitude": "1"}\'', "clock_in_location_is_place"),
    (
        "clock_records",
        'clock_in_location = \'{"latitude": "1", "longitude": "1", "accuracy_meters": 0.5}\'',
        "clock_in_location_is_place",
    ),
    ("suspicious_activity_logs", "evidence = '{\"app_names\": [1]}'", "evidence_is_known"),
    ("suspicious_activity_logs", 'evidence = \'{"app_names": "Editor"}\'', "evidence_is_known"),
    ("suspicious_activity_logs", 'evidence = \'{"screenshot_ids": ["x"]}\'', "evidence_is_known"),
    ("suspicious_activity_logs", 'evidence = \'{"mouse_seconds": "1"}\'', "evidence_is_known"),
    ("screenshots", "size_bytes = 3000000000", "size_bytes"),
]


@pytest.mark.parametrize(("table", "assignment", "rule"), REFUSED, ids=lambda value: str(value)[:60])
def test_value_is_refused_by_a_rule_with_a_name(writer: Session, table: str, assignment: str, rule: str) -> None:
    assert writer.error(f"UPDATE {table} SET {assignment}") == (
        f'new row for relation "{table}" violates check constraint "{table}_{rule}_check"'
    )


@pytest.mark.parametrize(
    ("table", "assignment"),
    [
        ("organizations", "features = features || '{\"other\": 1}'"),
        ("organizations", "data_retention_days = data_retention_days || '{\"screenshots\": 0}'"),
        ("members", 'custom_fields = \'{"desk": "B-01"}\''),
        ("clients", 'address = \'{"line1": "A", "line2": null}\''),
        ("clients", "address = NULL, invoice_emails = '{}'"),
        ("tasks", "due_date = '9999-12-31', labels = ARRAY['a', 'b']"),
        ("clock_records", 'clock_in_location = \'{"latitude": "-52.5", "longitude": "13", "label": null}\''),
        (
            "clock_records",
            'clock_in_location = \'{"latitude": "1", "longitude": "1.25", "label": "a", "accuracy_meters": 12}\'',
        ),
        ("suspicious_activity_logs", 'evidence = \'{"app_names": [], "mouse_seconds": null, "tracked_seconds": 5}\''),
    ],
)
def test_value_of_the_right_form_is_accepted(writer: Session, table: str, assignment: str) -> None:
    assert writer.run(f"UPDATE {table} SET {assignment} RETURNING 1")


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
        return {field.name for field in type_.__strawberry_definition__.fields}

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
