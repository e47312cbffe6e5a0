-- Rules that the rows of the demo keep when they are moved, cut and limited: each begins with its fault, which its
-- statement finds. Constraints and orgdata doctor check others, and what the files say is moved as
-- test_data_files.py compares it. The parameters: now, the moment of the demo; zone, the organization's time zone.

-- the use of an app lies outside its slot, or exceeds it:
SELECT FROM app_usages u JOIN timesheets s ON s.id = u.timesheet_id
LEFT JOIN activity_slots a USING (timesheet_id, slot_at)
WHERE (u.user_id, u.deleted_at) IS DISTINCT FROM (a.user_id, a.deleted_at) OR u.first_at < greatest(slot_at, started_at)
  OR u.last_at > least(slot_at + interval '15 minutes', tracked_until)
  OR duration_seconds > extract(epoch FROM u.last_at - u.first_at)
UNION ALL SELECT FROM app_usages u JOIN activity_slots a USING (timesheet_id, slot_at)
GROUP BY timesheet_id, slot_at, a.input_seconds HAVING sum(duration_seconds) > a.input_seconds;

-- the use of a page lies outside its slot, or exceeds it:
SELECT FROM url_usages u JOIN timesheets s ON s.id = u.timesheet_id
LEFT JOIN activity_slots a USING (timesheet_id, slot_at)
WHERE (u.user_id, u.deleted_at) IS DISTINCT FROM (a.user_id, a.deleted_at) OR u.first_at < greatest(slot_at, started_at)
  OR u.last_at > least(slot_at + interval '15 minutes', tracked_until)
  OR duration_seconds > extract(epoch FROM u.last_at - u.first_at)
UNION ALL SELECT FROM url_usages u JOIN activity_slots a USING (timesheet_id, slot_at)
GROUP BY timesheet_id, slot_at, a.input_seconds HAVING sum(duration_seconds) > a.input_seconds;

-- a screenshot is not as its timesheet, or not as its status:
SELECT FROM screenshots c LEFT JOIN timesheets s ON s.id = timesheet_id
LEFT JOIN projects p ON p.id = c.project_id
WHERE (s.started_at <= captured_at AND captured_at < tracked_until AND captured_at < :now) IS NOT TRUE
  OR (c.user_id, c.project_id, c.task_id) IS DISTINCT FROM (s.user_id, s.project_id, s.task_id)
  OR s.deleted_at IS NOT NULL OR p.screenshots_enabled IS NOT TRUE
  OR (c.status = 'available') <> (object_key IS NOT NULL) OR (object_key IS NULL) <> (thumbnail_key IS NULL)
  OR (c.status = 'deleted') <> (deleted_by_user_id IS NOT NULL)
UNION ALL SELECT FROM screenshots GROUP BY object_key HAVING object_key IS NOT NULL AND count(*) > 1;

-- an application for leave is not the sum of its days:
SELECT FROM leave_applications l JOIN leave_policies y ON y.id = leave_policy_id
JOIN leave_periods p ON p.id = leave_period_id LEFT JOIN (
    SELECT leave_application_id AS id, sum(amount) AS amount, sum(duration_seconds) AS seconds,
           min(date) AS first, max(date) AS last, bool_or(extract(isodow FROM date) > 5) AS at_weekend,
           count(*) > count(DISTINCT date) AS is_twice, bool_or(is_holiday AND amount > 0) AS on_holiday
    FROM leave_application_days GROUP BY 1) d ON d.id = l.id
WHERE (l.amount, l.duration_seconds, l.start_date) IS DISTINCT FROM (d.amount, d.seconds, d.first)
  OR l.amount <= 0 OR at_weekend OR is_twice OR last > l.end_date OR (on_holiday AND started_at IS NULL)
  OR y.leave_type_id <> l.leave_type_id OR l.start_date NOT BETWEEN p.start_date AND p.end_date
  OR extract(epoch FROM ended_at - started_at) <> l.duration_seconds
  OR (started_at AT TIME ZONE timezone)::date <> l.start_date;

