-- Time of a day: on each weekday seven of ten members work eight and a half hours, in eight timesheets. One of twenty
-- members works in the night before, so that some timesheets cross midnight, and none reaches into the future.
--
-- `number` counts the shifts of a day, so that its last digit selects a tenth of them.
TRUNCATE seed_shifts;

INSERT INTO seed_shifts
SELECT (:day - date '2000-01-01')::bigint * :members + row_number() OVER (ORDER BY n) - 1, n,
       pg_temp.seed_id('member', n),
       CASE WHEN n % 20 = 0 THEN :day - 1 + time '18:00' ELSE :day + time '08:00' + n % 5 * interval '15 minutes' END
         AT TIME ZONE 'Europe/Berlin'
FROM generate_series(1, :members) n
WHERE pg_temp.seed_is_workday(:day) AND pg_temp.seed_is_at_work(n, :day);

INSERT INTO clock_records
  (organization_id, id, user_id, clock_in_at, clock_out_at, status, clock_out_source, scheduled_start_at,
   scheduled_end_at, created_at, updated_at)
SELECT :organization_id, pg_temp.seed_id_at(at, 'clock record', number * 10 + part), user_id, at, until, 'closed',
       'web', scheduled_at, scheduled_at + interval '555 minutes', at, until
FROM seed_shifts
CROSS JOIN (VALUES (1, 0, 37), (2, 40, 45)) part (part, first, last)
CROSS JOIN LATERAL (SELECT begins_at + first * interval '15 minutes' AS at,
                           begins_at + last * interval '15 minutes' AS until) span
CROSS JOIN LATERAL (SELECT CASE part WHEN 1 THEN at - n % 5 * interval '15 minutes' END AS scheduled_at) schedule
WHERE part = 1 OR number % 10 < 1;

INSERT INTO break_times
  (organization_id, id, user_id, started_at, ended_at, clock_record_id, is_paid, created_at, updated_at)
SELECT :organization_id, pg_temp.seed_id_at(at, 'break', number), user_id, at, at + interval '40 minutes',
       pg_temp.seed_id_at(begins_at, 'clock record', number * 10 + 1), n % 4 = 0, at, at + interval '40 minutes'
FROM seed_shifts CROSS JOIN LATERAL (SELECT begins_at + interval '257 minutes' AS at) lunch;

-- A shift has 17 slots of work, three of lunch and 17 of work. One tenth of the shifts has an hour in the evening that
-- was added by hand, another a request for it that is not approved, a third an edited end.
TRUNCATE seed_sheets, seed_slots;

INSERT INTO seed_sheets
SELECT pg_temp.seed_id_at(started_at, 'sheet', number * 10 + k), number, n, k, first, user_id,
       pg_temp.seed_id('project', project),
       CASE WHEN k % 4 > 0 THEN pg_temp.seed_id('task', project - 1 + (1 + (n + k) % 19) * :members) END,
       CASE WHEN k = 9 AND number % 10 = 0 OR k = 8 AND number % 10 = 2 THEN 'approved'
            WHEN k = 9 THEN (ARRAY['pending', 'rejected', 'cancelled'])[number / 10 % 3 + 1] END,
       first_slot_at, slots, started_at, first_slot_at + slots * interval '15 minutes'
FROM seed_shifts
CROSS JOIN (VALUES (1, 0, 5), (2, 5, 4), (3, 9, 4), (4, 13, 4), (5, 20, 5), (6, 25, 4), (7, 29, 4), (8, 33, 4),
                   (9, 41, 4)) part (k, first, slots)
CROSS JOIN LATERAL (SELECT begins_at + first * interval '15 minutes' AS first_slot_at,
                           (n + k % 5 * 37) % :members + 1 AS project) begin
CROSS JOIN LATERAL (SELECT first_slot_at + (n + k) % 7 * interval '1 minute' AS started_at) start
WHERE k <= 8 OR number % 10 < 2;

INSERT INTO seed_slots
SELECT id, user_id, project_id, task_id, n, s, slot_at, greatest(slot_at, started_at), input_seconds,
       input_seconds * (40 + (n * 3 + s * 7) % 50) / 100
