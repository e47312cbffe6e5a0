"""Rows that are refused: file, line, column, value and reason of each, and nothing written.

Covers `db/jobs/importing/`.
"""

from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from sqlalchemy import Connection

from db.jobs.importing.import_run import ImportRefused, import_rows
from db.jobs.importing.problems import SHOWN, ProblemLog
from db.jobs.importing.rows import Problem, SourceItem, SourceRow
from db.jobs.retention.erase import erase
from tests.db.jobs.importing.conftest import Import, Refused, Select
from tests.factories.rows import Rows

SHEET: dict[str, str | None] = {
    "external_id": "1",
    "user_email": "ada@example.com",
    "started_at": "2026-03-02T09:00:00Z",
    "ended_at": "2026-03-02T10:00:00Z",
    "input_seconds": None,
}


@pytest.fixture(autouse=True)
def people(merge: Import) -> None:
    merge(members=[{"email": "ada@example.com", "full_name": "Ada Byron"}])


@pytest.mark.parametrize("join", ["hashjoin", "mergejoin", "nestloop"])
def test_bad_value_is_refused_whatever_the_plan(join: str, refused: Refused, merge: Import, owner: Connection) -> None:
    """A text is cast after its check, also where PostgreSQL would rather join by the value first."""
    minutes = [{"started_at": f"2026-03-01T09:{n}:00Z", "ended_at": f"2026-03-01T09:{n}:30Z"} for n in range(10, 60)]
    merge(timesheets=[SHEET | {"external_id": each["started_at"]} | each for each in minutes])
    with owner.begin():
        owner.exec_driver_sql("ANALYZE timesheets")
        for other in {"hashjoin", "mergejoin", "nestloop"} - {join}:
            owner.exec_driver_sql(f"SET enable_{other} = off")
    assert refused(timesheets=[SHEET | {"started_at": "2026-02-29T09:00:00Z"}]) == [
        'timesheets.csv:2: started_at "2026-02-29T09:00:00Z" is not a day of the calendar'
    ]


def test_id_of_another_organization_is_unknown(refused: Refused, rows: Rows, own: UUID) -> None:
    other = rows.organization()
    foreign, absent = str(rows.client(other)), str(uuid4())
    assert refused(projects=[{"external_id": id_, "name": "P", "client_id": id_} for id_ in (foreign, absent)]) == [
        f'projects.csv:2: client_id "{foreign}" is not in clients: correct it, or import that row, too',
        f'projects.csv:3: client_id "{absent}" is not in clients: correct it, or import that row, too',
    ]


def test_duplicates_are_reported_with_all_their_lines(refused: Refused) -> None:
    # Without an id, the person and the start tell a timesheet.
    same = [{column: value for column, value in SHEET.items() if column != "external_id"}] * 2
    assert refused(timesheets=same) == [
        f'timesheets.csv:{line}: started_at "2026-03-02T09:00:00Z" stands more than once: keep one of the lines'
        for line in (2, 3)
    ]


def test_second_row_with_a_unique_key_is_refused(refused: Refused, merge: Import, rows: Rows, own: UUID) -> None:
    team, membership = str(rows.team(own)), {"team_external_id": "d", "user_email": "ada@example.com"}
    merge(team_members=[{"team_id": team, "user_email": "ada@example.com"}])
    ids = [str(uuid4()) for _ in range(2)]
    assert refused(team_members=[{"id": ids[0], "team_id": team, "user_email": "ada@example.com"}]) == [
        'team_members.csv:2: user_email "ada@example.com" is in another row, too, with the same team_id, user_id'
    ]
    twice = [membership | {"id": id_} for id_ in ids]
    assert len(refused(teams=[{"external_id": "d", "name": "D"}], team_members=twice)) == 2


def test_row_that_moves_to_another_team_is_refused(refused: Refused, merge: Import, rows: Rows, own: UUID) -> None:
    design, sales = str(rows.team(own)), str(rows.team(own))
    membership = {"id": str(uuid4()), "team_id": design, "user_email": "ada@example.com"}
    merge(team_members=[membership])
    merge(team_members=[membership | {"role": "lead"}])
    assert refused(team_members=[membership | {"team_id": sales}]) == [
        f'team_members.csv:2: team_id "{sales}" differs from the stored row: delete that row, and add a new one'
    ]


