"""Dropping: what falls out, in which batches, and beside readers, writers and locks.

Covers `db/jobs/retention/drop_sql.py` and `db/jobs/retention/retentions.py`.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from psycopg.conninfo import make_conninfo
from sqlalchemy import Connection, text

from db.admin.engine import connect
from db.admin.keys import set_organization
from db.errors import OperatorError
from db.jobs.retention import drop_rows as module
from db.jobs.retention.drop_rows import DropResult, count_rows, drop_rows
from db.jobs.retention.retentions import RETAINED_TABLES, RetainedTable, read_retentions, set_retention
from db.jobs.retention.stored_objects import StoredObject
from db.tables.people import RETENTION_DAYS
from tests.db.writing import session
from tests.factories.base import THEN
from tests.factories.rows import Rows
from tests.property_tests import examples

SCREENSHOTS, APPS, URLS = RETAINED_TABLES
HOUR = timedelta(hours=1)
USERS = [UUID(int=number) for number in (1, 2, 3)]


@pytest.fixture
def own(rows: Rows) -> UUID:
    own = rows.organization()
    for user in USERS:
        rows.member(own, user_id=user)
    return own


def shots(rows: Rows, own: UUID, times: Sequence[int], user: UUID = USERS[0], **columns: Any) -> list[UUID]:
    """Screenshots at so many hours after THEN."""
    with rows.transaction(own):
        return [rows.screenshot(own, user, captured_at=THEN + hours * HOUR, **columns) for hours in times]


def left(url: str, own: UUID, table: str = "screenshots", time: str = "captured_at") -> list[int]:
    """The hours of the rows that are there."""
    with session(url, own) as reader:
        found = reader.run(f"SELECT {time} AS at FROM {table} WHERE organization_id = %(o)s ORDER BY {time}")
    return [int((row.at - THEN) / HOUR) for row in found]


def drop(owner: Connection, own: UUID, hours: int = 10, of: RetainedTable = SCREENSHOTS, **options: Any) -> DropResult:
    options = {"list_objects": lambda _: None, "batch_rows": 5_000, **options}
    return drop_rows(owner, own, of, THEN + hours * HOUR, **options)


def test_every_kind_of_retention_has_a_table() -> None:
    assert {retained.kind for retained in RETAINED_TABLES} == set(RETENTION_DAYS)


@pytest.mark.parametrize("retained", [APPS, URLS], ids=lambda retained: retained.kind)
def test_usage_is_dropped_and_its_timesheet_stays(
    retained: RetainedTable, owner: Connection, rows: Rows, own: UUID, owner_url: str
) -> None:
    sheet, app, domain = rows.timesheet(own, USERS[0]), rows.app(own), rows.domain(own)
    page = rows.url_page(own, domain)
    for hours in (9, 10):
        slot = {"slot_at": THEN + hours * HOUR}
        rows.app_usage(own, app, sheet, USERS[0], **slot)
        rows.url_usage(own, domain, page, sheet, USERS[0], **slot)
    rows.activity_slot(own, sheet, USERS[0], THEN + 9 * HOUR)
    assert count_rows(owner, own, retained, THEN + 10 * HOUR) == 1
    assert drop(owner, own, of=retained) == DropResult(rows=1)
    assert count_rows(owner, own, retained, THEN + 10 * HOUR) == 0
    assert left(owner_url, own, retained.table.name, "slot_at") == [10]
    assert left(owner_url, own, "timesheets", "started_at") == [0]
    assert left(owner_url, own, "activity_slots", "slot_at") == [9]


@settings(max_examples=examples(10))
@given(
    placed=st.lists(st.tuples(st.sampled_from(USERS), st.integers(0, 5), st.booleans()), max_size=25),
    hours=st.integers(0, 6),
    batch=st.integers(1, 7),
    people=st.integers(2, 4),
)
def test_any_batches_drop_exactly_the_old_rows(
    placed: list[tuple[UUID, int, bool]], hours: int, batch: int, people: int, rows: Rows, owner_url: str
) -> None:
    own, other = rows.organization(), rows.organization()
    for organization in (own, other):
        with rows.transaction(organization):
            for user in USERS:
                rows.member(organization, user_id=user)
            for user, at, is_deleted in placed:
                times = {"captured_at": THEN + at * HOUR, "deleted_at": THEN if is_deleted else None}
                rows.screenshot(organization, user, **times)
    old = [at for _, at, _ in placed if at < hours]
    batches: list[int] = []
    with connect(owner_url).connect() as owner:
        assert count_rows(owner, own, SCREENSHOTS, THEN + hours * HOUR) == len(old)
        result = drop(owner, own, hours, batch_rows=batch, batch_people=people, progress=batches.append)
    assert result == DropResult(rows=len(old), objects=len(old))
    assert sum(batches) == len(old)
    assert max(batches, default=0) <= batch
    assert left(owner_url, own) == sorted(at for _, at, _ in placed if at >= hours)
    assert left(owner_url, other) == sorted(at for _, at, _ in placed)


def test_objects_are_listed_before_rows_are_gone(owner: Connection, rows: Rows, own: UUID, owner_url: str) -> None:
    (id_,) = shots(rows, own, [9], object_key="a.jpg", thumbnail_key="b.jpg")
    shots(rows, own, [9], object_key=None, status="deleted")
    listed: list[StoredObject] = []

    def refuse(objects: Sequence[StoredObject]) -> None:
        listed.extend(objects)
        assert left(owner_url, own) == [9, 9]
        raise OperatorError("The disk is full.")

    with pytest.raises(OperatorError):
        drop(owner, own, list_objects=refuse)
    assert listed == [
        StoredObject("screenshots", "object_key", id_, "a.jpg"),
        StoredObject("screenshots", "thumbnail_key", id_, "b.jpg"),
    ]
    assert left(owner_url, own) == [9, 9]
    assert drop(owner, own) == DropResult(rows=2, objects=2)


def test_batch_waits_for_no_reader_nor_writer(owner: Connection, rows: Rows, own: UUID, owner_url: str) -> None:
    shots(rows, own, [8, 9, 11])
    seen: list[int] = []

    def work(_: Sequence[StoredObject]) -> None:
        """While the batch has its locks: a request reads, a writer changes a row that stays and inserts two."""
        with psycopg.connect(make_conninfo(owner_url, options="-c lock_timeout=1")) as other:
            other.execute("SELECT set_organization(%s)", [own])
            seen.append(other.execute("SELECT count(*) FROM screenshots").fetchall()[0][0])
            other.execute("UPDATE screenshots SET width = 1 WHERE captured_at = %s", [THEN + 11 * HOUR])
            other.execute(
                "INSERT INTO screenshots (organization_id, id, user_id, captured_at, status)"
                " SELECT %s, gen_random_uuid(), %s, at, 'processing' FROM unnest(%s::timestamptz[]) at",
                [own, USERS[0], [THEN + 9 * HOUR, THEN + 12 * HOUR]],
            )

    assert drop(owner, own, list_objects=work).rows == 2
    assert seen == [3]
    assert left(owner_url, own) == [9, 11, 12]


def test_changed_row_that_is_no_longer_old_stays(owner: Connection, rows: Rows, own: UUID, owner_url: str) -> None:
    """A writer moves the second row while the batch of the first is written."""
    _, moved = shots(rows, own, [8, 9])

    def move(_: Sequence[StoredObject]) -> None:
        with session(owner_url, own) as writer:
            change = "UPDATE screenshots SET captured_at = %(at)s WHERE organization_id = %(o)s AND id = %(id)s"
            writer.run(change, at=THEN + 20 * HOUR, id=moved)
            writer.connection.commit()

    assert drop(owner, own, batch_rows=1, list_objects=move).rows == 1
    assert left(owner_url, own) == [20]


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(module.DROP_SETTINGS, "lock_timeout", "5ms")


@pytest.mark.usefixtures("impatient")
def test_locked_table_ends_the_run_with_a_sentence(own_url: str) -> None:
    with psycopg.connect(own_url) as holder, connect(own_url).connect() as owner:
        holder.execute("LOCK TABLE screenshots IN SHARE MODE")
        with pytest.raises(OperatorError) as stopped:
            drop(owner, uuid4())
    assert str(stopped.value) == (
        "screenshots: canceling statement due to lock timeout (5 attempts). What was dropped stays dropped; run the"
        " command again later."
    )


@pytest.mark.usefixtures("impatient")
def test_batch_that_meets_a_lock_is_tried_again(own_url: str, database: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    own = database.organization()
    database.member(own, user_id=USERS[0])
    shots(database, own, [6, 7, 8, 9])
    sizes: list[int] = []
    with psycopg.connect(own_url) as holder, connect(own_url).connect() as owner:
        holder.execute("LOCK TABLE screenshots IN SHARE MODE")
        set_ = module._set

        def release(*arguments: Any) -> None:
            set_(*arguments)
            if sizes:
                holder.rollback()
            sizes.append(1)

        monkeypatch.setattr(module, "_set", release)
        batches: list[int] = []
        assert drop(owner, own, batch_rows=4, progress=batches.append).rows == 4
    assert batches == [2, 2, 0]


@pytest.mark.parametrize(("days", "moves"), [({"screenshots": 90}, True), ({"screenshots": 180}, False)])
def test_changed_days_move_updated_at(days: dict[str, int], moves: bool, owner: Connection, own: UUID) -> None:
    read = text("SELECT updated_at FROM organizations WHERE organization_id = :own")
    set_organization(owner, own)
    before = owner.execute(read, {"own": own}).scalar_one()
    set_retention(owner, own, days)
    assert (owner.execute(read, {"own": own}).scalar_one() > before) is moves


def test_all_organizations_are_read(owner: Connection, rows: Rows, own: UUID) -> None:
    others = {rows.organization(status="suspended"), own}
    assert others <= {retention.organization_id for retention in read_retentions(owner)}
