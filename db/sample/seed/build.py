"""Large synthetic organizations for benchmarks, built inside the database by a few statements per area.

The numbers of rows follow the volumes that the tables are designed for. The same arguments and day give the same rows,
except for the ids of rows that no foreign key references, and the last heartbeat of the timers that run.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from uuid import UUID, uuid4

from sqlalchemy import Connection, text

from db.admin.tenant import use_organization
from db.jobs.distribution.image import image_of
from db.sample.deferred_keys import deferred_foreign_keys
from db.sample.seed.activity import ACTIVITY, DICTIONARIES
from db.sample.seed.leaves import LEAVES
from db.sample.seed.money import INVOICES_SQL, PAY
from db.sample.seed.people import PEOPLE_SQL
from db.sample.seed.timesheets import ATTENDANCE, LAST_TRACKED, RUNNING, SHIFTS, TEMPORARY, TRACKED
from db.sample.seed.work import WORK

DEFERRED_TABLES = ("activity_slots", "app_usages", "screenshots", "url_usages")
"""The tables with millions of rows and up to five foreign keys, which are checked at the end."""

# Functions stay on this node of a cluster. A day's rows are sorted and joined in memory. A lock of another transaction
# ends the seed after ten seconds. Rows keep their times when those that they show are inserted.
SEED_SETTINGS = """
SET LOCAL citus.enable_ddl_propagation = off;

SET LOCAL work_mem = '128MB';

SET LOCAL maintenance_work_mem = '256MB';

SET LOCAL jit = off;

SET LOCAL lock_timeout = '10s';

SET LOCAL app.restores = 'on';
"""

# seed_id makes the same id from the same number, so that one statement can reference rows of another. seed_id_at makes
# ids that begin with a time, like UUID version 7, so that indexes by id grow at their end.
FUNCTIONS = """
CREATE OR REPLACE FUNCTION pg_temp.seed_id(kind text, number bigint) RETURNS uuid
LANGUAGE sql IMMUTABLE AS $$ SELECT md5(kind || number)::uuid $$;

CREATE OR REPLACE FUNCTION pg_temp.seed_id_at(at timestamptz, kind text, number bigint) RETURNS uuid
LANGUAGE sql STABLE AS $$
  SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7'
          || overlay(substr(md5(kind || number), 1, 19) PLACING '8' FROM 4 FOR 1))::uuid $$;

CREATE OR REPLACE FUNCTION pg_temp.seed_is_workday(day date) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$ SELECT extract(isodow FROM day) < 6 $$;

CREATE OR REPLACE FUNCTION pg_temp.seed_is_at_work(n int, day date) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$ SELECT (n * 7 + (day - date '2000-01-01') * 3) % 10 < 7 $$;

CREATE OR REPLACE FUNCTION pg_temp.seed_rating(n int) RETURNS text
LANGUAGE sql IMMUTABLE AS $$ SELECT (ARRAY['productive', 'neutral', 'unproductive', 'unrated'])[n % 4 + 1] $$;
"""

TODAY_IN_BERLIN = "SELECT (now() AT TIME ZONE 'Europe/Berlin')::date"


def seed(
    connection: Connection,
    *,
    organizations: int = 1,
    ids: Sequence[UUID] = (),
    members: int,
    days: int,
    today: date | None = None,
    begin: Callable[[str], object] = lambda _: None,
    progress: Callable[[int], object] = lambda _: None,
) -> Iterator[UUID]:
    """Add organizations of `members` members who worked on the `days` days before `today`; yield their ids.

    Some of the members are at work now. `ids` are those of the first organizations; others get random ones. `begin` is
    called with what is made next, `days` + 2 times for each organization, and `progress` with numbers of rows.

    The caller commits. Until then, most tables are locked.
    """
    _run(connection, SEED_SETTINGS + FUNCTIONS + TEMPORARY)
    today = today or connection.execute(text(TODAY_IN_BERLIN)).scalar_one()
    with deferred_foreign_keys(connection, DEFERRED_TABLES):
        for number in range(organizations):
            organization_id = ids[number] if number < len(ids) else uuid4()
            use_organization(connection, organization_id)
            values = {"organization_id": organization_id, "members": members, "today": today}
            with image_of(connection, organization_id):
                name = f"Seed {number + 1}"
                begin(f"{name}: people")
                progress(_run(connection, PEOPLE_SQL + WORK + DICTIONARIES, name=name, **values))
                # The plans of foreign key checks are made once; they need statistics.
                connection.execute(text("ANALYZE members, projects, tasks"))
                for ago in range(days, 0, -1):
                    day = today - timedelta(days=ago)
                    begin(f"{name}: {day}")
                    progress(_run(connection, SHIFTS + ATTENDANCE + TRACKED + ACTIVITY, day=day, **values))
                begin(f"{name}: money and leaves")
                connection.execute(text("ANALYZE timesheets, idle_times"))
                progress(_run(connection, RUNNING + LAST_TRACKED + INVOICES_SQL + PAY + LEAVES, **values))
            yield organization_id
        # Before the keys are checked, because without statistics the joins take very long.
        connection.execute(text("ANALYZE"))


def _run(connection: Connection, statements: str, **values: object) -> int:
    """Run statements; returns the number of rows that they insert into tables of organizations."""
    rows = 0
    for statement in statements.split(";\n"):
        if statement.strip():
            count = connection.execute(text(statement), values).rowcount
            rows += count if re.match(r"\s*INSERT INTO (?!seed_)", statement) else 0
    return rows
