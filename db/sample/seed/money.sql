-- Money: an invoice per client and month for two years, and weekly pay for tracked time.
CREATE TEMP TABLE IF NOT EXISTS seed_lines
  (invoice_id uuid, client_id uuid, n int, ago int, position int, project_id uuid, hours int) ON COMMIT DROP;

TRUNCATE seed_lines;

INSERT INTO seed_lines
SELECT pg_temp.seed_id('invoice', n * 100 + ago), pg_temp.seed_id('client', n), n, ago, position, project_id,
       10 + (n + ago * 3 + position * 7) % 30
FROM generate_series(1, :members / 25 + 1) n
CROSS JOIN generate_series(0, 23) ago
CROSS JOIN LATERAL (
  SELECT row_number() OVER (ORDER BY created_at) AS position, id AS project_id FROM projects
  WHERE organization_id = :organization_id AND client_id = pg_temp.seed_id('client', n)
  ORDER BY position LIMIT 8) line;

INSERT INTO invoices
  (organization_id, id, number, client_id, status, currency, issue_date, due_date, period_start, period_end, subtotal,
   discount_type, discount_value, discount_amount, tax_amount, total, amount_paid, sent_at, viewed_at, paid_at,
   voided_at, created_at, updated_at)
SELECT :organization_id, invoice_id, 'INV-' || n || '-' || 24 - ago, client_id, status, 'EUR', issued, issued + 30,
       (issued - interval '1 month')::date, issued - 1, subtotal, CASE WHEN discount > 0 THEN 'percent' ELSE 'none' END,
       CASE WHEN discount > 0 THEN 10 END, discount, tax, total,
       CASE status WHEN 'paid' THEN total WHEN 'partially_paid' THEN trunc(total / 2) ELSE 0 END,
       CASE WHEN ago > 0 THEN made END, CASE WHEN ago > 1 THEN made + interval '2 days' END,
       CASE status WHEN 'paid' THEN made + interval '20 days' END,
       CASE status WHEN 'void' THEN made + interval '5 days' END, least(made, now()),
       least(made + interval '20 days', now())
FROM (
  SELECT invoice_id, client_id, n, ago, sum(hours) * 90 AS subtotal,
         (date_trunc('month', :today) - ago * interval '1 month')::date AS issued
  FROM seed_lines GROUP BY invoice_id, client_id, n, ago) invoice
CROSS JOIN LATERAL (
  SELECT issued + interval '9 hours' AS made, CASE WHEN ago % 6 = 5 THEN subtotal * 0.1 ELSE 0 END AS discount,
         CASE WHEN ago < 4 THEN (ARRAY['draft', 'sent', 'viewed', 'partially_paid'])[ago + 1]
              WHEN (n + ago) % 20 = 0 THEN 'void' ELSE 'paid' END AS status) stage
CROSS JOIN LATERAL (SELECT round((subtotal - discount) * 0.19, 2) AS tax) taxed
CROSS JOIN LATERAL (SELECT subtotal - discount + tax AS total) sums;

INSERT INTO invoice_lines
  (organization_id, id, invoice_id, position, kind, description, project_id, quantity, unit, duration_seconds,
   unit_price, amount, tax_percent)
SELECT :organization_id, gen_random_uuid(), invoice_id, position, 'time', 'Work on project ' || position, project_id,
       hours, 'hour', hours * 3600, 90, hours * 90, 19
FROM seed_lines ORDER BY invoice_id, position;

INSERT INTO invoice_taxes (organization_id, id, invoice_id, position, name, percent, amount)
SELECT :organization_id, gen_random_uuid(), id, 1, 'VAT', 19, tax_amount
FROM invoices WHERE organization_id = :organization_id;

-- Tracked time is the time of timesheets minus discarded and reassigned idle time; paid breaks are paid, too. Breaks lie
-- between timesheets, so they have no project. Payables have the time until yesterday: not that of a night shift after
-- midnight of today.
INSERT INTO payment_settings
  (organization_id, id, user_id, pay_type, pay_rate, bill_rate, currency, pay_period, requires_approval,
   payment_method, effective_from, effective_to)
SELECT :organization_id, gen_random_uuid(), pg_temp.seed_id('member', n), 'hourly', 20 + n % 20 + part * 2, 90, 'EUR',
       'weekly', true, 'bank_transfer', CASE part WHEN 0 THEN :today - 400 ELSE :today - 199 END,
       CASE part WHEN 0 THEN :today - 200 END
FROM generate_series(1, :members) n, generate_series(0, 1) part;

CREATE TEMP TABLE IF NOT EXISTS seed_paid
  (user_id uuid, week date, day date, project_id uuid, rate numeric, tracked bigint, seconds bigint, payable_id uuid,
   log_id uuid) ON COMMIT DROP;

