"""Imports as a whole: rows of several tables, imported once, again, changed, and replaced; and the rows read."""

from collections.abc import Iterable, Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection

from db.admin.engine import connect
from db.admin.keys import set_organization
from db.admin.migrate import migrate
from db.jobs.importing import import_run
from db.jobs.importing.import_run import import_rows
from db.jobs.importing.problems import RowCheck
from db.jobs.importing.staged_table import StagedTable
from db.sample.seed.build import seed
from tests.db.jobs.importing.conftest import Import, Refused, Select, items
from tests.factories.rows import Rows

STUDIO: dict[str, list[dict[str, str | None]]] = {
    "members": [
        {"email": "Ada@example.com", "first_name": "Ada", "last_name": "Byron", "hired_on": "2026-01-01"},
        {"email": "bob@example.com", "first_name": "Bob", "last_name": "Ray", "hired_on": None},
    ],
    "clients": [{"external_id": "acme", "name": "Acme"}],
    "projects": [{"external_id": "site", "client_external_id": "acme", "name": "Site"}],
    "tasks": [
        {"external_id": "t1", "project_external_id": "site", "name": "Build", "parent_task_external_id": None},
        {"external_id": "t2", "project_external_id": "site", "name": "Test", "parent_task_external_id": "t1"},
    ],
    "task_members": [{"task_external_id": "t1", "user_email": "ada@example.com"}],
    "timesheets": [
        {
            "user_email": "ada@EXAMPLE.com",
            "task_external_id": "t2",
            "project_external_id": "site",
            "started_at": "2026-03-02T09:00:00+01:00",
            "ended_at": "2026-03-02T10:00:00+01:00",
        }
    ],
}

TIMES = " UNION ALL SELECT ".join(
    f"'{table}', {key}, updated_at FROM {table}"
    for table, key in {"members": "user_id", "tasks": "id", "task_members": "id", "timesheets": "id"}.items()
)


