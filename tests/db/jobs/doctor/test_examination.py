"""An examination: its order, its limits, what it changes, and that the demo and the seed are sound.

Covers `db/jobs/doctor/checks.py`.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import psycopg
import pytest
from sqlalchemy import Engine, text

from db.admin.engine import connect
from db.admin.keys import AccessError
from db.admin.migrate import head
from db.admin.tenant import use_organization
from db.jobs.doctor import examination as module
from db.jobs.doctor.check import Check, Severity
from db.jobs.doctor.checks import ORGANIZATION_CHECKS
from db.jobs.doctor.examination import Finding, examine
from db.sample.demo.build import insert_organizations
from db.sample.seed.build import seed
from tests.db.jobs.doctor.states.tenant import HOUR, THEN, A, B, Tenant
from tests.factories.rows import Rows

CAPS = {"timesheets_cap": 1000, "logs_cap": 50_000, "screenshots_cap": 2000}

OF_THE_TEST_SERVER = "setting-fsync"
"""The server of the tests is fast and not durable."""


def found(engine: Engine, organization_id: UUID | None = None, timeout: float = 60) -> list[Finding]:
    """The findings, without those of the test server and of statistics, which autovacuum collects at any time."""
    findings = examine(engine, CAPS, organization_id=organization_id, timeout=timeout)
    return [each for each in findings if each.check.name not in (OF_THE_TEST_SERVER, "missing-statistics")]


def names(findings: list[Finding]) -> list[tuple[str, UUID | None]]:
    return [(finding.check.name, finding.organization_id) for finding in findings]


def test_demo_has_no_errors(owner_engine: Engine) -> None:
    now = datetime.now(UTC)
    with owner_engine.begin() as connection:
        insert_organizations(connection, now=now)
    assert {(finding.check.name, str(finding.severity)) for finding in found(owner_engine)} == {
        ("timesheets-near-cap", "warning"),
        ("invoices-paid-beyond-total", "warning"),
        ("reassigned-idle-times-without-timesheet", "warning"),
    }


def test_each_organization_has_its_findings(owner_engine: Engine, database: Rows) -> None:
    first, second, sound = sorted((Tenant(database) for _ in range(3)), key=lambda tenant: tenant.id)
    for tenant in (first, second):
        tenant.timesheet(A, THEN - HOUR, THEN)
    second.timesheet(B, THEN - HOUR, THEN)
    before, overlap = "timesheets-outside-membership", "overlapping-timesheets"
    assert names(found(owner_engine)) == [(before, first.id), (overlap, second.id), (before, second.id)]
    assert names(found(owner_engine, first.id)) == [(before, first.id)]
    assert found(owner_engine, sound.id) == []


def test_five_examples_of_many_faults_are_shown(owner_engine: Engine, database: Rows) -> None:
    tenant = Tenant(database)
    for n in range(7):
        tenant.timesheet(UUID(int=n), THEN - HOUR * (n + 1), THEN - HOUR * n)
    (finding,) = found(owner_engine)
    assert finding.count == 7
    assert len(set(finding.examples)) == 5


def test_unknown_organization_is_refused(owner_engine: Engine) -> None:
    unknown = uuid4()
    with pytest.raises(AccessError, match=f"There is no organization {unknown}."):
        found(owner_engine, unknown)


@pytest.mark.parametrize("revision", ["0001", None])
def test_other_revision_ends_the_examination(owner_engine: Engine, revision: str | None) -> None:
    with owner_engine.begin() as connection:
        connection.execute(text("DELETE FROM alembic_version"))
        if revision:
            connection.execute(text("INSERT INTO alembic_version VALUES (:revision)"), {"revision": revision})
    (finding,) = found(owner_engine)
    assert finding.check.name == "old-revision"
    assert finding.examples == (f"{revision or 'no revision'} instead of {head()}",)


@pytest.fixture
def only(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """`only(statement)`: the statement and a check that finds a row are the only checks."""

    def only(statement: str) -> None:
        checks = [
            Check(name, Severity.error, "A sentence.", "A remedy.", each)
            for name, each in {"tried": statement, "next": "SELECT 'a row' AS example"}.items()
        ]
        monkeypatch.setattr(module, "DATABASE_CHECKS", checks)

    return only


def test_late_check_of_recent_rows_says_so(
    owner_engine: Engine, database: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    tenant, now = Tenant(database), datetime.now(UTC).replace(microsecond=0)
    recent = tenant.timesheet(A, now - HOUR, now)
    for days in (36, 40):
        tenant.timesheet(UUID(int=days), now - 24 * days * HOUR, now - (24 * days - 1) * HOUR)
    slow = "(started_at > now() - interval '34 days' OR pg_sleep(60) IS NULL)"
    old = "CASE WHEN started_at < now() - interval '34 days' THEN pg_sleep(60) IS NULL ELSE false END"
    found_rows = "SELECT CAST(id AS text) AS example FROM timesheets WHERE organization_id = :organization_id AND"
    checks = [
        Check(name, Severity.error, "A sentence.", "A remedy.", f"{found_rows} {condition}")
        for name, condition in {"first": slow, "second": old, "third": "true"}.items()
    ]
    monkeypatch.setattr(module, "DATABASE_CHECKS", [])
    monkeypatch.setattr(module, "ORGANIZATION_CHECKS", checks)
    first, second, third = found(owner_engine, timeout=0.5)
    assert (first.check, first.count, first.examples, first.is_recent) == (checks[0], 1, (str(recent),), True)
    assert second.unfinished == "Only the rows of the last 35 days were checked."
    assert (second.check, second.severity) == (checks[1], Severity.warning)
    assert (third.count, third.is_recent) == (3, False)


@pytest.mark.parametrize("age", [0, 60])
def test_seed_has_no_findings_nor_has_its_recent_part(age: int, owner_engine: Engine) -> None:
    today = datetime.now(UTC).date() - timedelta(days=age)
    with owner_engine.begin() as connection:
        (organization_id,) = seed(connection, organizations=1, members=12, days=7, today=today)
    if age == 0:
        assert found(owner_engine) == []
    limited = [each for each in map(module.only_recent, ORGANIZATION_CHECKS) if each is not None]
    assert len(limited) > 25
    values = {"organization_id": organization_id, **CAPS}
    with owner_engine.begin() as connection:
        use_organization(connection, organization_id)
        assert module.run_checks(connection, limited, values) == []


@pytest.mark.parametrize(
    ("statement", "timeout", "why"),
    [
        ("SELECT CAST(pg_sleep(60) AS text) AS example", 0.5, "It took longer than 0.5 s."),
        ("SELECT 1 / 0 AS example", 60, "It failed: division by zero."),
        (
            "SELECT CAST(lo_create(0) AS text) AS example",
            60,
            "It failed: cannot execute lo_create() in a read-only transaction.",
        ),
        ("SELECT CAST(id AS text) AS example FROM tasks", 60, "It failed: canceling statement due to lock timeout."),
    ],
)
def test_unfinished_check_is_a_warning_and_the_next_runs(
    statement: str, timeout: float, why: str, own_url: str, only: Callable[[str], None]
) -> None:
    only(statement)
    with psycopg.connect(own_url) as holder:
        holder.execute("LOCK TABLE tasks")
        unfinished, next_ = found(connect(own_url), timeout=timeout)
    assert (unfinished.severity, unfinished.unfinished) == (Severity.warning, why)
    assert (next_.severity, next_.examples, next_.unfinished) == (Severity.error, ("a row",), None)