-- a balance is not what its applications leave:
WITH periods AS (SELECT *, row_number() OVER (ORDER BY start_date) AS n FROM leave_periods),
spent AS (SELECT l.user_id, l.leave_policy_id, p.id AS leave_period_id,
                 coalesce(sum(d.amount) FILTER (WHERE l.status = 'approved'), 0) AS used,
                 coalesce(sum(d.amount) FILTER (WHERE l.status = 'pending'), 0) AS pending
          FROM leave_application_days d JOIN leave_applications l ON l.id = leave_application_id
          JOIN leave_periods p ON d.date BETWEEN p.start_date AND p.end_date GROUP BY 1, 2, 3)
SELECT FROM leave_balances b JOIN periods p ON p.id = leave_period_id
LEFT JOIN spent s USING (user_id, leave_policy_id, leave_period_id)
CROSS JOIN LATERAL (SELECT accrued + carried_over + adjusted - b.used - b.pending - expired AS available) a
LEFT JOIN (leave_balances c JOIN periods q ON q.id = c.leave_period_id)
  ON c.user_id = b.user_id AND c.leave_policy_id = b.leave_policy_id AND q.n = p.n + 1 AND p.end_date < :now
WHERE (b.used, b.pending) <> (coalesce(s.used, 0), coalesce(s.pending, 0)) OR available < 0
  OR least(b.entitled, b.accrued, b.carried_over, b.used, b.pending, b.expired) < 0
  OR c.carried_over <> available OR c.carried_over > 5
  OR (b.as_of > (:now AT TIME ZONE 'UTC')::date AND p.start_date <= :now);

-- the times or the paid amount of an invoice are not as its status:
SELECT FROM invoices WHERE (sent_at IS NULL) <> (status = 'draft') OR (sent_at IS NULL) <> (public_url IS NULL)
  OR (viewed_at IS NULL) <> (status IN ('draft', 'sent')) OR (paid_at IS NOT NULL) <> (status = 'paid')
  OR (voided_at IS NOT NULL) <> (status = 'void') OR (amount_paid >= total) <> (status = 'paid')
  OR (0 < amount_paid AND amount_paid < total) <> (status = 'partially_paid')
  OR sent_at > viewed_at OR greatest(sent_at, viewed_at) > paid_at OR greatest(sent_at, viewed_at) > voided_at
  OR greatest(sent_at, viewed_at, paid_at, voided_at) > :now
  OR NOT (period_start <= period_end AND period_end < issue_date)
  OR issue_date <> (created_at AT TIME ZONE 'UTC')::date;

-- a payment by the hour is not the sum of its lines, or not rounded once:
SELECT FROM hourly_payment_logs g LEFT JOIN payables p ON p.id = payable_id LEFT JOIN (
    SELECT log_id, sum(l.amount) AS amount, sum(l.paid_seconds) AS paid, min(date) AS first, max(date) AS last,
           coalesce(sum(l.paid_seconds) FILTER (WHERE rate <> hourly_rate), 0) AS overtime,
           bool_or(rate NOT IN (hourly_rate, coalesce(overtime_rate, hourly_rate))) AS at_other_rate,
           round(sum(l.paid_seconds * rate) / 3600, 2) AS exact,
           bool_or(abs(l.amount - l.paid_seconds * rate / 3600) >= 0.01) AS is_wrong
    FROM hourly_payment_lines l JOIN hourly_payment_logs g ON g.id = log_id GROUP BY 1) l ON log_id = g.id
WHERE (g.amount, g.amount, g.paid_seconds, g.overtime_seconds, g.tracked_seconds, g.user_id)
      IS DISTINCT FROM (coalesce(l.amount, 0), coalesce(l.exact, 0), coalesce(l.paid, 0), coalesce(l.overtime, 0), p.tracked_seconds,
                        p.user_id)
  OR at_other_rate OR is_wrong OR g.paid_seconds > p.payable_seconds OR first < g.period_start
  OR last > g.period_end OR g.paid_at > :now
  OR (g.paid_at IS NOT NULL) <> (g.status IN ('paid', 'refunded'));

-- the payable of a week is not its paid time, which is locked once it is approved:
-- Who is at work now may have begun before the week ended, and has not been paid for that.
WITH worked AS (SELECT user_id, range_agg(tstzrange(started_at, tracked_until)) AS spans,
                       range_agg(tstzrange(started_at, tracked_until)) FILTER (WHERE is_locked) AS locked FROM timesheets
                WHERE deleted_at IS NULL AND started_at < :now - interval '4 hours' GROUP BY 1),
