"""Triggers: updated_at moves with every change, and deletion reaches what belongs to a row.

Covers `db/tables/belonging.py`, `db/admin/triggers/declared.py`, `db/admin/triggers/cascades.py` and
`db/admin/triggers/touches.py`.
"""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine

from db.admin.engine import connect
from db.admin.triggers.declared import SECOND_KIND, TRIGGERS, cascade_triggers, row_triggers
from db.tables.belonging import BELONGINGS, Belonging
from db.tables.columns import metadata
from db.tables.people import members
from db.tables.work import tasks
from tests.db.writing import Session, parent_with_children, session
from tests.factories.rows import Rows
from tests.helpers.databases import migrate_at
from tests.property_tests import examples
from tests.world import World, build

HIDDEN = [each for each in BELONGINGS if each.parent.info["has_deleted_index"]]
DELETED = datetime(2026, 2, 1, 12, 0, 0, 123456, tzinfo=UTC)


@pytest.fixture(scope="module")
def world(rows: Rows) -> World:
    return build(rows, "T")


@pytest.fixture
def writer(owner_url: str, world: World) -> Iterator[Session]:
    with session(owner_url, world.organization_id, "orgdata_writer") as writer:
        yield writer


SLOTS = ("app_usages", "url_usages", "activity_slots")


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        *((table, "slot_at", "slot_at + interval '15 minutes'") for table in SLOTS),
        *((table, "user_id", "gen_random_uuid()") for table in (*SLOTS, "team_members")),
        ("team_members", "team_id", "gen_random_uuid()"),
    ],
)
def test_row_that_moves_is_refused(table: str, column: str, value: str, writer: Session, world: World) -> None:
    # The sums of a timesheet across midnight are those of its slots.
    message = f"{column} of a row of {table} cannot change: set deleted_at, and insert a row"
    assert writer.error(f"UPDATE {table} SET {column} = {value}").startswith(message)
    changed = "role = 'lead'" if table == "team_members" else "active_seconds = 0"
    assert writer.run(f"UPDATE {table} SET {column} = {column}, {changed} RETURNING 1")


def test_given_times_of_an_insert_are_kept(writer: Session) -> None:
    row = writer.one(
        "INSERT INTO teams (organization_id, id, name, created_at, updated_at) VALUES (%(o)s, gen_random_uuid(), 'A',"
        " '2020-01-01Z', '2021-01-01Z') RETURNING created_at, updated_at"
    )
    assert (row.created_at.year, row.updated_at.year) == (2020, 2021)


def test_insert_has_the_time_of_the_statement(writer: Session) -> None:
    row = writer.one(
        "INSERT INTO teams (organization_id, id, name) VALUES (%(o)s, gen_random_uuid(), 'A')"
        " RETURNING created_at = updated_at AS same, created_at > now() AS later"
    )
    assert row == (True, True)


NOW = datetime.now(UTC)

ASSIGNMENTS = st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from(["A", "B"]),
        "budget_recurrence": st.sampled_from(["none", "weekly"]),
        "due_date": st.sampled_from([None, "2026-01-01"]),
        "tracked_seconds_total": st.integers(0, 2),
        "updated_at": st.sampled_from([NOW - timedelta(days=400), NOW, NOW + timedelta(days=400)]),
        "deleted_at": st.sampled_from([None, NOW]),
    },
).filter(bool)


@settings(max_examples=examples(20))
@given(updates=st.lists(ASSIGNMENTS, min_size=1, max_size=6))
def test_updated_at_moves_forward_and_on_change(owner_url: str, world: World, updates: list[dict[str, Any]]) -> None:
    project = world.ids["project_id"]
    with session(owner_url, world.organization_id) as writer:
        row = writer.one("SELECT * FROM projects WHERE id = %(key)s", key=project)._asdict()
        for update in updates:
            assignments = ", ".join(f"{name} = %({name})s" for name in update)
            writer.run(f"UPDATE projects SET {assignments} WHERE id = %(key)s", key=project, **update)
            after = writer.one("SELECT * FROM projects WHERE id = %(key)s", key=project)._asdict()
            given = update.get("updated_at", row["updated_at"])
            changed = given != row["updated_at"] or any(
                row[name] != after[name] for name in row.keys() - {"updated_at", "tracked_seconds_total"}
            )
            if changed:
                assert row["updated_at"] < after["updated_at"] < NOW + timedelta(days=1), "a given time is ignored"
            else:
                assert after["updated_at"] == row["updated_at"]
            row = after


