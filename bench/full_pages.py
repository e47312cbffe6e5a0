"""Rows that fill the largest page of every list of a seeded organization, also of lists under one parent.

An organization of `orgdata seed` has a team for each twenty members, five projects for each member, and so on, so that
most lists under a parent are short.
"""

from collections.abc import Mapping
from uuid import UUID

# Statements are formatted with the ids of the parents. Rows that are copied get new ids and other days.
STATEMENTS = """
INSERT INTO teams (organization_id, id, name)
SELECT '{organization_id}', gen_random_uuid(), 'Large ' || n FROM generate_series(1, 100) n;

INSERT INTO clients (organization_id, id, name, currency)
SELECT '{organization_id}', gen_random_uuid(), 'Large ' || n, 'EUR' FROM generate_series(1, 100) n;

UPDATE projects SET client_id = '{client_id}' WHERE organization_id = '{organization_id}';

INSERT INTO team_members (organization_id, id, team_id, user_id)
SELECT '{organization_id}', gen_random_uuid(), '{team_id}', user_id FROM members
WHERE organization_id = '{organization_id}'
ON CONFLICT DO NOTHING;

INSERT INTO project_members (organization_id, id, project_id, user_id, joined_at)
SELECT '{organization_id}', gen_random_uuid(), '{project_id}', user_id, now() FROM members
WHERE organization_id = '{organization_id}'
ON CONFLICT DO NOTHING;

INSERT INTO project_members (organization_id, id, project_id, user_id, joined_at)
SELECT '{organization_id}', gen_random_uuid(), id, '{user_id}', now() FROM projects
WHERE organization_id = '{organization_id}'
ON CONFLICT DO NOTHING;

INSERT INTO tasks (organization_id, id, project_id, number, name)
SELECT '{organization_id}', gen_random_uuid(), '{project_id}', 1000 + n, 'Large ' || n FROM generate_series(1, 100) n;

INSERT INTO task_members (organization_id, id, task_id, user_id, assigned_at)
SELECT '{organization_id}', gen_random_uuid(), '{task_id}', user_id, now() FROM members
WHERE organization_id = '{organization_id}'
ON CONFLICT DO NOTHING;

INSERT INTO hourly_payment_logs (organization_id, id, user_id, period_start, period_end, tracked_seconds, paid_seconds,
                                 hourly_rate, amount, currency, status, payment_method, paid_at)
SELECT '{organization_id}', gen_random_uuid(), '{user_id}', monday, monday + 6, 144000, 144000, 20, 800, 'EUR', 'paid',
       'bank_transfer', monday + 14
FROM generate_series(1, 100) n, LATERAL (SELECT date '2024-01-01' - 7 * n AS monday) week;

INSERT INTO hourly_payment_lines (organization_id, id, log_id, date, project_id, paid_seconds, rate, amount)
SELECT '{organization_id}', gen_random_uuid(), id, period_start + n, '{project_id}', 28800, 20, 160
FROM hourly_payment_logs, generate_series(0, 4) n
WHERE organization_id = '{organization_id}' AND user_id = '{user_id}' AND period_start < '2024-01-01';

INSERT INTO one_time_payment_logs (organization_id, id, user_id, type, amount, currency, payment_date)
SELECT '{organization_id}', gen_random_uuid(), '{user_id}', 'bonus', 100, 'EUR', date '2024-01-01' - n
FROM generate_series(1, 100) n;

INSERT INTO payables (organization_id, id, user_id, kind, period_start, period_end, tracked_seconds, payable_seconds,
                      rate, amount, currency)
SELECT '{organization_id}', gen_random_uuid(), '{user_id}', 'hourly', monday, monday + 6, 144000, 144000, 20, 800, 'EUR'
FROM generate_series(1, 100) n, LATERAL (SELECT date '2024-01-01' - 7 * n AS monday) week;

INSERT INTO suspicious_activity_logs (organization_id, id, user_id, type, severity, started_at, ended_at, evidence)
SELECT '{organization_id}', gen_random_uuid(), '{user_id}', 'mouse_jiggler', 'low', at, at + interval '15 minutes',
       '{{"keyboard_seconds": 12, "mouse_seconds": 840, "active_seconds": 850, "tracked_seconds": 900,
          "app_names": ["App 1"], "screenshot_ids": []}}'
FROM generate_series(1, 100) n,
     LATERAL (SELECT date '{end_date}' + time '12:00' - n * interval '20 minutes' AS at) moment;

INSERT INTO leave_types (organization_id, id, name, category, unit)
SELECT '{organization_id}', gen_random_uuid(), 'Large ' || n, 'other', 'day' FROM generate_series(1, 100) n;

INSERT INTO leave_policies (organization_id, id, leave_type_id, name, accrual_type)
SELECT '{organization_id}', gen_random_uuid(), id, name, 'none' FROM leave_types
WHERE organization_id = '{organization_id}' AND name LIKE 'Large %';

INSERT INTO leave_periods (organization_id, id, name, start_date, end_date, status)
SELECT '{organization_id}', gen_random_uuid(), year::text, make_date(year, 1, 1), make_date(year, 12, 31), 'closed'
FROM generate_series(1901, 2000) year;
"""


def full_pages(organization: UUID, values: Mapping[str, str]) -> str:
    """The statements, for the parents that the values of parameters name."""
    return STATEMENTS.format(**{**values, "organization_id": organization})