idle AS (SELECT user_id, range_agg(tstzrange(started_at, ended_at)) AS spans FROM idle_times
         WHERE deleted_at IS NULL AND action IN ('discarded', 'reassigned') GROUP BY 1),
rests AS (SELECT user_id, range_agg(tstzrange(started_at, ended_at)) AS spans,
                 range_agg(tstzrange(started_at, ended_at)) FILTER (WHERE NOT is_paid) AS unpaid
          FROM break_times WHERE deleted_at IS NULL AND ended_at IS NOT NULL GROUP BY 1),
-- In one multirange each: the week, and the four kinds of time of the person.
spans AS (
    SELECT p.tracked_seconds, p.payable_seconds,
           tstzmultirange(tstzrange(p.period_start::timestamp AT TIME ZONE :zone,
                                    (p.period_end + 1)::timestamp AT TIME ZONE :zone)) AS week,
           coalesce(w.spans, '{}') AS worked,
           coalesce(CASE p.status WHEN 'open' THEN w.spans ELSE w.locked END, '{}') AS payable, coalesce(i.spans, '{}') AS idle,
           coalesce(r.spans, '{}') AS rest, coalesce(r.unpaid, '{}') AS unpaid
    FROM payables p LEFT JOIN worked w USING (user_id) LEFT JOIN rests r USING (user_id)
    LEFT JOIN idle i USING (user_id) WHERE kind = 'hourly')
SELECT FROM spans
CROSS JOIN LATERAL (SELECT coalesce(sum(upper(t) - lower(t)), '0') AS tracked
                    FROM unnest(worked * week - rest - idle) t) tracked
CROSS JOIN LATERAL (SELECT coalesce(sum(upper(t) - lower(t)), '0') AS work
                    FROM unnest(payable * week - rest - idle) t) work
CROSS JOIN LATERAL (SELECT coalesce(sum(upper(t) - lower(t)), '0') AS paid FROM unnest((rest - unpaid) * week) t) paid
WHERE tracked_seconds <> extract(epoch FROM tracked) OR payable_seconds <> extract(epoch FROM work + paid);

-- the payable of leave is not its days in the week, or the amount of a payable not its pay rounded once:
WITH days AS (SELECT p.id, sum(d.duration_seconds) AS seconds
              FROM payables p JOIN leave_applications l ON l.id = source_id AND l.user_id = p.user_id AND l.is_paid
                AND l.status = 'approved'
              JOIN leave_application_days d ON d.leave_application_id = l.id AND date BETWEEN period_start AND period_end
              WHERE kind = 'leave' GROUP BY 1),
-- Overtime is above the threshold of the week: everybody's settings in the demo hold for whole weeks.
owed AS (SELECT p.*, s.pay_rate, CASE WHEN kind = 'hourly' AND overtime_enabled
                                      THEN greatest(0, payable_seconds - overtime_weekly_threshold_seconds) ELSE 0 END
                                 * (coalesce(overtime_multiplier, 1) - 1) AS premium
         FROM payables p LEFT JOIN payment_settings s ON s.user_id = p.user_id AND pay_type = 'hourly'
           AND effective_from <= period_start AND coalesce(effective_to, period_end) >= period_end
         WHERE kind IN ('hourly', 'leave'))
SELECT FROM owed LEFT JOIN days USING (id)
WHERE (kind = 'leave' AND payable_seconds IS DISTINCT FROM seconds)
  OR (rate, amount) IS DISTINCT FROM (pay_rate, round((payable_seconds + premium) * pay_rate / 3600, 2));

-- managers are not active, or do not lead to the owner:
WITH RECURSIVE above AS (
    SELECT user_id AS of, user_id, manager_user_id, role, employment_type, 0 AS steps FROM members
    UNION ALL SELECT above.of, m.user_id, m.manager_user_id, m.role, m.employment_type, steps + 1
    FROM above JOIN members m ON m.user_id = above.manager_user_id AND m.status = 'active' WHERE steps < 50)