@pytest.mark.parametrize("belonging", BELONGINGS, ids=lambda each: f"{each.child.name} of {each.parent.name}")
def test_deletion_and_restoring_reach_what_belongs(writer: Session, belonging: Belonging) -> None:
    child, column, parent = belonging.child.name, belonging.column, belonging.parent
    key = parent_with_children(writer, belonging)
    delete = f"UPDATE {parent.name} SET deleted_at = %(at)s WHERE {parent.primary_key.columns.keys()[-1]} = %(key)s"
    read = f"SELECT DISTINCT deleted_at, updated_at >= now() AS moved FROM {child} WHERE {column} = %(key)s"
    others = f"SELECT count(*) FROM {child} WHERE {column} <> %(key)s AND deleted_at IS NULL"
    before = writer.one(others, key=key)
    writer.run(delete, key=key, at=DELETED)
    assert writer.run(read, key=key) == [(DELETED, True)]
    assert writer.one(others, key=key) == before or belonging.child is tasks, "tasks of other projects may be subtasks"
    writer.run(delete, key=key, at=DELETED + timedelta(days=1))
    assert writer.run(read, key=key) == [(DELETED + timedelta(days=1), True)]
    writer.run(delete, key=key, at=None)
    assert writer.run(read, key=key) == [(None, True)]


@pytest.mark.parametrize("belonging", HIDDEN, ids=lambda each: f"{each.child.name} of {each.parent.name}")
def test_row_that_arrives_below_a_deleted_one_is_deleted_with_it(writer: Session, belonging: Belonging) -> None:
    child, parent = belonging.child, belonging.parent
    key = parent_with_children(writer, belonging)
    values = {"id": "gen_random_uuid()", "slot_at": "slot_at + interval '1 day'", "deleted_at": "NULL::timestamptz"}
    changes = ", ".join(f"'{name}', {value}" for name, value in values.items() if name in child.c)
    delete = f"UPDATE {parent.name} SET deleted_at = %(at)s WHERE {parent.primary_key.columns.keys()[-1]} = %(key)s"
    writer.run(delete, key=key, at=DELETED)
    arrived = writer.one(
        f"INSERT INTO {child.name} SELECT (jsonb_populate_record(NULL::{child.name}, to_jsonb(c) ||"
        f" jsonb_build_object({changes}))).* FROM {child.name} c WHERE {belonging.column} = %(key)s LIMIT 1"
        " RETURNING deleted_at",
        key=key,
    )
    assert arrived.deleted_at == DELETED
    writer.run(f"UPDATE {child.name} SET deleted_at = NULL WHERE {belonging.column} = %(key)s", key=key)
    read = f"SELECT DISTINCT deleted_at FROM {child.name} WHERE {belonging.column} = %(key)s"
    assert writer.run(read, key=key) == [(DELETED,)], "it is not restored alone"


def test_deletion_reaches_every_level(writer: Session, world: World) -> None:
    for at in (DELETED, None):
        writer.run("UPDATE projects SET deleted_at = %(at)s WHERE id = %(key)s", at=at, key=world.ids["project_id"])
        assert writer.run("SELECT DISTINCT deleted_at FROM task_members") == [(at,)]


def test_restoring_keeps_what_was_deleted_before(writer: Session, world: World) -> None:
    writer.run("UPDATE tasks SET deleted_at = '2026-01-01Z' WHERE id = %(key)s", key=world.ids["task_id"])
    for at in (DELETED, None):
        writer.run("UPDATE projects SET deleted_at = %(at)s WHERE id = %(key)s", at=at, key=world.ids["project_id"])
    (task,) = writer.run("SELECT id FROM tasks WHERE deleted_at IS NOT NULL")
    assert task.id == world.ids["task_id"]