TRUNCATE seed_paid;

INSERT INTO seed_paid
SELECT user_id, week, day, project_id, pay_rate, tracked, seconds, pg_temp.seed_id('payable' || user_id, week - :today),
       pg_temp.seed_id('payment' || user_id, week - :today)
FROM (
  SELECT user_id, day, project_id, coalesce(sum(seconds) FILTER (WHERE NOT is_break), 0) AS tracked,
         sum(seconds) AS seconds
  FROM (
    SELECT user_id, project_id, started_at, ended_at, 1 AS sign, false AS is_break
    FROM timesheets WHERE organization_id = :organization_id
    UNION ALL
    SELECT idle.user_id, project_id, idle.started_at, idle.ended_at, -1, false
    FROM idle_times idle JOIN timesheets sheet ON sheet.organization_id = :organization_id AND sheet.id = timesheet_id
    WHERE idle.organization_id = :organization_id AND action IN ('discarded', 'reassigned')
    UNION ALL
    SELECT user_id, NULL, started_at, ended_at, 1, true
    FROM break_times WHERE organization_id = :organization_id AND is_paid) span
  CROSS JOIN LATERAL generate_series(
    (started_at AT TIME ZONE 'Europe/Berlin')::date,
    (ended_at AT TIME ZONE 'Europe/Berlin' - interval '1 second')::date, interval '1 day') midnight
  CROSS JOIN LATERAL (
    SELECT midnight::date AS day, sign * extract(epoch FROM
      least(ended_at, (midnight::date + 1)::timestamp AT TIME ZONE 'Europe/Berlin')
      - greatest(started_at, midnight::date::timestamp AT TIME ZONE 'Europe/Berlin')) AS seconds) part
  WHERE day < :today
  GROUP BY user_id, day, project_id) worked
JOIN payment_settings setting USING (user_id)
CROSS JOIN LATERAL (SELECT date_trunc('week', day)::date AS week) monday
WHERE setting.organization_id = :organization_id AND effective_to IS NULL;

INSERT INTO payables
  (organization_id, id, user_id, kind, period_start, period_end, tracked_seconds, payable_seconds, rate, amount,
   amount_paid, currency, status, is_final, due_date, created_at, updated_at)
SELECT :organization_id, payable_id, user_id, 'hourly', week, week + 6, tracked, seconds, rate, amount,
       CASE WHEN is_paid THEN amount ELSE 0 END, 'EUR', CASE WHEN is_paid THEN 'paid' ELSE 'open' END, is_paid,
       week + 14, least(week + 7, :today, now()), least(week + 7, :today, now())
FROM (
  SELECT payable_id, user_id, week, rate, week + 14 <= :today AS is_paid, sum(tracked) AS tracked,
         sum(seconds) AS seconds, sum(round(seconds * rate / 3600, 2)) AS amount
  FROM seed_paid GROUP BY payable_id, user_id, week, rate) owed;

INSERT INTO hourly_payment_logs
  (organization_id, id, user_id, period_start, period_end, tracked_seconds, paid_seconds, hourly_rate, amount, currency,
   status, payment_method, paid_at, payable_id, created_at, updated_at)
SELECT :organization_id, log_id, user_id, week, week + 6, tracked, seconds, rate, amount, 'EUR', 'paid',
       'bank_transfer', week + 14, payable_id, week + 14, week + 14
FROM (
  SELECT log_id, payable_id, user_id, week, rate, sum(tracked) AS tracked, sum(seconds) AS seconds,
         sum(round(seconds * rate / 3600, 2)) AS amount
  FROM seed_paid WHERE week + 14 <= :today GROUP BY log_id, payable_id, user_id, week, rate) paid;

INSERT INTO hourly_payment_lines (organization_id, id, log_id, date, project_id, paid_seconds, rate, amount)
SELECT :organization_id, gen_random_uuid(), log_id, day, project_id, seconds, rate, round(seconds * rate / 3600, 2)
FROM seed_paid WHERE week + 14 <= :today
ORDER BY log_id, day;

INSERT INTO one_time_payment_logs
  (organization_id, id, user_id, type, amount, currency, description, payment_date, status, payment_method, paid_at,
   is_taxable, created_at, updated_at)
SELECT :organization_id, gen_random_uuid(), pg_temp.seed_id('member', n), type, amount, 'EUR', 'For month ' || ago,
       month::date, 'paid', 'bank_transfer', month, type <> 'reimbursement', month, month
FROM generate_series(1, :members) n
CROSS JOIN (VALUES (1, 'bonus', 500), (2, 'reimbursement', 49.90), (3, 'deduction', -25)) kind (ago, type, amount)
CROSS JOIN LATERAL (SELECT date_trunc('month', :today) - ago * interval '1 month' AS month) past;
