"""Large synthetic organizations for benchmarks, built inside the database by the SQL files beside this module.

The numbers of rows follow the volumes that the tables are designed for. The same arguments and day give the same rows,
except for the ids of rows that no foreign key references, and the last heartbeat of the timers that run.
"""

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from importlib.resources import files
from uuid import UUID, uuid4

from sqlalchemy import Connection, text

from db.admin.tenant import use_organization
from db.jobs.distribution.image import image_of
from db.sample.deferred_keys import deferred_foreign_keys

DEFERRED_TABLES = ("activity_slots", "app_usages", "screenshots", "url_usages")
"""The tables with millions of rows and up to five foreign keys, which are checked at the end."""

TODAY_IN_BERLIN = "SELECT (now() AT TIME ZONE 'Europe/Berlin')::date"


def seed(
    connection: Connection,
    *,
    organizations: int = 1,
    members: int,
    days: int,
    today: date | None = None,
    begin: Callable[[str], object] = lambda _: None,
    progress: Callable[[int], object] = lambda _: None,
) -> Iterator[UUID]:
    """Add organizations of `members` members who worked on the `days` days before `today`; yield their ids.

    Some of the members are at work now. `begin` is called with what is made next, `days` + 2 times for each
    organization, and `progress` with numbers of rows. The caller commits. Until then, most tables are locked.
    """
    _run(connection, "session")
    today = today or connection.execute(text(TODAY_IN_BERLIN)).scalar_one()
    with deferred_foreign_keys(connection, DEFERRED_TABLES):
        for number in range(organizations):
            organization_id = uuid4()
            use_organization(connection, organization_id)
            values = {"organization_id": organization_id, "members": members, "today": today}
            with image_of(connection, organization_id):
                name = f"Seed {number + 1}"
                begin(f"{name}: people")
                progress(_run(connection, "people", "work", "names", name=name, **values))
                # The plans of foreign key checks are made once; they need statistics.
                connection.execute(text("ANALYZE members, projects, tasks"))
                for ago in range(days, 0, -1):
                    day = today - timedelta(days=ago)
                    begin(f"{name}: {day}")
                    progress(_run(connection, "timesheets", "activity", day=day, **values))
                begin(f"{name}: money and leaves")
                connection.execute(text("ANALYZE timesheets, idle_times"))
                progress(_run(connection, "running", "money", "leaves", **values))
            yield organization_id
        # Before the keys are checked, because without statistics the joins take very long.
        connection.execute(text("ANALYZE"))


def _run(connection: Connection, *names: str, **values: object) -> int:
    """Run the statements of the SQL files of these names; returns the rows that they insert, not temporary ones."""
    rows = 0
    for name in names:
        for statement in files(__package__).joinpath(f"{name}.sql").read_text().split(";\n"):
            if statement.strip():
                count = connection.execute(text(statement), values).rowcount
                rows += count if re.search(r"^INSERT INTO (?!seed_)", statement, re.MULTILINE) else 0
    return rows
