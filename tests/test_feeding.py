"""`docs/feeding.md`, then `docs/feeding-rules.md`: their SQL runs in order, as the named roles, and does what they say.

The subscription is a real one, of another database on a server with logical replication.
"""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

import psycopg
import pytest

from db.admin.engine import connect
from db.jobs.doctor.check import Severity
from db.jobs.doctor.examination import examine
from db.sample.embedded.database import ensure_database
from db.sample.embedded.server import Server
from rest_facade.site.sources import source_pages
from tests.factories.rows import Rows
from tests.helpers.databases import migrate_at
from tests.helpers.folders import open_folder
from tests.helpers.waiting import until

PAGES = ("feeding", "feeding-rules")
BLOCK = re.compile(r"^```sql ?(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
COPY = re.compile(r"^(COPY [^;]+);\n(.*?)^\\\.$", re.DOTALL | re.MULTILINE)

OWN = "01a00000-0000-7000-8000-000000000001"
DATABASE, APPLICATION = "fed", "application"
REPLICATION_SECONDS = 30
REPEATED = ("Upserts from an application", "A nightly import", "updated_at")
"""Headings of SQL that the pages call repeatable."""

ROWS = """
SELECT right(id::text, 2) AS id, right(project_id::text, 2) AS project_id,
       to_char(started_at, 'MM-DD HH24:MI') AS started_at,
       to_char(ended_at, 'HH24:MI') AS ended_at, to_char(tracked_until, 'HH24:MI') AS tracked_until,
       deleted_at IS NOT NULL AS is_deleted
FROM timesheets ORDER BY id
"""


class Block(NamedTuple):
    """SQL of a page, under its heading; `language` is what follows the word sql."""

    heading: str
    language: str
    sql: str


class Stage(NamedTuple):
    """What is stored after a block: timesheets, and `updated_at` of each row by the end of its id."""

    sheets: dict[str, Any]
    updated_at: dict[str, datetime]


def blocks() -> list[Block]:
    text = "\n".join(page.text for page in source_pages(customers_only=False) if page.name in PAGES)
    headings = [(found.start(), found[1]) for found in HEADING.finditer(text)]
    return [
        Block([name for start, name in headings if start < found.start()][-1], found[1], found[2])
        for found in BLOCK.finditer(text)
    ]


class Feed:
    """Runs blocks on one database."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.owner_url = ensure_database(server, DATABASE)
        self.administrator = psycopg.connect(server.url("postgres", DATABASE), autocommit=True)

    def run(self, block: Block) -> None:
        """Run a block as its role: an administrator, or the login of the page, in one transaction."""
        if block.language == "subscription":
            self.subscribe(block.sql)
        elif block.language == "administrator":
            self.administrator.execute(block.sql.encode())
        else:
            with psycopg.connect(self.server.url("time_feed", DATABASE)) as connection:
                connection.execute("SET LOCAL timezone = 'UTC'")
                run_script(connection, block.sql)

    def subscribe(self, sql: str) -> None:
        """Subscribe another database of the server, whose slot must be made beforehand, and wait for its row."""
        url = self.server.url("postgres", APPLICATION)
        with psycopg.connect(url, autocommit=True) as publisher:
            publisher.execute("SELECT pg_create_logical_replication_slot('time_entries', 'pgoutput')")
        command = re.sub(r"CONNECTION '[^']+'", f"CONNECTION '{url}'", sql.strip().removesuffix(";"))
        self.administrator.execute(f"{command} WITH (create_slot = false)".encode())
        self.wait_for_entries(1)

    def wait_for_entries(self, count: int) -> None:
        """Wait until so many rows were replicated."""
        counted = "SELECT count(*) FROM source.time_entries"
        until(lambda: self.administrator.execute(counted).fetchone() == (count,), REPLICATION_SECONDS, every=0.05)

    def stage(self) -> Stage:
        with psycopg.connect(self.server.url("postgres", DATABASE)) as connection:
            connection.execute("SET timezone = 'UTC'")
            sheets = {row[0]: tuple(row[1:]) for row in connection.execute(ROWS.encode())}
            times = "SELECT right({0}::text, 2), updated_at FROM {1}"
            updated_at = {
                row[0]: row[1]
                for table, key in {"timesheets": "id", "projects": "id", "members": "user_id"}.items()
                for row in connection.execute(times.format(key, table).encode())
            }
        return Stage(sheets, updated_at)


def run_script(connection: psycopg.Connection, sql: str) -> None:
    """Run statements, and COPY with its rows below it, as psql does."""
    end = 0
    for found in COPY.finditer(sql):
        connection.execute(sql[end : found.start()].encode())
        with connection.cursor().copy(found[1].encode()) as copy:
            copy.write(found[2])
        end = found.end()
    connection.execute(sql[end:].encode())


@pytest.fixture(scope="module")
def feed() -> Iterator[Feed]:
    """A migrated database with the organization of the page, and the database of an application with one entry."""
    options = {"fsync": "off", "wal_level": "logical"}
    with open_folder() as folder, Server(folder, options=options) as server:
        feed = Feed(server)
        migrate_at(feed.owner_url)
        rows = Rows(connect(feed.owner_url))
        rows.organization(organization_id=OWN)
        rows.connection.close()
        ensure_database(server, APPLICATION)
        with psycopg.connect(server.url("postgres", APPLICATION), autocommit=True) as application:
            (table,) = (block.sql for block in blocks() if "CREATE TABLE source" in block.sql)
            application.execute(table.partition("GRANT")[0].encode())
            application.execute(
                "INSERT INTO source.time_entries VALUES ('01a00000-0000-7000-8000-0000000000e1', 'Ada@Example.com',"
                " '2026-01-06T09:00:00.25Z', '2026-01-06T10:00:00.75Z', false)"
            )
            application.execute("CREATE PUBLICATION time_entries FOR TABLE source.time_entries")
        yield feed
        feed.administrator.execute("DROP SUBSCRIPTION time_entries")
        feed.administrator.close()


@pytest.fixture(scope="module")
def stages(feed: Feed) -> dict[str, list[Stage]]:
    """Every block was run in its order, and then once more if it may be repeated: what is stored after each."""
    stages: dict[str, list[Stage]] = {}
    for block in blocks():
        feed.run(block)
        stages.setdefault(block.heading, []).append(feed.stage())
        if block.heading in REPEATED:
            feed.run(block)
            stages[block.heading].append(feed.stage())
    return stages


FIRST = ("b1", "01-05 08:00", "12:00", "12:00", False)


def test_rows_are_loaded_once(stages: dict[str, list[Stage]]) -> None:
    (stage,) = stages["Loading once"]
    assert stage.sheets == {"c1": FIRST, "c2": (None, "01-05 13:00", "17:00", "17:00", False)}


def test_upsert_changes_what_differs_once(stages: dict[str, list[Stage]]) -> None:
    (before,) = stages["Loading once"]
    after, again = stages["Upserts from an application"]
    assert after.sheets == {"c1": FIRST, "c2": ("b1", "01-05 13:00", "17:30", "17:30", False)}
    assert after.updated_at["c1"] == before.updated_at["c1"]
    assert after.updated_at["c2"] > before.updated_at["c2"]
    assert again == after


def test_nightly_import_deletes_what_is_missing(stages: dict[str, list[Stage]]) -> None:
    before = stages["Upserts from an application"][-1]
    after, again = stages["A nightly import"]
    second, third = ("b1", "01-05 13:00", "17:30", "17:30", True), (None, "01-05 18:00", "19:00", "19:00", False)
    assert after.sheets == {"c1": FIRST, "c2": second, "c3": third}
    assert after.updated_at["c1"] == before.updated_at["c1"]
    assert after.updated_at["c2"] > before.updated_at["c2"]
    assert again == after


def test_replicated_entries_are_merged(stages: dict[str, list[Stage]]) -> None:
    assert stages["Logical replication"][-1].sheets["e1"] == (None, "01-06 09:00", "10:00", "10:00", False)


def test_derived_column_leaves_updated_at(stages: dict[str, list[Stage]], feed: Feed) -> None:
    assert stages["updated_at"][0].updated_at["0a"] == stages["Logical replication"][-1].updated_at["0a"]


def test_deletion_and_restoration_reach_pollers(stages: dict[str, list[Stage]]) -> None:
    before, (project, member) = stages["updated_at"][-1], stages["Deletion"]
    assert project.updated_at["b1"] > before.updated_at["b1"]
    assert member.updated_at["0a"] > before.updated_at["0a"]
    assert member.sheets == before.sheets, "time of the project stays"


def test_late_edit_changes_one_row(stages: dict[str, list[Stage]]) -> None:
    before, (after,) = stages["Deletion"][-1], stages["Late edits"]
    assert after.sheets == before.sheets | {"c1": ("b1", "01-05 08:00", "11:30", "11:30", False)}
    assert {id for id, at in after.updated_at.items() if at != before.updated_at[id]} == {"c1"}


def test_timer_runs_and_is_ended_at_its_last_heartbeat(stages: dict[str, list[Stage]]) -> None:
    running, ended = stages["Running timers"]
    assert running.sheets["c4"] == (None, "02-03 08:00", None, "08:05", False)
    assert ended.sheets["c4"] == (None, "02-03 08:00", "08:05", "08:05", False)


def test_doctor_finds_nothing_in_what_was_fed(stages: dict[str, list[Stage]], feed: Feed) -> None:
    caps = {"timesheets_cap": 1000, "logs_cap": 50_000, "screenshots_cap": 2000}
    findings = examine(connect(feed.owner_url), caps, timeout=60)
    assert {each.check.name for each in findings if each.severity is Severity.error} <= {"setting-fsync"}


def test_statement_without_organization_says_so(feed: Feed, stages: dict[str, list[Stage]]) -> None:
    refused = pytest.raises(psycopg.Error, match="No organization is set")
    with psycopg.connect(feed.server.url("time_feed", DATABASE)) as connection, refused:
        connection.execute("SELECT count(*) FROM projects")