def test_name_of_two_rows_is_refused(refused: Refused, rows: Rows, own: UUID) -> None:
    for _ in range(2):
        rows.client(own, external_id="acme")
    assert refused(projects=[{"external_id": "p", "name": "P", "client_external_id": "acme"}]) == [
        'projects.csv:2: client_external_id "acme" names more than one row: give the id instead'
    ]
    assert refused(clients=[{"external_id": "acme", "name": "A"}]) == [
        'clients.csv:2: external_id "acme" names more than one row: give the id instead'
    ]


def test_address_of_another_member_is_refused(refused: Refused, merge: Import, select: Select) -> None:
    ada = {"email": "ada@example.com", "full_name": "Ada"}
    merge(members=[ada])
    reason = "is of another row, too: leave it empty, or leave out the external_id to mean that row"
    numbered = {"external_id": "7", "email": "Ada@example.com", "full_name": "Ada"}
    assert refused(members=[numbered]) == [f'members.csv:2: email "Ada@example.com" {reason}']
    twice = [{"external_id": str(n), "email": "eva@example.com", "full_name": "Eva"} for n in range(2)]
    assert refused(members=twice) == [f'members.csv:{n}: email "eva@example.com" {reason}' for n in (2, 3)]
    ((id_,),) = select("user_id FROM members")
    gone = ada | {"user_id": str(id_), "deleted_at": "2026-03-01T00:00:00Z"}
    assert merge(members=[numbered, gone]) == {"members": (1, 0, 1)}


def test_stored_members_with_one_address_stay(merge: Import, rows: Rows, own: UUID) -> None:
    ids = [str(rows.member(own, email="ada@example.com")) for _ in range(2)]
    changed = [{"user_id": id_, "email": "ada@example.com", "job_title": "Vet"} for id_ in ids]
    assert merge(members=changed) == {"members": (0, 2, 0)}


def test_one_mistake_is_one_problem(refused: Refused) -> None:
    """Rows that refer to a refused row are not reported."""
    lines = refused(
        projects=[{"external_id": "p", "name": "P", "bill_rate": "much"}],
        tasks=[{"external_id": "t", "name": "T", "project_external_id": "p"}],
    )
    assert lines == ['projects.csv:2: bill_rate "much" is not a number with at most 15 digits and 4 decimals']


def test_refused_import_writes_nothing(refused: Refused, select: Select) -> None:
    refused(teams=[{"external_id": "d", "name": "Design"}], timesheets=[SHEET | {"user_email": "nobody"}])
    assert select("count(*) FROM teams") == [(0,)]


def test_control_characters_are_removed(merge: Import, select: Select) -> None:
    merge(teams=[{"external_id": "d", "name": "De\x07sign\x7f", "description": "one\r\ntwo\tthree"}])
    assert select("name, description FROM teams") == [("Design", "one\ntwo\tthree")]


def test_error_of_the_server_leaves_nothing(owner: Connection, own: UUID, server: Any, select: Select) -> None:
    """As when its disk is full: the error is the driver's, and the next transaction works."""

    def items() -> Iterator[SourceItem]:
        for n in range(10_000):
            yield SourceRow("teams", "t.csv", n, {"external_id": str(n), "name": "T"})
        with psycopg.connect(server.url("postgres"), autocommit=True) as superuser:
            superuser.execute("SELECT pg_terminate_backend(%s)", [pid])
        for n in range(10_000):
            yield SourceRow("teams", "t.csv", n, {"external_id": f"b{n}", "name": "T"})

    with pytest.raises(psycopg.OperationalError), owner.begin():  # noqa: PT012 - in one transaction
        pid = owner.exec_driver_sql("SELECT pg_backend_pid()").scalar_one()
        import_rows(owner, own, items())
    assert select("count(*) FROM teams") == [(0,)]


