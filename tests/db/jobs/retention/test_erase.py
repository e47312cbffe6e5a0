"""Erasure: no trace of the person in the database and in any answer; sums stay, and polls return what changed.

Covers `db/jobs/retention/erasure_sql.py`.
"""

import sys
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import httpx2 as httpx
import pytest
from sqlalchemy import Connection, select, text
from sqlalchemy.exc import OperationalError

from db.admin.engine import connect
from db.admin.keys import AccessError, set_organization
from db.errors import OperatorError
from db.jobs.retention.erase import ErasureResult, erase
from db.jobs.retention.erasure_sql import erased_columns, mention_pattern
from db.jobs.retention.stored_objects import StoredObject
from db.tables.columns import FORMER_MEMBER, metadata
from db.tables.people import erasures
from rest_facade.composition import Service
from rest_facade.rest.endpoint import Endpoint
from rest_facade.v1 import ENDPOINTS
from tests.conftest import BASE_URL
from tests.factories.rows import Rows
from tests.helpers.endpoint_calls import items_of, key_of, url_of
from tests.world import World, build, named

NAME, EMAIL = "Zaphod O'Neil (Jr.)", "zaphod@secret.example"
NAME_SQL = NAME.replace("'", "''")
SLOT = datetime(2026, 1, 5, 10, tzinfo=UTC)
TENANT_TABLES = [table for table in metadata.sorted_tables if table.info.get("tenant")]

VALUES = {
    # What columns get that do not take every text.
    "members.full_name": f"'{NAME_SQL}'",
    "members.email": f"'{EMAIL}'",
    "members.timezone": "'Asia/Kathmandu'",
    "members.custom_fields": """'{"hobby": "secret hobby"}'""",
    "screenshots.status": "'available'",
    "suspicious_activity_logs.evidence": """'{"app_names": ["secret app"], "other": "secret"}'""",
    "clock_records.clock_in_location": """'{"latitude": "1.5", "longitude": "2.5", "label": "secret place"}'""",
    "clock_records.clock_out_location": """'{"latitude": "1.5", "longitude": "2.5", "label": "secret place"}'""",
}

REFERENCES = """
UPDATE tasks SET created_by_user_id = :person;
UPDATE invoices SET created_by_user_id = :person;
UPDATE invoice_lines SET user_id = :person
"""
"""References to the person that the rows of a world lack."""

Answers = dict[str, Any]
"""The body of each operation."""

POLLED = [each for each in ENDPOINTS if "updated_since" in {parameter.name for parameter in each.query_parameters}]


class Records:
    """The rows of an organization, as the owner sees them."""

    def __init__(self, connection: Connection, organization_id: UUID) -> None:
        self._connection = connection
        self._organization_id = organization_id
        self.listed: list[StoredObject] = []

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        with self._connection.begin():
            set_organization(self._connection, self._organization_id)
            yield self._connection

    def run(self, sql: str, **values: Any) -> Any:
        return self._connection.execute(text(sql), values)

    def change(self, sql: str, **values: Any) -> None:
        with self.transaction():
            self.run(sql, **values)

    def texts(self) -> dict[str, list[str]]:
        """All rows of each table as JSON text."""
        with self.transaction():
            names = [table.name for table in TENANT_TABLES]
            return {name: sorted(self.run(f"SELECT to_jsonb(t)::text FROM {name} t").scalars()) for name in names}

    def erase(self, user_id: UUID, **options: Any) -> ErasureResult:
        """Erase a person, and commit."""
        with self._connection.begin():
            return erase(self._connection, self._organization_id, user_id, list_objects=self.listed.extend, **options)


@dataclass
class Scene:
    """What was before and after the erasure of the first person of a world."""

    world: World
    answers: tuple[Answers, Answers]
    texts: tuple[dict[str, list[str]], dict[str, list[str]]]
    dry_run: ErasureResult
    result: ErasureResult
    listed: list[StoredObject]
    polled: Answers
    """The answers to polls for what changed by the erasure."""


@pytest.fixture(scope="module")
def world(rows: Rows) -> World:
    """A world whose first person has something of their own in every column that an erasure changes."""
    world = build(rows, "E")
    rows.quota(world.organization_id, 1_000_000)
    own, person = world.organization_id, named("user")
    with rows.transaction(own):
        app, domain = rows.app(own, name="secret app"), rows.domain(own, name="secret.example")
        page = rows.url_page(own, domain, url="https://secret.example/")
        rows.app_usage(own, app, named("timesheet"), person, slot_at=SLOT)
        rows.url_usage(own, domain, page, named("timesheet"), person, slot_at=SLOT)
        for sql in REFERENCES.split(";"):
            rows.connection.execute(text(sql), {"person": person})
        for table in TENANT_TABLES:
            for column, erasure in erased_columns(table):
                if erasure.used_in is None:
                    value = VALUES.get(f"{table.name}.{column.name}", f"'secret {table.name}'")
                    if erasure.is_mention:
                        value = f"'About {NAME_SQL} and {EMAIL.upper()}: ' || id"
                    people = " OR ".join(f"{name} = :person" for name in erasure.of)
                    change = f"UPDATE {table.name} SET {column.name} = {value} WHERE {people}"
                    rows.connection.execute(text(change), {"person": person})
        rows.connection.execute(text("UPDATE url_pages SET title = 'secret' WHERE id = :page"), {"page": page})
    return world