def memberships(writer: Session, user: UUID) -> set[Any]:
    """The deletion times of the memberships of a person."""
    return {
        row.deleted_at
        for table in ("team_members", "project_members", "task_members")
        for row in writer.run(f"SELECT deleted_at FROM {table} WHERE user_id = %(user)s", user=user)
    }


def test_removal_of_a_member_ends_memberships(writer: Session, world: World) -> None:
    user, removed = world.ids["user_id"], DELETED.replace(microsecond=0)
    assert memberships(writer, user) == {None}
    remove = "UPDATE members SET status = 'removed', removed_at = %(at)s WHERE user_id = %(user)s"
    writer.run(remove, user=user, at=removed)
    assert memberships(writer, user) == {removed}
    writer.run("UPDATE members SET deleted_at = now() WHERE user_id = %(user)s", user=user)
    assert memberships(writer, user) == {removed}
    # The time that was tracked stays.
    assert writer.run("SELECT 1 FROM timesheets WHERE user_id = %(user)s AND deleted_at IS NULL", user=user)


def test_undone_removal_restores_memberships_and_new_invitation_does_not(writer: Session, world: World) -> None:
    user = world.ids["user_id"]
    remove = "UPDATE members SET status = 'removed', removed_at = '2026-02-01Z' WHERE user_id = %(user)s"
    undo = "UPDATE members SET status = 'active', removed_at = NULL WHERE user_id = %(user)s"
    invite = undo.replace("active", "invited").replace("NULL", "NULL, membership_id = %(new)s")
    writer.run(remove, user=user)
    writer.run(undo, user=user)
    assert memberships(writer, user) == {None}
    writer.run(remove, user=user)
    writer.run(invite, user=user, new=uuid4())
    assert memberships(writer, user) == {datetime(2026, 2, 1, tzinfo=UTC)}


def test_parents_that_may_be_deleted_are_found_by_an_index() -> None:
    for belonging in BELONGINGS:
        columns = [[column.name for column in index.columns][:2] for index in belonging.child.indexes]
        assert (
            ["organization_id", belonging.column] in columns
            or belonging.within
            # Policies are few, and so are the rows of one of them.
            or belonging.column == "leave_policy_id"
            or belonging.parent is members
        ), belonging


DECLARED = {(each.table, each.name, each.definition) for each in (*row_triggers(), *cascade_triggers())}


def triggers_of(url: str) -> set[tuple[str, str, str]]:
    with session(url) as reader:
        return {tuple(row) for row in reader.run(TRIGGERS)}


def test_database_has_the_declared_triggers(own_url: str) -> None:
    assert triggers_of(own_url) == DECLARED
    polled = {table.name for table in metadata.tables.values() if "updated_at" in table.columns}
    assert {trigger.table for trigger in row_triggers() if trigger.name == "set_updated_at"} == polled
    assert Counter(trigger.name for trigger in row_triggers() if trigger.name != "set_updated_at") == {
        "set_join_times": 1,
        "remember_membership": 1,
        "refuse_move": len(polled) - 1,
        "remember_place": 5,
        "remember_report_change": 7,
    }


def test_cascades_are_left_out_until_requested(own_url: str, owner_engine: Engine) -> None:
    kept = "set_updated_at set_join_times refuse_move remember_place remember_membership remember_report_change".split()
    for cascades, expected in ((False, False), (None, False), (True, True), (None, True)):
        migrate_at(own_url, cascades=cascades)
        assert {name for _, name, _ in triggers_of(own_url)} == {*kept, *(SECOND_KIND if expected else [])}
        with session(own_url) as reader:
            made = reader.one("SELECT count(*) FROM pg_proc WHERE proname ~ '^(cascade|follow)_deletion_of_'").count
        assert (made > 0) is expected


def test_changed_trigger_is_made_again(own_url: str) -> None:
    with connect(own_url).begin() as connection:
        connection.exec_driver_sql("DROP TRIGGER set_updated_at ON tasks")
        connection.exec_driver_sql("COMMENT ON TRIGGER set_updated_at ON projects IS 'an older definition'")
    migrate_at(own_url)
    assert triggers_of(own_url) == DECLARED
