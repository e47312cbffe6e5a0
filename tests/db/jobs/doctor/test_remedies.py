"""Remedies of `orgdata doctor`: the database takes what they say, and the finding is gone."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal

import pytest
from sqlalchemy import Engine, text

from db.admin.keys import set_organization
from db.jobs.doctor.checks import CHECKS
from db.jobs.doctor.examination import run_checks
from tests.db.jobs.doctor.states import caps
from tests.db.jobs.doctor.states.tenant import DAY, HOUR, MONDAY, THEN, A, B, C, Tenant
from tests.factories.rows import Rows

CHECK = {check.name: check for check in CHECKS}


def within(tenant: Tenant) -> None:
    """A day at work, and an hour within it."""
    tenant.timesheet(A, THEN, THEN + 8 * HOUR)
    tenant.timesheet(B, THEN + HOUR, THEN + 2 * HOUR)


def same_start(tenant: Tenant) -> None:
    for id_ in (A, B):
        tenant.rows.payment_setting(tenant.id, tenant.user, id=id_, effective_from=MONDAY)


def timers_without_time(tenant: Tenant) -> None:
    tenant.timesheet(A, THEN, None, tracked_until=THEN)
    tenant.timesheet(B, THEN + HOUR, None, tracked_until=THEN + HOUR)


def slot_of_another_hour(tenant: Tenant) -> None:
    tenant.timesheet(A)
    tenant.activity_slot(tenant.timesheet(B, THEN + HOUR, THEN + 2 * HOUR), THEN)


def discount(tenant: Tenant) -> None:
    amounts = {"subtotal": Decimal(100), "discount_value": Decimal("1.005"), "discount_amount": Decimal("1.005")}
    client = tenant.rows.client(tenant.id)
    tenant.rows.invoice(tenant.id, client, id=A, discount_type="amount", **amounts, total=Decimal("98.995"))


FOLLOWED: list[tuple[str, str, Callable[[Tenant], None], str]] = [
    (
        "overlapping-timesheets",
        "cut the shared time out of one of the two: what it has before and after that time is two rows",
        within,
        f"""
        INSERT INTO timesheets (organization_id, id, user_id, started_at, ended_at, tracked_until)
        SELECT organization_id, '{C}', user_id, started_at + interval '2 hours', ended_at, tracked_until
        FROM timesheets WHERE id = '{A}';
        UPDATE timesheets SET ended_at = started_at + interval '1 hour', tracked_until = started_at + interval '1 hour'
        WHERE id = '{A}'""",
    ),
    (
        "overlapping-payment-settings",
        "Soft-delete the row that is wrong",
        same_start,
        f"UPDATE payment_settings SET deleted_at = now() WHERE id = '{A}'",
    ),
    (
        "stale-timers",
        "soft-delete a timer without time, whose tracked_until is its start",
        timers_without_time,
        "UPDATE timesheets SET deleted_at = now() WHERE tracked_until = started_at",
    ),
    (
        "several-timers",
        "soft-delete those whose tracked_until is their start",
        timers_without_time,
        f"UPDATE timesheets SET deleted_at = now() WHERE id = '{A}'",
    ),
    (
        "activity-slots-outside-timesheet",
        "Soft-delete the rows, and insert those that have a timesheet of their time with it",
        slot_of_another_hour,
        f"""
        INSERT INTO activity_slots (organization_id, user_id, slot_at, timesheet_id)
        SELECT organization_id, user_id, slot_at, '{A}' FROM activity_slots;
        UPDATE activity_slots SET deleted_at = now() WHERE timesheet_id = '{B}'""",
    ),
    (
        "invoices-finer-than-currency",
        "with a discount_value that is an amount, in one statement",
        discount,
        "UPDATE invoices SET discount_value = 1.01, discount_amount = 1.01, total = 98.99",
    ),
]


@pytest.mark.parametrize(("name", "words", "fault", "commands"), FOLLOWED, ids=[name for name, _, _, _ in FOLLOWED])
def test_remedy_that_is_followed_ends_the_finding(
    rows: Rows, name: str, words: str, fault: Callable[[Tenant], None], commands: str
) -> None:
    assert words in CHECK[name].remedy
    tenant = Tenant(rows)
    fault(tenant)
    values = {**caps.CAPS, "organization_id": tenant.id}
    with rows.connection.begin():
        set_organization(rows.connection, tenant.id)
        rows.connection.execute(text("SET LOCAL ROLE orgdata_writer"))
        assert run_checks(rows.connection, [CHECK[name]], values)
        for command in commands.split(";"):
            rows.connection.execute(text(command))
        assert run_checks(rows.connection, [CHECK[name]], values) == []


def test_missing_foreign_key_is_made_as_the_remedy_says(owner_engine: Engine) -> None:
    check = CHECK["changed-constraint"]
    assert "after ALTER TABLE ... NO FORCE ROW LEVEL SECURITY of both tables and before FORCE" in check.remedy
    with owner_engine.begin() as connection:
        connection.execute(text("ALTER TABLE team_members DROP CONSTRAINT team_members_organization_id_team_id_fkey"))
        (finding,) = run_checks(connection, [check], {})
        (shown,) = finding.examples
        for force in ("NO FORCE", "FORCE"):
            for table in ("team_members", "teams"):
                connection.execute(text(f"ALTER TABLE {table} {force} ROW LEVEL SECURITY"))
            if force == "NO FORCE":
                connection.execute(text(shown.split(" is missing: ")[1]))
        assert run_checks(connection, [check, CHECK["changed-row-security"]], {}) == []


def test_time_of_a_deleted_person_is_no_finding(rows: Rows) -> None:
    tenant = Tenant(rows)
    tenant.timesheet(A, THEN, THEN + timedelta(hours=1))
    tenant.timesheet(B, THEN + DAY, THEN + DAY + HOUR)
    with rows.connection.begin():
        set_organization(rows.connection, tenant.id)
        rows.connection.execute(text("UPDATE members SET deleted_at = now()"))
        values = {**caps.CAPS, "organization_id": tenant.id}
        assert run_checks(rows.connection, [CHECK["timesheets-outside-membership"]], values) == []