@pytest.fixture(scope="module")
async def scene(owner_url: str, service: Service, world: World) -> Scene:
    peer = httpx.ASGITransport(service.public, client=("10.254.0.1", 1))
    headers = {"X-SERVICE-API-KEY": world.key}

    async def answers(endpoints: Sequence[Endpoint], query: str) -> Answers:
        found = {}
        for endpoint in endpoints:
            response = await http.get(url_of(endpoint, world, query))
            assert response.status_code == 200, response.text
            found[endpoint.operation] = response.json()
        return found

    with connect(owner_url).connect() as connection:
        records = Records(connection, world.organization_id)
        async with httpx.AsyncClient(transport=peer, base_url=BASE_URL, headers=headers) as http:
            before, texts = await answers(ENDPOINTS, "include_deleted=true"), records.texts()
            dry_run = records.erase(named("user"), force=True, dry_run=True)
            assert records.texts() == texts
            since = datetime.now(UTC).isoformat().replace("+00:00", "Z")
            result = records.erase(named("user"), force=True)
            after = await answers(ENDPOINTS, "include_deleted=true")
            polled = await answers(POLLED, f"updated_since={since}")
        return Scene(world, (before, after), (texts, records.texts()), dry_run, result, records.listed, polled)


def has_trace(answer: Any) -> bool:
    return any(word in str(answer).lower() for word in ("secret", "zaphod", "o'neil", "kathmandu"))


def test_no_answer_has_a_trace(scene: Scene) -> None:
    before, after = scene.answers
    assert len([operation for operation, answer in before.items() if has_trace(answer)]) > 20
    assert [operation for operation, answer in after.items() if has_trace(answer)] == []
    assert FORMER_MEMBER in str(after["listMembers"])


def test_no_row_has_a_trace(scene: Scene) -> None:
    before, after = scene.texts
    changed = {table.name for table in TENANT_TABLES if any(True for _ in erased_columns(table))}
    assert {table for table, rows in before.items() if any(map(has_trace, rows))} == changed
    assert {table for table, rows in after.items() if any(map(has_trace, rows))} == set()


def numbers(value: Any) -> Any:
    """The value without texts, and without what an erasure takes away together with its numbers."""
    if isinstance(value, dict):
        taken = {"evidence", "clock_in_location", "clock_out_location", "custom_fields"}
        return {name: numbers(each) for name, each in value.items() if name not in taken}
    if isinstance(value, list):
        return [numbers(each) for each in value]
    return None if isinstance(value, str) else value


def test_sums_and_counts_stay(scene: Scene) -> None:
    before, after = scene.answers
    for operation, answer in before.items():
        assert numbers(after[operation]) == numbers(answer), operation


def test_polls_return_every_changed_row(scene: Scene) -> None:
    unchanged = set()
    for each in POLLED:
        before, after = ({key_of(row): row for row in items_of(each, found[each.operation])} for found in scene.answers)
        changed = {key for key, row in after.items() if without_time(row) != without_time(before[key])}
        assert changed <= {key_of(row) for row in items_of(each, scene.polled[each.operation])}, each
        unchanged |= set() if changed else {each.operation}
    assert unchanged == UNCHANGED


def without_time(item: dict[str, Any]) -> dict[str, Any]:
    """The item without its time, and without the name of its task: a task that gets a new name is a row of its own."""
    return {name: value for name, value in item.items() if name not in ("updated_at", "task_name")}


UNCHANGED = {
    *("listTeams", "listClients", "listClientProjects", "listProjects", "listMemberProjects"),
    *("listLeaveTypes", "listLeavePolicies", "listLeavePeriods"),
}
"""The operations whose rows are not about a person, or show the id alone."""


def test_dry_run_counts_what_is_changed(scene: Scene) -> None:
    assert scene.dry_run == scene.result
    rows = scene.result.rows
    assert [rows[name] for name in ("members", "screenshots", "url_pages", "apps", "clock_records")] == [1, 5, 2, 1, 1]
    assert "leave_types" not in rows