def test_log_counts_what_it_does_not_keep() -> None:
    log = ProblemLog()
    for line in range(1, SHOWN + 3):
        log.add(Problem("a.csv", line, "is required", "name", "\x1b[31m" if line == 1 else None))
    lines = log.lines()
    assert lines[0] == r"a.csv:1: name '\x1b[31m' is required"
    assert lines[-1] == "... and 2 more: name is required"
    assert len(lines) == SHOWN + 1


def test_log_keeps_a_hundred_kinds() -> None:
    log = ProblemLog()
    for line in range(1, 100_001):
        log.add(Problem("a.csv", line, "is not a column", f"\x1b{line}", "x" * 1000))
    lines = log.lines()
    assert lines[0] == f'a.csv:1: \\x1b1 "{"x" * 80}..." is not a column'
    assert lines[-1] == "... and 99,850 more: of other kinds"
    assert len(lines) == 100 + SHOWN + 1


@pytest.mark.parametrize(
    ("item", "most", "words"),
    [
        (lambda n: SourceRow("teams", "teams.ndjson", n, {"name": "a", f"k{n}": "1"}), 2_001, "2,000 problems"),
        (lambda n: SourceRow("teams", "teams.csv", n, {"a": "a", "b": "b"}), 2_001, "1 problem"),
        (lambda n: Problem("teams.csv", n, "is no row"), 100_001, "100,000 problems"),
    ],
    ids=["unknown column", "no known column", "no row"],
)
def test_reading_ends_where_all_is_wrong(
    item: Callable[[int], SourceItem], most: int, words: str, owner: Connection, own: UUID
) -> None:
    read = []

    def items() -> Iterator[SourceItem]:
        for number in range(1, 2 * most):
            read.append(number)
            yield item(number)

    with pytest.raises(ImportRefused, match=f"{words}; nothing was imported") as refused, owner.begin():
        import_rows(owner, own, items())
    assert len(read) == most
    if most == 100_001:
        assert refused.value.log.lines()[-1] == "The rest was not read after 100,000 problems."


def test_problem_of_several_rows_is_shown_once() -> None:
    log = ProblemLog()
    log.add(Problem("a.csv", 4, "is required", "name"), total=3)
    assert log.lines() == ["a.csv:4: name is required", "... and 2 more: name is required"]


REASON = "is of a person whose data was erased: leave it out"
ADA = {"email": "ada@example.com", "full_name": "Ada Byron"}


@pytest.fixture
def ada(merge: Import, select: Select, owner: Connection, own: UUID) -> str:
    """The id of a person who was imported by e-mail address, and erased."""
    merge(members=[ADA, {"email": "bob@example.com", "full_name": "Bob Carter"}])
    ((user_id,),) = select("user_id FROM members WHERE full_name = 'Ada Byron'")
    with owner.begin():
        erase(owner, own, user_id, list_objects=lambda _: None, force=True)
    return str(user_id)


@pytest.mark.usefixtures("ada")
def test_file_with_the_old_address_is_refused(refused: Refused) -> None:
    assert refused(members=[ADA, {"email": "bob@example.com", "full_name": "Bob Carter"}]) == [
        f'members.csv:2: email "ada@example.com" {REASON}'
    ]


def test_value_of_an_erased_person_is_refused(ada: str, refused: Refused) -> None:
    assert refused(members=[{"user_id": ada, "job_title": "Engineer"}]) == [
        f'members.csv:2: job_title "Engineer" {REASON}'
    ]
    record = {"external_id": "1", "user_id": ada, "clock_in_at": "2026-03-02T09:00:00Z", "clock_in_note": "I am late"}
    assert refused(clock_records=[record])[-1:] == [f'clock_records.csv:2: clock_in_note "I am late" {REASON}']


def test_rows_without_erased_values_are_imported(ada: str, merge: Import) -> None:
    merge(members=[{"user_id": ada, "email": None, "full_name": "Former member", "weekly_limit_seconds": "3600"}])
    sheet = {"user_id": ada, "started_at": "2026-03-02T09:00:00Z", "ended_at": "2026-03-02T10:00:00Z"}
    assert merge(timesheets=[{"external_id": "1", **sheet}]) == {"timesheets": (1, 0, 0)}