SELECT FROM members LEFT JOIN above ON of = members.user_id AND above.manager_user_id IS NULL
  AND (above.role = 'owner' OR above.employment_type = 'other') WHERE of IS NULL
UNION ALL SELECT FROM members WHERE role = 'owner' HAVING count(*) <> 1;

-- names, codes or addresses are not unique and reserved:
SELECT FROM members WHERE email !~ '^[ -~]+@example[.](com|org)$'
UNION ALL SELECT FROM members WHERE email IS NOT NULL
HAVING count(*) > count(DISTINCT email) OR count(*) > count(DISTINCT full_name)
UNION ALL SELECT FROM teams HAVING count(*) > count(DISTINCT name)
UNION ALL SELECT FROM clients HAVING count(*) > count(DISTINCT name)
UNION ALL SELECT FROM projects HAVING count(*) > count(DISTINCT code)
UNION ALL SELECT FROM clients, unnest(invoice_emails || email) e WHERE e NOT LIKE '%@example.org'
UNION ALL SELECT FROM domains WHERE name NOT LIKE '%.example';

-- a task is not as its status and project:
SELECT FROM tasks t JOIN projects p ON p.id = project_id
WHERE p.created_at >= t.created_at OR (t.status = 'completed') <> (t.completed_at IS NOT NULL)
  OR t.created_at >= t.completed_at OR t.completed_at > p.completed_at OR t.created_at >= p.completed_at
  OR (p.completed_at IS NOT NULL AND t.status NOT IN ('completed', 'archived'))
  OR (p.deleted_at IS NOT NULL AND t.deleted_at IS DISTINCT FROM p.deleted_at)
  OR t.start_date NOT BETWEEN (t.created_at AT TIME ZONE 'UTC')::date AND (:now AT TIME ZONE 'UTC')::date
  OR (t.created_at AT TIME ZONE 'UTC')::date >= t.due_date
UNION ALL SELECT FROM projects p LEFT JOIN tasks t ON project_id = p.id GROUP BY p.id
HAVING count(DISTINCT number) <> count(*) OR min(number) IS DISTINCT FROM 1 OR max(number) <> count(*);

-- a person on a task is not on its project:
WITH known AS (SELECT r.* FROM project_members r JOIN projects p ON p.id = project_id
               JOIN members m USING (user_id)
               WHERE r.deleted_at IS NOT DISTINCT FROM p.deleted_at OR r.deleted_at = m.removed_at)
SELECT FROM task_members x JOIN tasks t ON t.id = task_id
LEFT JOIN known r ON r.project_id = t.project_id AND r.user_id = x.user_id
WHERE t.created_at > x.created_at OR (r.joined_at <= assigned_at) IS NOT TRUE OR assigned_at >= r.removed_at
  OR (x.deleted_at IS NULL AND t.status IN ('open', 'in_progress') AND r.removed_at IS NOT NULL)
  OR (x.role = 'assignee' AND r.role = 'viewer')
  OR (t.deleted_at IS NOT NULL AND (x.deleted_at <= t.deleted_at) IS NOT TRUE)
UNION ALL SELECT FROM tasks t LEFT JOIN known r ON r.project_id = t.project_id AND user_id = created_by_user_id
WHERE created_by_user_id IS NOT NULL AND (r.joined_at <= t.created_at) IS NOT TRUE;

-- a timesheet is not of the past, or its person is not tracked:
SELECT FROM timesheets s JOIN members m USING (user_id)
WHERE NOT is_tracking_enabled OR (m.joined_at <= started_at) IS NOT TRUE OR tracked_until > :now
  OR ended_at <> tracked_until OR tracked_until > removed_at;

-- a timesheet is not of a live membership of its project and task:
SELECT FROM timesheets s LEFT JOIN projects p ON p.id = project_id LEFT JOIN tasks t ON t.id = task_id
LEFT JOIN project_members r ON r.project_id = s.project_id AND r.user_id = s.user_id AND r.deleted_at IS NULL
LEFT JOIN task_members x ON x.task_id = s.task_id AND x.user_id = s.user_id AND x.deleted_at IS NULL
WHERE CASE WHEN s.project_id IS NULL THEN s.task_id IS NOT NULL OR s.is_billable
  ELSE p.deleted_at IS NOT NULL OR tracked_until > least(p.completed_at, r.removed_at, t.completed_at)
    OR (r.role <> 'viewer' AND r.joined_at <= started_at) IS NOT TRUE
    OR s.is_billable <> (p.is_billable AND coalesce(t.is_billable, p.is_billable)) END
  OR (s.task_id IS NOT NULL AND
      (t.project_id = s.project_id AND x.role = 'assignee' AND assigned_at <= started_at) IS NOT TRUE);