def test_stored_objects_are_listed(scene: Scene) -> None:
    assert {(each.table, each.column, each.key) for each in scene.listed} == {
        ("members", "avatar_url", "secret members"),
        ("screenshots", "object_key", "secret screenshots"),
        ("screenshots", "thumbnail_key", "secret screenshots"),
    }
    assert len({each.id for each in scene.listed}) == 1 + 5
    assert scene.result.objects == scene.listed


def test_rows_of_others_stay(scene: Scene) -> None:
    before, after = scene.texts
    for table in ("members", "clock_records", "idle_times", "manual_requests", "suspicious_activity_logs"):
        rows = [row for row in before[table] if f'"user_id": "{named("user")}"' not in row]
        assert len(rows) == 4
        assert set(rows) <= set(after[table])


def test_second_erasure_changes_nothing(scene: Scene, owner_url: str) -> None:
    with connect(owner_url).connect() as connection:
        records = Records(connection, scene.world.organization_id)
        assert records.erase(named("user"), force=True) == ErasureResult({}, [], {})
        assert records.texts() == scene.texts[1]
        with records.transaction():
            (record,) = connection.execute(select(erasures).where(erasures.c.user_id == named("user"))).all()
    assert (record.user_id, record.row_counts, record.object_count) == (named("user"), scene.result.rows, 11)


@pytest.fixture
def records(owner: Connection, own: UUID) -> Records:
    return Records(owner, own)


@pytest.fixture
def ada(rows: Rows, own: UUID) -> UUID:
    return rows.member(own, full_name="Ada Byron", status="removed")


@pytest.fixture
def bob(rows: Rows, own: UUID) -> UUID:
    return rows.member(own, full_name="Bob Carter")


def test_picture_of_two_people_is_not_listed(rows: Rows, own: UUID, records: Records) -> None:
    one, _ = (rows.member(own, avatar_url="https://example.com/default.png") for _ in range(2))
    records.erase(one, force=True)
    assert records.listed == []
    assert '"avatar_url": null' in "".join(records.texts()["members"])


def test_failing_list_leaves_everything(rows: Rows, own: UUID, ada: UUID, records: Records) -> None:
    def fail(_: object) -> None:
        raise OSError("No space left on device")

    rows.screenshot(own, ada)
    before = records.texts()
    with pytest.raises(OSError, match="No space"), records.transaction() as connection:
        erase(connection, own, ada, list_objects=fail)
    assert records.texts() == before


def test_key_that_is_stored_meanwhile_waits(rows: Rows, own: UUID, ada: UUID, records: Records, owner_url: str) -> None:
    def store(_: object) -> None:
        with connect(owner_url).begin() as other:
            set_organization(other, own)
            other.execute(text("SET LOCAL lock_timeout = '10ms'"))
            other.execute(text("UPDATE screenshots SET object_key = 'late.jpg' WHERE object_key IS NULL"))

    rows.screenshot(own, ada)
    rows.screenshot(own, ada, status="processing", object_key=None)
    with pytest.raises(OperationalError, match="lock timeout"), records.transaction() as connection:
        erase(connection, own, ada, list_objects=store)


@pytest.mark.parametrize("status", ["active", "invited", "suspended"])
def test_member_is_refused_without_force(status: str, rows: Rows, own: UUID, records: Records) -> None:
    member = rows.member(own, status=status)
    sentence = f"The person is a member whose status is {status}: remove the membership first, or use --force."
    with pytest.raises(OperatorError, match=sentence):
        records.erase(member)
    records.change("UPDATE members SET deleted_at = now()")
    assert records.erase(member).rows["members"] == 1


def test_unknown_person_and_organization_are_refused(rows: Rows, records: Records) -> None:
    of_another = rows.member(rows.organization(), status="removed")
    with pytest.raises(OperatorError, match=f"The organization has no member {of_another}"):
        records.erase(of_another)
    with records.transaction() as connection, pytest.raises(AccessError):
        erase(connection, uuid4(), of_another, list_objects=lambda _: None)


def test_note_of_a_reviewer_is_erased(rows: Rows, own: UUID, ada: UUID, bob: UUID, records: Records) -> None:
    rows.manual_request(own, bob, reviewed_by_user_id=ada, review_note="I say no", reason="Mine")
    records.erase(ada)
    (row,) = records.texts()["manual_requests"]
    assert '"review_note": null' in row
    assert '"reason": "Mine"' in row


def test_note_of_a_moved_record_is_erased(rows: Rows, own: UUID, ada: UUID, bob: UUID, records: Records) -> None:
    rows.clock_record(own, ada, clock_in_note="I was late")
    records.change("UPDATE clock_records SET user_id = :bob", bob=bob)
    records.erase(ada)
    (row,) = records.texts()["clock_records"]
    assert '"clock_in_note": null' in row