FROM seed_sheets
CROSS JOIN LATERAL generate_series(0, slots - 1) slot
CROSS JOIN LATERAL (
  SELECT first_slot_at + slot * interval '15 minutes' AS slot_at, first - k / 5 * 3 + slot AS s,
         CASE WHEN slot = 0 THEN 900 - (n + k) % 7 * 60 WHEN slot = 2 AND k % 2 = 0 THEN 300 ELSE 900 END
           AS input_seconds) part
WHERE k <= 8
ORDER BY user_id, slot_at;

INSERT INTO timesheets
  (organization_id, id, user_id, project_id, task_id, started_at, ended_at, tracked_until, kind, source, is_billable,
   input_seconds, active_seconds, keyboard_seconds, mouse_seconds, created_at, updated_at)
SELECT :organization_id, id, user_id, project_id, task_id, started_at, ended_at, ended_at,
       CASE k WHEN 9 THEN 'manual' ELSE 'automatic' END, CASE k WHEN 9 THEN 'web' ELSE 'desktop' END, k % 3 > 0,
       coalesce(input, 0), coalesce(active, 0), coalesce(keyboard, 0), coalesce(mouse, 0), started_at, ended_at
FROM seed_sheets
LEFT JOIN (
  SELECT timesheet_id, sum(input_seconds) AS input, sum(active_seconds) AS active,
         sum(active_seconds * 6 / 10) AS keyboard, sum(active_seconds * 7 / 10) AS mouse
  FROM seed_slots GROUP BY timesheet_id) counted ON timesheet_id = id
WHERE k <= 8 OR request = 'approved'
ORDER BY user_id, started_at;

INSERT INTO activity_slots
  (organization_id, user_id, slot_at, timesheet_id, input_seconds, active_seconds, keyboard_seconds, mouse_seconds,
   created_at, updated_at)
SELECT :organization_id, user_id, slot_at, timesheet_id, input_seconds, active_seconds, active_seconds * 6 / 10,
       active_seconds * 7 / 10, slot_at, slot_at + interval '15 minutes'
FROM seed_slots;

INSERT INTO idle_times
  (organization_id, id, timesheet_id, user_id, started_at, ended_at, action, reason, created_at, updated_at)
SELECT :organization_id, pg_temp.seed_id_at(at, 'idle', number * 10 + k), id, user_id, at, at + interval '10 minutes',
       action, CASE WHEN action = 'kept' THEN 'On the phone' END, at, at + interval '15 minutes'
FROM seed_sheets
CROSS JOIN LATERAL (
  SELECT first_slot_at + interval '32 minutes' AS at,
         (ARRAY['kept', 'discarded', 'discarded', 'discarded', 'pending'])[(number + k) % 5 + 1] AS action) idle
WHERE k IN (2, 4, 6, 8)
ORDER BY user_id, started_at;

INSERT INTO manual_requests
  (organization_id, id, user_id, project_id, task_id, started_at, ended_at, action, original_started_at,
   original_ended_at, original_project_id, is_billable, reason, status, requested_by_user_id, requested_at,
   reviewed_by_user_id, reviewed_at, timesheet_id, created_at, updated_at)
SELECT :organization_id, pg_temp.seed_id_at(started_at, 'manual request', number), user_id, project_id, task_id,
       started_at, ended_at, CASE k WHEN 8 THEN 'edited' ELSE 'added' END, CASE k WHEN 8 THEN started_at END,
       CASE k WHEN 8 THEN ended_at - interval '15 minutes' END, CASE k WHEN 8 THEN project_id END, k % 3 > 0,
       'Forgot to track', request, user_id, ended_at, CASE WHEN is_reviewed THEN pg_temp.seed_id('member', 1) END,
       CASE WHEN is_reviewed THEN ended_at + interval '1 hour' END, CASE request WHEN 'approved' THEN id END,
       ended_at, ended_at + interval '1 hour'
FROM seed_sheets CROSS JOIN LATERAL (SELECT request IN ('approved', 'rejected') AS is_reviewed) review
WHERE request IS NOT NULL;
