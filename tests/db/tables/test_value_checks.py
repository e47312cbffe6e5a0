"""Values that readers cannot answer with are refused by a constraint that names the rule.

Covers `db/tables/people.py`, `db/tables/activity.py`, `db/tables/leaves.py`, `db/tables/money.py`,
`db/tables/payroll.py` and `db/tables/timesheets.py`.
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


BILL = "subtotal = 100, tax_amount = 0, total = 100"
COUNTERS = ("active_seconds", "keyboard_seconds", "mouse_seconds")
SPANS = ("timesheets", "break_times", "manual_requests")
FIRST_PROJECT = "(SELECT id FROM projects LIMIT 1)"

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
    # Activity.
    ("app_usages", "duration_seconds = 901, active_seconds = 0", "duration_seconds"),
    ("app_usages", "duration_seconds = -1, active_seconds = -1", "active_seconds"),
    ("app_usages", "duration_seconds = 10, active_seconds = 11", "active_seconds"),
    ("app_usages", "sessions_count = -1", "sessions_count"),
    ("app_usages", "last_at = first_at - interval '1 second'", "first_at"),
    ("domains", "name = 'Example.org'", "name"),
    ("screenshots", "status = 'available', object_key = NULL", "object_key"),
    *[("screenshots", f"activity_percent = {percent}", "activity_percent") for percent in (-1, 101)],
    ("suspicious_activity_logs", "confidence_percent = 101", "confidence_percent"),
    ("suspicious_activity_logs", "deducted_seconds = -1", "deducted_seconds"),
    ("suspicious_activity_logs", "ended_at = started_at - interval '1 second'", "started_at"),
    ("url_pages", "url = 'https://example.com/?q=1'", "url"),
    ("url_pages", "url = 'https://example.com?q'", "url"),
    ("url_pages", "url = 'https://example.com/a#b'", "url"),
    ("url_pages", "url = 'https://example.com#b'", "url"),
    ("url_pages", "url = 'https://ada@example.com/'", "url"),
    ("url_pages", "url = 'https://ada:secret@example.com/'", "url"),
    ("url_pages", "url = 'https://example.com:80@evil.example/'", "url"),
    ("url_pages", "url = 'https:///path'", "url"),
    ("url_pages", "url = 'example.com/'", "url"),
    ("url_pages", "url = 'javascript:alert(1)'", "url"),
    ("url_pages", "url = ''", "url"),
    # Leave.
    ("leave_applications", "end_date = start_date - 1", "dates"),
    ("leave_applications", "started_at = applied_at, ended_at = NULL", "hours"),
    ("leave_applications", "ended_at = applied_at, started_at = NULL", "hours"),
    ("leave_applications", "started_at = applied_at, ended_at = applied_at", "hours"),
    ("leave_applications", "amount = -0.01", "no_negative_parts"),
    ("leave_applications", "status = 'granted'", "status"),
    ("leave_applications", "start_day_part = 'morning'", "start_day_part"),
    ("leave_assignments", "effective_to = effective_from - 1", "dates"),
    ("leave_periods", "end_date = start_date - 1", "dates"),
    *[
        ("leave_policies", f"carry_over_expires_on_month_day = '{day}'", "carry_over_expires")
        for day in ("13-01", "1-5")
    ],
    # Invoices and payments.
    ("invoices", f"{BILL}.0001", "total"),
    ("invoices", "subtotal = 100, tax_amount = 20, total = 100", "total"),
    ("invoices", f"{BILL} + 5, discount_type = 'amount', discount_value = 5, discount_amount = 5", "total"),
    ("invoices", f"{BILL}, discount_value = 5", "discount_value"),
    ("invoices", f"{BILL}, discount_type = 'percent'", "discount_value"),
    ("invoices", f"{BILL}, discount_type = 'amount'", "discount_value"),
    ("invoices", f"{BILL} - 5, discount_amount = 5", "discount_amount"),
    ("invoices", f"{BILL} - 6, discount_type = 'amount', discount_value = 5, discount_amount = 6", "discount_amount"),
    ("invoices", f"{BILL}, discount_type = 'percent', discount_value = 101", "discount_amount"),
    ("invoices", f"{BILL}, discount_type = 'percent', discount_value = -1", "discount_amount"),
    ("invoices", f"{BILL}, discount_type = 'half', discount_value = 1", "discount_type"),
    *[
        (table, "period_start = '2026-01-05', period_end = '2026-01-04'", "period")
        for table in ("invoices", "payables", "hourly_payment_logs", "one_time_payment_logs")
    ],
    ("payment_settings", "effective_to = effective_from - 1", "effective"),
    ("one_time_payment_logs", "type = 'deduction', amount = 0.01", "deduction"),
    *[("hourly_payment_logs", f"{name}_seconds = -1", "seconds") for name in ("tracked", "paid", "overtime")],
    *[("payables", f"{name}_seconds = -1", "seconds") for name in ("tracked", "payable")],
    ("hourly_payment_lines", "paid_seconds = -1", "seconds"),
    ("invoice_lines", "duration_seconds = -1", "duration"),
    # Time.
    *[(table, f"ended_at = started_at - interval '{n} s'", "interval") for table in SPANS for n in (0, 1)],
    *[(table, "ended_at = started_at + interval '24 hours 1 second'", "longest") for table in SPANS],
    ("timesheets", "ended_at = NULL, tracked_until = started_at + interval '24 hours 1 second'", "longest"),
    ("timesheets", "ended_at = NULL, tracked_until = started_at - interval '1 second'", "tracked_until"),
    *[("timesheets", f"input_seconds = 10, {name} = {count}", name) for name in COUNTERS for count in (-1, 11)],
    ("activity_slots", "input_seconds = 901", "input_seconds"),
    ("clock_records", "status = 'closed', clock_out_at = NULL", "open"),
    ("clock_records", "status = 'open', clock_out_at = clock_in_at + interval '1 second'", "open"),
    ("clock_records", "status = 'closed', clock_out_at = clock_in_at", "interval"),
    ("clock_records", "auto_clock_out_reason = 'midnight'", "auto_closed"),
    ("clock_records", "clock_in_source = 'fax'", "clock_in_source"),
    ("manual_requests", "action = 'edited', original_started_at = NULL, original_ended_at = NULL", "edited"),
    ("manual_requests", "original_started_at = started_at, original_ended_at = NULL", "edited"),
    ("manual_requests", "original_started_at = started_at, original_ended_at = started_at", "original"),
    ("idle_times", f"action = 'kept', reassigned_project_id = {FIRST_PROJECT}", "reassigned"),
]


def test_value_is_refused_by_a_rule_with_a_name(writer: Session) -> None:
    for table, assignment, rule in REFUSED:
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
        ("url_pages", "url = 'https://example.com'"),
        ("url_pages", "url = 'http://example.com:8080/a/@b/c%%20d'"),
        ("url_pages", "url = 'ftp://xn--caf-dma.example/'"),
        *[("leave_policies", f"carry_over_expires_on_month_day = '{day}'") for day in ("02-29", "12-31")],
        *[("one_time_payment_logs", f"type = '{kind}', amount = -0.01") for kind in ("deduction", "adjustment")],
        *[(table, f"ended_at = started_at + interval '{span}'") for table in SPANS for span in ("1 s", "24 hours")],
        *[("timesheets", f"input_seconds = 10, {name} = 10") for name in COUNTERS],
        ("timesheets", "ended_at = NULL, tracked_until = started_at"),
        ("activity_slots", "input_seconds = 900"),
        ("idle_times", f"action = 'reassigned', reassigned_project_id = {FIRST_PROJECT}"),
    ],
)
def test_value_of_the_right_form_is_accepted(writer: Session, table: str, assignment: str) -> None:
    assert writer.run(f"UPDATE {table} SET {assignment} RETURNING 1")


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