def test_shared_and_rated_names_stay(rows: Rows, own: UUID, ada: UUID, bob: UUID, records: Records) -> None:
    def names() -> str:
        return "".join(records.texts()["apps"])

    shared, rated, alone = (
        rows.app(own, name=name, category=category)
        for name, category in (("Shared", None), ("Rated", "Design"), ("Alone", None))
    )
    sheets = {user: rows.timesheet(own, user) for user in (ada, bob)}
    for app, user in ((shared, ada), (rated, ada), (alone, ada), (shared, bob)):
        rows.app_usage(own, app, sheets[user], user)
    records.erase(ada)
    assert '"Shared"' in names() and '"Rated"' in names() and '"Alone"' not in names()
    # The use of an erased person keeps no name.
    records.erase(bob, force=True)
    assert '"Shared"' not in names()


def test_other_rows_that_name_a_person_count(rows: Rows, own: UUID, ada: UUID, bob: UUID, records: Records) -> None:
    rows.client(own, note="Ask ADA BYRON")
    rows.clock_record(own, bob, clock_in_note="With Ada Byron")
    rows.clock_record(own, ada, clock_in_note="As Ada Byron", clock_in_at=SLOT)
    mentions = {"clients.note": 1, "clock_records.clock_in_note": 1}
    assert records.erase(ada, dry_run=True).mentions == mentions
    assert records.erase(ada).mentions == mentions


@pytest.mark.parametrize(
    "written",
    [unicodedata.normalize("NFD", "Zo\u00eb d'Arc"), "Zo\u00eb\u00a0d'Arc", "Zo\u00eb  d'Arc", "Zo\u00eb d\u2019Arc"],
)
def test_name_is_found_however_it_is_written(written: str, rows: Rows, own: UUID, bob: UUID, records: Records) -> None:
    zoe, project = rows.member(own, full_name="Zo\u00eb d'Arc", status="removed"), rows.project(own)
    decomposed = unicodedata.normalize("NFD", "Caf\u00e9")
    rows.task(own, project, name=f"From {written}", created_by_user_id=zoe)
    rows.task(own, project, name=decomposed, created_by_user_id=zoe)
    rows.task(own, project, name=f"To {written}", created_by_user_id=bob)
    result = records.erase(zoe)
    assert (result.rows["tasks"], result.mentions) == (1, {"tasks.name": 1})
    with records.transaction():
        names = records.run("SELECT name FROM tasks ORDER BY name").scalars().all()
    assert sorted(names) == sorted([f"From {FORMER_MEMBER}", decomposed, f"To {written}"])


@pytest.mark.parametrize(
    ("who", "before", "after"),
    [
        (("Ann Lee", None), "Ann Lee's time; ANN LEE; Joann Leeds; AnnLee", "X's time; X; Joann Leeds; AnnLee"),
        (("Ann Lee", None), "Ann  Lee, Ann\u00a0Lee, Ann\u202fLee, Ann\u3000Lee, Ann\n Lee", "X, X, X, X, X"),
        (("Ann\u00a0 Lee", " "), "Ann Lee", "X"),
        (("Pat O'Neil", None), "Pat O\u2019Neil, Pat O\u02bcNeil, Pat O'Neil, Pat ONeil", "X, X, X, Pat ONeil"),
        (("Pat O\u2019Neil", None), "Pat O'Neil", "X"),
        ((unicodedata.normalize("NFD", "Jos\u00e9 Ruiz"), None), "Jos\u00e9 Ruiz", "X"),
        (("A.B (C) [x]*", None), "A.B (C) [x]* and AxB", "X and AxB"),
        (("Müller-Lüdenscheidt", None), "für Müller-Lüdenscheidt.", "für X."),
        (("李雷", None), "李雷的任务", "X的任务"),
        (("a\\b", None), "a\\b", "X"),
        ((" Bo ", None), "Bo, Bob", "X, Bob"),
        ((FORMER_MEMBER, "ann@x.com"), "joann@x.com, ann@x.com", "joann@x.com, X"),
    ],
)
def test_only_whole_words_are_found(who: tuple[str, str | None], before: str, after: str, records: Records) -> None:
    found = "SELECT regexp_replace(:text, :pattern, 'X', 'gi')"
    assert records.run(found, text=before, pattern=mention_pattern(*who)).scalar_one() == after


def test_every_space_stands_for_another(records: Records) -> None:
    texts = [f"Ann{space}Lee" for space in map(chr, range(sys.maxunicode + 1)) if space.isspace()]
    unfound = "SELECT array_agg(each) FROM unnest(CAST(:texts AS text[])) each WHERE each !~* :pattern"
    assert records.run(unfound, texts=texts, pattern=mention_pattern("Ann Lee", None)).scalar_one() is None
