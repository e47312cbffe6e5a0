"""Data of the growth part: an organization of a million projects, and one of a hundred thousand members."""

from datetime import date

SMALL, LARGE, PEOPLE_FEW, PEOPLE_MANY = 1001, 1002, 1003, 1004

MANY = 1_000_000

BUSY = 100
"""Members with eight timesheets a working day: all of the small organization, and the first of the large one."""

MEMBERS = """
INSERT INTO members (organization_id, user_id, membership_id, email, full_name, first_joined_at, joined_at, created_at,
                     updated_at)
SELECT bench_id(0, {organization}, 0), bench_id(3, {organization}, n), bench_id(4, {organization}, n),
       'member' || n || '@example.com', 'Member ' || n, made, made, made, made
FROM generate_series(1, {count}) n,
     LATERAL (SELECT timestamptz '2024-01-01Z' + n * interval '1 second' AS made) m;
"""

# Foreign keys are not checked: the referenced rows exist, and a million look-ups take minutes.
# Members after the first BUSY have one timesheet a week, so that the tables and their indexes are large too.
WORKDAYS = """
SET LOCAL session_replication_role = replica;

INSERT INTO timesheets (organization_id, id, user_id, project_id, started_at, ended_at, tracked_until, input_seconds,
                        active_seconds)
SELECT organization_id, gen_random_uuid(), user_id, bench_id(2, {organization}, k % 8 + 1), at, at + interval '1 hour',
       at + interval '1 hour', 3600, 2400
FROM (SELECT organization_id, user_id, row_number() OVER (ORDER BY created_at) AS n FROM members
      WHERE organization_id = bench_id(0, {organization}, 0)) member,
     generate_series(date '{first}', date '{first}' + {days} - 1, interval '1 day') day,
     generate_series(0, 7) k,
     LATERAL (SELECT (day::date + time '07:00' + k * interval '1 hour') AT TIME ZONE 'UTC' AS at) moment
WHERE extract(isodow FROM day) < 6 AND (n <= {busy} OR k = 3 AND extract(isodow FROM day) = n % 5 + 1);
"""


def members(organization: int, count: int) -> str:
    """The statement that inserts the members of an organization."""
    return MEMBERS.format(organization=organization, count=count)


def workdays(organization: int, first: date, days: int) -> str:
    """The statements that insert the timesheets of an organization."""
    return WORKDAYS.format(organization=organization, first=first, days=days, busy=BUSY)
