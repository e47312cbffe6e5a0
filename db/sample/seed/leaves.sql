-- Leave: single days of the last year and the next sixty days, on weekdays on which the member does not work. One of ten
-- members decides for the ten.
INSERT INTO leave_types (organization_id, id, name, code, category, unit)
SELECT :organization_id, pg_temp.seed_id('leave type', n), name, upper(name), category, 'day'
FROM (VALUES (0, 'Vacation', 'vacation'), (1, 'Sick leave', 'sick'), (2, 'Unpaid leave', 'unpaid'))
  kind (n, name, category);

INSERT INTO leave_policies (organization_id, id, leave_type_id, name, entitlement, accrual_type)
SELECT :organization_id, pg_temp.seed_id('leave policy', n), pg_temp.seed_id('leave type', n), 'Policy ' || n,
       CASE WHEN n < 2 THEN 30 END, CASE WHEN n < 2 THEN 'upfront' ELSE 'none' END
FROM generate_series(0, 2) n;

INSERT INTO leave_periods (organization_id, id, name, start_date, end_date, status)
SELECT :organization_id, pg_temp.seed_id('leave period', year), year::text, make_date(year, 1, 1),
       make_date(year, 12, 31), (ARRAY['upcoming', 'open', 'closed'])[ago + 2]
FROM generate_series(-1, 1) ago, LATERAL (SELECT extract(year FROM :today)::int - ago AS year) y;

INSERT INTO leave_assignments (organization_id, id, user_id, leave_policy_id, effective_from, assigned_by_user_id)
SELECT :organization_id, gen_random_uuid(), pg_temp.seed_id('member', n), pg_temp.seed_id('leave policy', policy),
       :today - 400, pg_temp.seed_id('member', 1)
FROM generate_series(1, :members) n, generate_series(0, 1) policy;

INSERT INTO leave_applications
  (organization_id, id, user_id, leave_type_id, leave_policy_id, leave_period_id, status, start_date, end_date,
   start_day_part, end_day_part, timezone, amount, duration_seconds, is_paid, applied_at, reviewed_by_user_id,
   reviewed_at, cancelled_at, created_at, updated_at)
SELECT :organization_id, pg_temp.seed_id_at(asked, 'leave', n + greatest(-ago, 0) * :members),
       pg_temp.seed_id('member', n), pg_temp.seed_id('leave type', policy), pg_temp.seed_id('leave policy', policy),
       pg_temp.seed_id('leave period', extract(year FROM day)::int), status, day, day, part, part, 'Europe/Berlin',
       amount, amount * 28800, true, asked,
       CASE WHEN status IN ('approved', 'rejected') THEN pg_temp.seed_id('member', (n - 1) / 10 * 10 + 1) END,
       CASE WHEN status IN ('approved', 'rejected') THEN asked + interval '1 day' END,
       CASE status WHEN 'cancelled' THEN asked + interval '1 day' END, asked, asked + interval '1 day'
FROM generate_series(1, :members) n
CROSS JOIN generate_series(-60, 365) ago
CROSS JOIN LATERAL (SELECT :today - ago AS day) d
CROSS JOIN LATERAL (
  SELECT least(day, :today) - 7 + n * interval '1 minute' AS asked,
         CASE WHEN (n + ago) % 4 = 0 THEN 1 ELSE 0 END AS policy,
         CASE WHEN (n + ago) % 7 = 0 THEN 'first_half' ELSE 'full' END AS part,
         CASE WHEN (n + ago) % 7 = 0 THEN 0.5 ELSE 1 END AS amount,
         -- Not of n + ago: on the days on which a member does not work, its last digit depends on today.
         CASE abs(n * 3 + ago) % 20 WHEN 0 THEN 'pending' WHEN 1 THEN 'rejected' WHEN 2 THEN 'cancelled'
           ELSE 'approved' END AS status) wish
WHERE ago <> 0 AND pg_temp.seed_is_workday(day) AND NOT pg_temp.seed_is_at_work(n, day) AND (n + ago) % 9 = 0;

INSERT INTO leave_application_days (organization_id, id, leave_application_id, date, amount, duration_seconds)
SELECT :organization_id, gen_random_uuid(), id, start_date, amount, duration_seconds
FROM leave_applications WHERE organization_id = :organization_id;

INSERT INTO leave_balances
  (organization_id, id, user_id, leave_policy_id, leave_period_id, entitled, accrued, used, pending, as_of)
SELECT :organization_id, gen_random_uuid(), pg_temp.seed_id('member', n), pg_temp.seed_id('leave policy', policy),
       period.id, 30, CASE status WHEN 'upcoming' THEN 0 ELSE 30 END, coalesce(used, 0), coalesce(pending, 0),
       least(:today, end_date)
FROM generate_series(1, :members) n
CROSS JOIN generate_series(0, 1) policy
CROSS JOIN leave_periods period
LEFT JOIN (
  SELECT user_id, leave_policy_id, leave_period_id, sum(amount) FILTER (WHERE status = 'approved') AS used,
         sum(amount) FILTER (WHERE status = 'pending') AS pending
  FROM leave_applications WHERE organization_id = :organization_id
  GROUP BY user_id, leave_policy_id, leave_period_id) taken
  ON user_id = pg_temp.seed_id('member', n) AND leave_policy_id = pg_temp.seed_id('leave policy', policy)
    AND leave_period_id = period.id
WHERE period.organization_id = :organization_id;
