"""Large synthetic organizations, built inside the database by a few statements each, for benchmarks."""

from collections.abc import Iterator
from uuid import UUID, uuid4

from sqlalchemy import Connection, text

# Per member: 1 project, 5 project memberships, 20 tasks, 20 task memberships (data model, Volume assumptions).
PEOPLE = """
INSERT INTO organizations (organization_id, name, timezone, currency, features, data_retention_days)
VALUES (:organization_id, :name, 'Europe/Berlin', 'EUR',
        '{"screenshots": true, "app_tracking": true, "url_tracking": true, "clock_in_out": true,
          "invoicing": true, "payroll": true, "leave": true}',
        '{"screenshots": 180, "app_usage": 365, "url_usage": 365}');

INSERT INTO members (organization_id, user_id, membership_id, email, full_name, first_joined_at, joined_at, created_at,
                     updated_at)
SELECT :organization_id, pg_temp.seed_id('member', n), gen_random_uuid(), 'member' || n || '@example.com',
       'Member ' || n, made, made, made, made
FROM generate_series(1, :members) n, LATERAL (SELECT now() - interval '400 days' + n * interval '1 second' AS made) m;

INSERT INTO teams (organization_id, id, name, created_at, updated_at)
SELECT :organization_id, pg_temp.seed_id('team', n), 'Team ' || n, now() - interval '400 days', now()
FROM generate_series(1, :members / 20 + 1) n;

INSERT INTO team_members (organization_id, id, team_id, user_id, role)
SELECT :organization_id, gen_random_uuid(), pg_temp.seed_id('team', n % (:members / 20 + 1) + 1),
       pg_temp.seed_id('member', n), CASE WHEN n % 20 = 0 THEN 'lead' ELSE 'member' END
FROM generate_series(1, :members) n;
"""

WORK = """
INSERT INTO clients (organization_id, id, name, currency, created_at, updated_at)
SELECT :organization_id, pg_temp.seed_id('client', n), 'Client ' || n, 'EUR', now() - interval '390 days', now()
FROM generate_series(1, :members / 25 + 1) n;

INSERT INTO projects (organization_id, id, client_id, name, currency, billing_type, bill_rate, created_at, updated_at)
SELECT :organization_id, pg_temp.seed_id('project', n), pg_temp.seed_id('client', n % (:members / 25 + 1) + 1),
       'Project ' || n, 'EUR', 'hourly', 90, made, made
FROM generate_series(1, :members) n, LATERAL (SELECT now() - interval '380 days' + n * interval '1 second' AS made) m;

INSERT INTO project_members (organization_id, id, project_id, user_id, role, joined_at)
SELECT :organization_id, gen_random_uuid(), pg_temp.seed_id('project', (n + k * 37) % :members + 1),
       pg_temp.seed_id('member', n), CASE WHEN k = 0 THEN 'manager' ELSE 'member' END, now() - interval '300 days'
FROM generate_series(1, :members) n, generate_series(0, 4) k
ON CONFLICT DO NOTHING;

INSERT INTO tasks (organization_id, id, project_id, number, name, status, created_at, updated_at)
SELECT :organization_id, pg_temp.seed_id('task', n), pg_temp.seed_id('project', n % :members + 1), n / :members + 1,
       'Task ' || n, CASE WHEN n % 3 = 0 THEN 'completed' ELSE 'open' END, made, made
FROM generate_series(1, :members * 20) n,
     LATERAL (SELECT now() - interval '300 days' + n * interval '1 second' AS made) m;

INSERT INTO task_members (organization_id, id, task_id, user_id, assigned_at)
SELECT :organization_id, gen_random_uuid(), pg_temp.seed_id('task', n), pg_temp.seed_id('member', n % :members + 1),
       now() - interval '200 days'
FROM generate_series(1, :members * 20) n;
"""

# The same number always makes the same id, so that one statement can point at rows of another.
SEED_ID = """
CREATE FUNCTION pg_temp.seed_id(kind text, number bigint) RETURNS uuid
LANGUAGE sql IMMUTABLE AS $$ SELECT md5(kind || number)::uuid $$
"""


def seed(connection: Connection, *, organizations: int, members: int, days: int) -> Iterator[UUID]:
    """Add organizations of `members` members, and yield their ids. `days` of tracked time need tables of time."""
    connection.execute(text(SEED_ID))
    for number in range(organizations):
        organization_id = uuid4()
        connection.execute(
            text("SELECT set_config('app.organization_id', :organization_id, true)"),
            {"organization_id": str(organization_id)},
        )
        values = {"organization_id": organization_id, "name": f"Seed {number + 1}", "members": members}
        for statement in (*PEOPLE.split(";\n"), *WORK.split(";\n")):
            if statement.strip():
                connection.execute(text(statement), values)
        yield organization_id
    connection.execute(text("ANALYZE"))