-- a week that is not paid is locked:
SELECT FROM timesheets GROUP BY organization_id
HAVING max(tracked_until) FILTER (WHERE is_locked)
    >= least(min(tracked_until) FILTER (WHERE NOT is_locked) + interval '1 day', :now - interval '6 days');

-- slots are not as their timesheet:
SELECT FROM activity_slots a JOIN timesheets s ON s.id = timesheet_id
WHERE a.input_seconds > extract(epoch FROM least(slot_at + interval '15 minutes', tracked_until)
                                           - greatest(slot_at, started_at))
  OR NOT a.active_seconds BETWEEN greatest(a.keyboard_seconds, a.mouse_seconds)
                              AND a.keyboard_seconds + a.mouse_seconds
  OR (a.user_id, a.deleted_at) IS DISTINCT FROM (s.user_id, s.deleted_at)
UNION ALL SELECT FROM timesheets s LEFT JOIN activity_slots a ON timesheet_id = s.id WHERE kind = 'automatic'
GROUP BY s.organization_id, s.id HAVING (s.input_seconds, s.active_seconds, s.keyboard_seconds, s.mouse_seconds)
  <> (sum(a.input_seconds), sum(a.active_seconds), sum(a.keyboard_seconds), sum(a.mouse_seconds)) AND count(a.*) > 0
  OR (count(a.*) = 0 AND s.input_seconds > 0);

-- a clock record or break is not as its status, or not of the past:
SELECT FROM clock_records WHERE (clock_out_at IS NULL) <> (clock_out_source IS NULL)
  OR (status = 'auto_closed') <> (auto_clock_out_reason IS NOT NULL)
  OR is_edited <> (edited_by_user_id IS NOT NULL) OR greatest(clock_in_at, clock_out_at) > :now
  OR clock_out_at - clock_in_at > interval '24 hours'
UNION ALL SELECT FROM break_times b LEFT JOIN clock_records c ON c.id = clock_record_id
WHERE greatest(started_at, ended_at) > :now OR c.user_id <> b.user_id OR clock_in_at >= started_at
  OR (clock_out_at IS NOT NULL AND (ended_at < clock_out_at) IS NOT TRUE);

-- a request for time is not as its review and timesheet:
SELECT FROM manual_requests r JOIN members m USING (user_id) LEFT JOIN timesheets s ON s.id = timesheet_id
WHERE requested_by_user_id NOT IN (r.user_id, manager_user_id)
  OR (r.status IN ('approved', 'rejected')) <> (reviewed_by_user_id IS NOT DISTINCT FROM manager_user_id)
  OR (reviewed_at IS NULL) <> (reviewed_by_user_id IS NULL) OR r.ended_at > requested_at
  OR requested_at >= coalesce(reviewed_at, :now) OR reviewed_at > :now
  OR (action = 'edited') <> (original_started_at IS NOT NULL)
  OR (r.status = 'approved' AND action <> 'deleted') <> (timesheet_id IS NOT NULL)
  OR (timesheet_id IS NOT NULL AND (s.user_id, s.project_id, s.task_id, s.started_at, s.ended_at, s.is_billable,
                                    s.kind, s.created_at)
      IS DISTINCT FROM (r.user_id, r.project_id, r.task_id, r.started_at, r.ended_at, r.is_billable, 'manual',
                        reviewed_at))
  OR s.input_seconds + s.active_seconds + s.keyboard_seconds + s.mouse_seconds > 0
UNION ALL SELECT FROM timesheets s LEFT JOIN manual_requests r ON timesheet_id = s.id WHERE s.kind = 'manual'
GROUP BY s.organization_id, s.id HAVING count(r.id) <> 1;