def test_checks_read_no_column_of_the_staged_row(merge: Import, monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[str] = []

    def check_alone(connection: Connection, table: StagedTable, rows: str, checks: Iterable[RowCheck]) -> None:
        for check in checks:
            # It would run once for each row if it read one from outside; here there is none, and it would fail.
            connection.exec_driver_sql(f"EXPLAIN {check.sql(rows)}", execution_options={"no_parameters": True})
            checked.append(table.spec.name)

    monkeypatch.setattr(import_run, "add_problems", check_alone)
    merge(**STUDIO)
    assert set(checked) == set(STUDIO)


def test_rows_of_all_tables_are_inserted(merge: Import, select: Select) -> None:
    one = dict.fromkeys(("clients", "projects", "task_members", "timesheets"), (1, 0, 0))
    assert merge(**STUDIO) == one | {"members": (2, 0, 0), "tasks": (2, 0, 0)}
    assert select(
        "m.email, m.full_name, p.name, c.name, t.name, s.started_at::text, s.tracked_until - s.started_at = '1 hour',"
        " last_tracked_at = tracked_until FROM timesheets s JOIN members m USING (user_id)"
        " JOIN projects p ON p.id = s.project_id JOIN clients c ON c.id = client_id JOIN tasks t ON t.id = task_id"
    ) == [("Ada@example.com", "Ada Byron", "Site", "Acme", "Test", "2026-03-02 08:00:00+00", True, True)]
    assert select("b.name FROM tasks a JOIN tasks b ON b.id = a.parent_task_id") == [("Build",)]


def test_second_import_changes_nothing(merge: Import, select: Select) -> None:
    merge(**STUDIO)
    before = sorted(select(TIMES))
    for options in ({}, {"replace": True}):
        assert set(merge(**options, **STUDIO).values()) == {(0, 0, 0)}
    assert sorted(select(TIMES)) == before


def test_ids_are_the_same_in_every_run(merge: Import, select: Select, owner: Connection) -> None:
    merge(**STUDIO)
    ids = "user_id FROM members UNION SELECT id FROM tasks UNION SELECT id FROM timesheets ORDER BY 1"
    before = select(ids)
    assert {id_.version for (id_,) in before} == {7}
    for table in ("task_members", "timesheets", "tasks", "projects", "clients", "members"):
        select(f"1 FROM (SELECT 1) n; DELETE FROM {table}; SELECT 1")
    assert select(ids) == []
    merge(**STUDIO)
    assert select(ids) == before


def test_only_changed_rows_are_written(merge: Import, select: Select) -> None:
    merge(**STUDIO)
    before = {(table, id_): at for table, id_, at in select(TIMES)}
    sheet = STUDIO["timesheets"][0] | {"ended_at": "2026-03-02T09:30:00+01:00"}
    changed = [STUDIO["tasks"][0], STUDIO["tasks"][1] | {"name": "RowCheck"}]
    assert merge(timesheets=[sheet], tasks=changed) == {"tasks": (0, 1, 0), "timesheets": (0, 1, 0)}
    after = {(table, id_): at for table, id_, at in select(TIMES)}
    assert sorted(table for (table, id_), at in after.items() if at > before[table, id_]) == ["tasks", "timesheets"]
    assert select(
        "tracked_until = ended_at, last_tracked_at = ended_at FROM timesheets JOIN members USING (user_id)"
    ) == [(True, True)]


def test_column_that_no_file_has_keeps_its_value(merge: Import, select: Select) -> None:
    merge(clients=[{"external_id": "acme", "name": "Acme", "note": "Prompt", "currency": "USD"}])
    merge(clients=[{"external_id": "acme", "name": "Acme Ltd"}])
    assert select("name, note, currency FROM clients") == [("Acme Ltd", "Prompt", "USD")]
    merge(clients=[{"external_id": "acme", "name": "Acme Ltd", "note": None, "currency": None}])
    assert select("name, note, currency FROM clients") == [("Acme Ltd", None, "USD")]


def test_column_of_another_file_keeps_its_value(merge: Import, select: Select) -> None:
    acme = {"external_id": "acme", "name": "Acme"}
    merge(clients=[acme | {"email": "ap@acme.example", "currency": "USD"}])
    other = {"external_id": "globex", "name": "Globex", "email": "ap@globex.example", "currency": "CHF"}
    merge(clients=[acme | {"name": "Acme Ltd"}, other, {"external_id": "new", "name": "New"}])
    assert select("name, email, currency FROM clients ORDER BY name") == [
        ("Acme Ltd", "ap@acme.example", "USD"),
        ("Globex", "ap@globex.example", "CHF"),
        ("New", None, "EUR"),
    ]


def test_reference_of_another_file_keeps_its_value(merge: Import, select: Select) -> None:
    acme, site = {"external_id": "acme", "name": "Acme"}, {"external_id": "site", "name": "Site"}
    merge(clients=[acme], projects=[site | {"client_external_id": "acme"}])
    merge(projects=[site | {"code": "S"}, {"external_id": "app", "name": "App", "client_external_id": "acme"}])
    assert select("p.name, c.name FROM projects p JOIN clients c ON c.id = p.client_id ORDER BY 1") == [
        ("App", "Acme"),
        ("Site", "Acme"),
    ]


def test_spaces_around_a_name_mean_the_same_row(merge: Import, select: Select) -> None:
    merge(
        members=[{"email": "ada@example.com", "full_name": "Ada"}],
        clients=[{"external_id": "acme", "name": "Acme"}],
        projects=[{"external_id": "site", "name": "Site", "client_external_id": "acme\u00a0"}],
    )
    assert merge(members=[{"email": " Ada@example.com\n", "full_name": "Ada"}]) == {"members": (0, 1, 0)}
    assert select("email FROM members") == [("Ada@example.com",)]
    assert select("count(*) FROM projects WHERE client_id IS NOT NULL") == [(1,)]


def test_empty_derived_value_follows_what_it_is_derived_from(merge: Import, select: Select) -> None:
    name = {"email": "vogt@example.com", "first_name": "Katharina", "last_name": "Vogt", "full_name": None}
    times = {"user_email": name["email"], "clock_in_at": "2026-03-02T09:00:00Z", "status": None}
    sheet = {"user_email": name["email"], "started_at": "2026-03-02T09:00:00Z", "tracked_until": None}
    merge(members=[name], clock_records=[times], timesheets=[sheet | {"ended_at": "2026-03-02T10:00:00Z"}])
    merge(
        members=[name | {"last_name": "Ray"}],
        clock_records=[times | {"clock_out_at": "2026-03-02T18:00:00Z"}],
        timesheets=[sheet | {"ended_at": "2026-03-02T09:30:00Z"}],
    )
    stored = "full_name, c.status, tracked_until::text FROM members JOIN clock_records c USING (user_id), timesheets"
    assert select(stored) == [("Katharina Ray", "closed", "2026-03-02 09:30:00+00")]


def test_derived_value_stays_with_what_it_is_derived_from(merge: Import, select: Select) -> None:
    name = {"email": "vogt@example.com", "first_name": "Katharina", "last_name": "Vogt"}
    clocked = {
        "user_email": name["email"],
        "clock_in_at": "2026-03-02T09:00:00Z",
        "clock_out_at": "2026-03-02T19:00:00Z",
    }
    sheet = {"user_email": name["email"], "started_at": "2026-03-02T09:00:00Z", "ended_at": "2026-03-02T10:00:00Z"}
    stored = "full_name, c.status, tracked_until::text FROM members JOIN clock_records c USING (user_id), timesheets"
    merge(
        members=[name | {"full_name": "Dr. Katharina Vogt"}],
        clock_records=[clocked | {"status": "auto_closed"}],
        timesheets=[sheet | {"tracked_until": "2026-03-02T10:00:00Z"}],
    )
    expected = [("Dr. Katharina Vogt", "auto_closed", "2026-03-02 10:00:00+00")]
    merge(members=[name | {"job_title": "Vet"}], clock_records=[clocked | {"clock_out_note": "-"}], timesheets=[sheet])
    assert select(stored) == expected
    merge(members=[{"email": name["email"], "last_name": "Ray"}])
    merge(clock_records=[clocked | {"clock_out_at": "2026-03-02T18:00:00Z"}])
    merge(timesheets=[sheet | {"ended_at": "2026-03-02T09:30:00Z"}])
    assert select(stored) == [("Katharina Ray", "closed", "2026-03-02 09:30:00+00")]
    merge(clock_records=[clocked | {"clock_out_at": None}])
    assert select("status FROM clock_records") == [("open",)]


@pytest.mark.parametrize("empty", [{}, {"removed_at": None}], ids=["no column", "empty field"])
def test_status_sets_and_clears_the_end_of_a_membership(
    empty: dict[str, str | None], merge: Import, select: Select
) -> None:
    ada = {"email": "ada@example.com"}
    removed = ada | empty | {"status": "removed"}
    merge(members=[ada | {"full_name": "Ada"}])
    merge(members=[removed | {"left_on": "2026-03-01"}])
    member = "status, removed_at::text FROM members"
    assert select(member) == [("removed", "2026-03-02 00:00:00+00")]
    # The stored end stays, whatever the last day is.
    assert merge(members=[removed]) == {"members": (0, 0, 0)}
    merge(members=[removed | {"left_on": "2026-04-01"}])
    assert select(member) == [("removed", "2026-03-02 00:00:00+00")]
    merge(members=[ada | empty | {"status": "active"}])
    assert select(member) == [("active", None)]


def test_end_of_a_membership_that_lasts_is_refused(merge: Import, refused: Refused) -> None:
    ada = {"email": "ada@example.com", "full_name": "Ada", "removed_at": "2026-03-01T00:00:00Z"}
    assert len(refused(members=[ada])) == 1
    merge(members=[ada | {"removed_at": None}])
    assert len(refused(members=[ada | {"status": "active"}])) == 1


def test_dry_run_says_what_the_import_will_change(merge: Import, select: Select) -> None:
    assert merge(dry_run=True, **STUDIO) == merge(**STUDIO)
    fewer = {**STUDIO, "tasks": STUDIO["tasks"][:1], "timesheets": []}
    expected = merge(dry_run=True, replace=True, **fewer)
    assert select("count(*) FROM timesheets WHERE deleted_at IS NULL") == [(1,)]
    assert merge(replace=True, **fewer) == expected
    assert (expected["tasks"], expected["timesheets"]) == ((0, 0, 1), (0, 0, 1))


def test_replace_deletes_and_a_later_file_restores(merge: Import, select: Select) -> None:
    merge(**STUDIO)
    assert merge(replace=True, projects=[]) == {"projects": (0, 0, 1)}
    live = "name FROM tasks WHERE deleted_at IS NULL ORDER BY name"
    assert select(live) == []
    assert merge(projects=STUDIO["projects"]) == {"projects": (0, 1, 0)}
    assert select(live) == [("Build",), ("Test",)]
    assert select("count(*) FROM task_members WHERE deleted_at IS NULL") == [(1,)]


def test_row_of_a_deleted_parent_is_deleted(merge: Import, select: Select) -> None:
    merge(projects=[STUDIO["projects"][0] | {"client_external_id": None, "deleted_at": "2026-03-01T00:00:00Z"}])
    tasks = [{"external_id": "t1", "project_external_id": "site", "name": "Build"}]
    assert merge(tasks=tasks) == {"tasks": (1, 0, 0)}
    assert merge(tasks=tasks) == {"tasks": (0, 0, 0)}
    assert select("deleted_at::text FROM tasks") == [("2026-03-01 00:00:00+00",)]


def test_replaced_membership_makes_room_for_another_id(merge: Import, select: Select) -> None:
    merge(**{name: STUDIO[name] for name in ("members", "clients", "projects")})
    ids = [str(uuid4()) for _ in range(2)]
    rows = [{"id": id_, "project_external_id": "site", "user_email": "bob@example.com"} for id_ in ids]
    assert merge(project_members=rows[:1]) == {"project_members": (1, 0, 0)}
    assert merge(replace=True, project_members=rows[1:]) == {"project_members": (1, 0, 1)}
    assert [str(id_) for (id_,) in select("id FROM project_members WHERE deleted_at IS NULL")] == ids[1:]


def test_rows_pass_on_their_keys(merge: Import, select: Select, rows: Rows, own: UUID) -> None:
    leave = str(rows.leave_application(own, rows.leave_type(own), rows.member(own)))

    def days(*numbers: int) -> list[dict[str, str]]:
        same = {"leave_application_id": leave, "duration_seconds": "0"}
        return [same | {"external_id": str(row), "date": f"2026-03-0{day}"} for row, day in enumerate(numbers)]

    def stored() -> list[tuple[str, Any]]:
        return select("right(date::text, 1), id FROM leave_application_days WHERE deleted_at IS NULL ORDER BY date")

    merge(leave_application_days=days(1, 2, 3))
    before = [id_ for _, id_ in stored()]
    for numbers in ((2, 3, 4), (1, 2, 3), (2, 3, 1)):
        assert merge(leave_application_days=days(*numbers)) == {"leave_application_days": (0, 3, 0)}
        assert stored() == sorted((str(number), id_) for number, id_ in zip(numbers, before, strict=True))
    # The second is deleted, and the first gets its day.
    first, second, third = days(3, 3, 1)
    gone = second | {"deleted_at": "2026-03-09T00:00:00Z"}
    assert merge(leave_application_days=[first, gone, third]) == {"leave_application_days": (0, 1, 1)}
    assert stored() == [("1", before[2]), ("3", before[0])]
    assert merge(leave_application_days=[first, gone, third]) == {"leave_application_days": (0, 0, 0)}


def test_invoices_exchange_their_numbers(merge: Import, select: Select) -> None:
    merge(clients=[{"external_id": "acme", "name": "Acme"}])
    invoice = {"client_external_id": "acme", "issue_date": "2026-03-02"}
    ids, numbers = [str(uuid4()) for _ in range(3)], ["1", "2", "3"]
    merge(invoices=[invoice | {"id": id_, "number": number} for id_, number in zip(ids, numbers, strict=True)])
    for numbers in (["2", "1", "3"], ["3", "2", "1"], ["2", "3", "4"]):
        rows = [{"id": id_, "number": number} for id_, number in zip(ids, numbers, strict=True)]
        assert merge(dry_run=True, invoices=rows) == merge(invoices=rows)
        assert dict(select("id::text, number FROM invoices")) == dict(zip(ids, numbers, strict=True))


def states(url: str, *, cascades: bool) -> Iterator[tuple[list[str], list[str], int]]:
    """The states of an organization after imports that delete, move and restore rows."""
    moved = {"external_id": "t3", "project_external_id": "shop", "name": "Sell", "parent_task_external_id": None}
    shop = {"external_id": "shop", "client_external_id": None, "name": "Shop"}
    rows = Rows(connect(url))
    own = rows.organization()
    rows.connection.close()
    with connect(url).connect() as connection:
        migrate(connection, cascades=cascades)
        connection.commit()
        for files in (
            STUDIO,
            {"projects": [shop], "tasks": [moved]},
            {"projects": [STUDIO["projects"][0], shop]},
            {"members": STUDIO["members"][1:]},
            {"members": STUDIO["members"], "tasks": STUDIO["tasks"][:1]},
        ):
            with connection.begin():
                import_rows(connection, own, items(files), replace=True)
            yield state(connection, own)


def test_state_is_the_same_without_triggers(own_url: str) -> None:
    expected = [
        (["Site"], ["Build", "Test"], 1),
        (["Shop"], ["Sell"], 0),
        (["Shop", "Site"], ["Build", "Sell", "Test"], 1),
        (["Shop", "Site"], ["Build", "Sell", "Test"], 0),
        (["Shop", "Site"], ["Build"], 1),
    ]
    assert list(states(own_url, cascades=True)) == expected
    assert list(states(own_url, cascades=False)) == expected


def state(connection: Connection, own: Any) -> tuple[list[str], list[str], int]:
    """Live projects, live tasks, and the number of live members of tasks."""
    with connection.begin():
        set_organization(connection, own)
        query = "SELECT name FROM {} WHERE deleted_at IS NULL ORDER BY name"
        found = (connection.exec_driver_sql(query.format(table)) for table in ("projects", "tasks"))
        projects, tasks = ([name for (name,) in rows] for rows in found)
        (count,) = connection.exec_driver_sql("SELECT count(*) FROM task_members WHERE deleted_at IS NULL").one()
        return projects, tasks, count


ROWS = 1_000

READ = "SELECT sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)) FROM pg_stat_xact_all_tables"

MOST_READ = 100
"""Rows that are read for each row of the files. One nested loop over all of them reads 1,000."""


@pytest.fixture
def analyzed(own_url: str) -> tuple[Connection, UUID]:
    """The owner's connection to a database whose statistics are of another organization, and a new one."""
    engine = connect(own_url)
    with engine.begin() as connection:
        list(seed(connection, organizations=1, members=3, days=2))
    return engine.connect(), Rows(engine).organization()


def files(hour: int) -> dict[str, list[dict[str, str | None]]]:
    return {
        "members": [{"email": f"{number}@example.com", "full_name": f"M{number}"} for number in range(ROWS)],
        "projects": [{"external_id": f"p{number}", "name": f"P{number} {hour}"} for number in range(ROWS)],
        "tasks": [
            {
                "external_id": f"t{number}",
                "project_external_id": f"p{number}",
                "name": f"T{number} {hour}",
                "parent_task_external_id": f"t{number - 1}" if number else None,
            }
            for number in range(ROWS)
        ],
        "timesheets": [
            {
                "user_email": f"{number}@example.com",
                "project_external_id": f"p{number}",
                "started_at": "2026-03-02T09:00:00Z",
                "ended_at": f"2026-03-02T{hour}:00:00Z",
            }
            for number in range(ROWS)
        ],
    }


def test_rows_read_grow_with_the_files(analyzed: tuple[Connection, UUID]) -> None:
    connection, own = analyzed
    every = {"members": (0, 0), "projects": (0, ROWS), "tasks": (0, ROWS), "timesheets": (0, ROWS)}
    with connection:
        for hour, replace, expected in (
            (10, False, dict.fromkeys(every, (ROWS, 0))),
            (11, False, every),
            (12, True, every),
            (12, True, dict.fromkeys(every, (0, 0))),
        ):
            with connection.begin():
                before = connection.exec_driver_sql(READ).scalar_one()
                changes = import_rows(connection, own, items(files(hour)), replace=replace).tables
                read = connection.exec_driver_sql(READ).scalar_one() - before
            assert {change.table: (change.inserted, change.updated) for change in changes} == expected
            assert read < MOST_READ * ROWS * len(expected)
