-- Checks of orgdata doctor, in the form of database_checks.sql. These run for each organization.


-- == Intervals that overlap: PostgreSQL could exclude them only with an extension. A window function reads each person's
-- intervals in the order of an index and compares every start with the latest end before it, so no table is sorted.

-- overlapping-timesheets: error
-- Timesheets of one person overlap: reports count the shared time once, for the one that began earlier. Time that one of
-- the two has as discarded or reassigned idle time is none of these: another device may have tracked it.
-- Remedy: Soft-delete the row that was sent twice, or cut the shared time out of one of the two: what it has before and
-- after that time is two rows. But if they only mean durations, both are true: let the later one start where the earlier
-- one ends, as orgdata import --durations does.
SELECT CAST(id AS text) AS example
FROM (SELECT id, user_id, started_at, coalesce(ended_at, tracked_until) AS ended_at,
             max(coalesce(ended_at, tracked_until)) OVER (PARTITION BY user_id ORDER BY started_at, id
                              ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS latest_end
      FROM timesheets WHERE organization_id = :organization_id AND deleted_at IS NULL) later
WHERE started_at < latest_end
  AND EXISTS (
    SELECT 1 FROM timesheets earlier
    WHERE earlier.organization_id = :organization_id AND earlier.user_id = later.user_id
      AND earlier.deleted_at IS NULL AND earlier.started_at > later.started_at - interval '24 hours'
      AND (earlier.started_at, earlier.id) < (later.started_at, later.id)
      AND coalesce(earlier.ended_at, earlier.tracked_until) > later.started_at
      AND NOT EXISTS (
        SELECT 1 FROM idle_times idle
        WHERE idle.organization_id = :organization_id AND idle.timesheet_id IN (earlier.id, later.id)
          AND idle.deleted_at IS NULL AND idle.action IN ('discarded', 'reassigned')
          AND idle.started_at <= later.started_at
          AND idle.ended_at >= least(later.ended_at, coalesce(earlier.ended_at, earlier.tracked_until))));

-- overlapping-idle-times: error
-- Idle times of one timesheet overlap: reports count the shared time once, but their list shows it twice.
-- Remedy: Soft-delete the row that was sent twice, or cut the shared time out of one of the two, into two rows if need be.
SELECT CAST(id AS text) AS example
FROM (SELECT id, started_at AS start,
             max(ended_at) OVER (PARTITION BY timesheet_id ORDER BY started_at, id
                              ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS latest_end
      FROM idle_times WHERE organization_id = :organization_id AND deleted_at IS NULL) interval_row
WHERE start < latest_end;

-- overlapping-breaks: error
-- Breaks of one person overlap: reports count the shared time once, but clock records show it twice.
-- Remedy: Soft-delete the row that was sent twice, or cut the shared time out of one of the two, into two rows if need be.
SELECT CAST(id AS text) AS example
FROM (SELECT id, started_at AS start,
             max(coalesce(ended_at, 'infinity')) OVER (PARTITION BY user_id ORDER BY started_at, id
                              ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS latest_end
      FROM break_times WHERE organization_id = :organization_id AND deleted_at IS NULL) interval_row
WHERE start < latest_end;

-- overlapping-clock-records: error
-- Clock records of one person overlap, or one starts while another is open.
-- Remedy: Soft-delete the record that was sent twice, close an open one where the later one starts, or cut the shared time
-- out of one of the two.
SELECT CAST(id AS text) AS example
FROM (SELECT id, clock_in_at AS start,
             max(coalesce(clock_out_at, 'infinity')) OVER (PARTITION BY user_id ORDER BY clock_in_at, id
                              ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS latest_end
      FROM clock_records WHERE organization_id = :organization_id AND deleted_at IS NULL) interval_row
WHERE start < latest_end;

-- overlapping-payment-settings: error
-- Payment settings of one person hold for the same day.
-- Remedy: Soft-delete the row that is wrong, or set effective_to of the earlier one to the day before the later one, and
-- insert a row with what the earlier one has after the later one.
SELECT CAST(id AS text) AS example
FROM (SELECT id, effective_from AS start,
             max(coalesce(effective_to, 'infinity')) OVER (PARTITION BY user_id ORDER BY effective_from, id
                              ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS latest_end
      FROM payment_settings WHERE organization_id = :organization_id AND deleted_at IS NULL) interval_row
WHERE start <= latest_end;


-- == Rows of people at a time when they were not members. Those of deleted people are left out of reports on purpose.

-- members-who-never-joined: error
-- Members have no first_joined_at although they are not just invited: reports show them only with time.
-- Remedy: Set first_joined_at to the time of the first membership.
SELECT CAST(user_id AS text) AS example FROM members
WHERE organization_id = :organization_id AND deleted_at IS NULL AND first_joined_at IS NULL AND status <> 'invited';

-- | table      |
-- | app_usages |
-- | url_usages |
-- {table}-outside-membership: error
-- Rows of {table} are of a time when the person was no member: reports count them all the same.
-- Remedy: Correct first_joined_at or removed_at of the member, or the times of the rows.
SELECT CAST(record.timesheet_id || ' ' || to_char(record.slot_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI"Z"') AS text) AS example
FROM {table} record JOIN members member USING (organization_id, user_id)
WHERE organization_id = :organization_id AND record.deleted_at IS NULL AND member.deleted_at IS NULL
  AND (member.first_joined_at IS NULL
       OR record.slot_at + interval '15 minutes' <= member.first_joined_at OR record.slot_at >= member.removed_at);

-- | table           | severity | start       | end                                             | told                              |
-- | timesheets      | error    | started_at  | coalesce(record.ended_at, record.tracked_until) | : reports count them all the same |
-- | clock_records   | warning  | clock_in_at | coalesce(record.clock_out_at, 'infinity')       |                                   |
-- | break_times     | warning  | started_at  | coalesce(record.ended_at, 'infinity')           |                                   |
-- | manual_requests | warning  | started_at  | record.ended_at                                 |                                   |
-- | screenshots     | warning  | captured_at | record.captured_at + interval '1 second'        |                                   |
-- {table}-outside-membership: {severity}
-- Rows of {table} are of a time when the person was no member{told}.
-- Remedy: Correct first_joined_at or removed_at of the member, or the times of the rows.
SELECT CAST(record.id AS text) AS example
FROM {table} record JOIN members member USING (organization_id, user_id)
WHERE organization_id = :organization_id AND record.deleted_at IS NULL AND member.deleted_at IS NULL
  AND (member.first_joined_at IS NULL
       OR {end} <= member.first_joined_at OR record.{start} >= member.removed_at);


-- == What belongs to a timesheet or a clock record, but lies outside of it or contradicts it. A running timesheet has no
-- end: its slots may be written before its next heartbeat.

-- | table          | severity | told                                                      |
-- | activity_slots | error    | divide the activity of a timesheet into days by its slots |
-- | app_usages     | warning  | on projects show usage that was not during their time     |
-- | url_usages     | warning  | on projects show usage that was not during their time     |
-- {table}-outside-timesheet: {severity}
-- Slots of {table} do not overlap their timesheet, or are of another person; reports {told}.
-- Remedy: Soft-delete the rows, and insert those that have a timesheet of their time with it.
SELECT record.timesheet_id || ' ' || to_char(record.slot_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI"Z"') AS example
FROM {table} record
JOIN timesheets sheet ON sheet.organization_id = record.organization_id AND sheet.id = record.timesheet_id
WHERE record.organization_id = :organization_id AND record.deleted_at IS NULL
  AND (sheet.user_id <> record.user_id OR record.slot_at >= sheet.ended_at
       OR record.slot_at + interval '15 minutes' <= sheet.started_at);

-- screenshots-outside-timesheet: warning
-- Screenshots were captured outside their timesheet, or are of another person.
-- Remedy: Set timesheet_id to the timesheet of that time, or to null.
SELECT CAST(shot.id AS text) AS example
FROM screenshots shot
JOIN timesheets sheet ON sheet.organization_id = shot.organization_id AND sheet.id = shot.timesheet_id
WHERE shot.organization_id = :organization_id AND shot.deleted_at IS NULL
  AND (sheet.user_id <> shot.user_id OR shot.captured_at < sheet.started_at OR shot.captured_at > sheet.ended_at);

-- idle-times-outside-timesheet: error
-- Idle times reach outside their timesheet, so that reports subtract time that was never tracked.
-- Remedy: Cut the idle times to their timesheet, or soft-delete them.
SELECT CAST(idle.id AS text) AS example
FROM idle_times idle
JOIN timesheets sheet ON sheet.organization_id = idle.organization_id AND sheet.id = idle.timesheet_id
WHERE idle.organization_id = :organization_id AND idle.deleted_at IS NULL
  AND (sheet.user_id <> idle.user_id OR idle.started_at < sheet.started_at OR idle.ended_at > sheet.ended_at);

-- reassigned-idle-times-without-timesheet: warning
-- Idle times were reassigned, but no timesheet has their time on the other project: it is paid nowhere.
-- Remedy: Write a timesheet of the person for the same time, with reassigned_project_id and reassigned_task_id.
SELECT CAST(idle.id AS text) AS example
FROM idle_times idle
WHERE idle.organization_id = :organization_id AND idle.deleted_at IS NULL AND idle.action = 'reassigned'
  AND NOT EXISTS (
    SELECT 1 FROM timesheets sheet
    WHERE sheet.organization_id = idle.organization_id AND sheet.user_id = idle.user_id AND sheet.deleted_at IS NULL
      AND sheet.id <> idle.timesheet_id
      AND sheet.started_at > idle.started_at - interval '24 hours' AND sheet.started_at < idle.ended_at
      AND coalesce(sheet.ended_at, sheet.tracked_until) > idle.started_at
      AND sheet.project_id IS NOT DISTINCT FROM idle.reassigned_project_id
      AND (idle.reassigned_task_id IS NULL OR sheet.task_id = idle.reassigned_task_id));

-- breaks-outside-clock-record: warning
-- Breaks reach outside their clock record, or are of another person, so that worked_seconds is too low.
-- Remedy: Cut the breaks to their clock record, or set clock_record_id to null.
SELECT CAST(rest.id AS text) AS example
FROM break_times rest
JOIN clock_records record ON record.organization_id = rest.organization_id AND record.id = rest.clock_record_id
WHERE rest.organization_id = :organization_id AND rest.deleted_at IS NULL
  AND (record.user_id <> rest.user_id OR rest.started_at < record.clock_in_at
       OR rest.started_at >= record.clock_out_at OR rest.ended_at > record.clock_out_at);

-- input-longer-than-timesheet: error
-- More seconds of input were captured than the timesheet lasts.
-- Remedy: Correct input_seconds of the timesheet: it is at most the time from started_at to ended_at or tracked_until.
SELECT CAST(id AS text) AS example FROM timesheets
WHERE organization_id = :organization_id AND deleted_at IS NULL AND input_seconds > extract(epoch FROM coalesce(ended_at, tracked_until) - started_at);

-- counters-unlike-slots: warning
-- Counters of ended timesheets are not the sums of their slots: reports show one or the other.
-- Remedy: Write input_seconds, active_seconds, keyboard_seconds and mouse_seconds again as the sums of activity_slots.
SELECT CAST(sheet.id AS text) AS example
FROM timesheets sheet
LEFT JOIN (SELECT timesheet_id, sum(input_seconds) AS input, sum(active_seconds) AS active,
                  sum(keyboard_seconds) AS keyboard, sum(mouse_seconds) AS mouse
           FROM activity_slots WHERE organization_id = :organization_id AND deleted_at IS NULL
           GROUP BY timesheet_id) slots ON slots.timesheet_id = sheet.id
WHERE sheet.organization_id = :organization_id AND sheet.deleted_at IS NULL AND sheet.ended_at IS NOT NULL
  AND (sheet.input_seconds, sheet.active_seconds, sheet.keyboard_seconds, sheet.mouse_seconds)
      <> (coalesce(input, 0), coalesce(active, 0), coalesce(keyboard, 0), coalesce(mouse, 0));


-- == People with at least 80 % of the records that one response may cover: a growing team reaches the rest within months.
-- Any 31 local days lie in 32 days of UTC.

-- timesheets-near-cap: warning
-- People have almost as many timesheets in 31 days as a report may cover, or more.
-- Remedy: Let clients ask for shorter ranges, and merge timesheets that follow one another on the same task.
SELECT user_id || ' ' || max(records) AS example
FROM (
  SELECT user_id, CAST(sum(records) OVER (PARTITION BY user_id ORDER BY day
                                          RANGE BETWEEN interval '31 days' PRECEDING AND CURRENT ROW)
                       AS bigint) AS records
  FROM (
    SELECT user_id, CAST(started_at AS date) AS day, count(*) AS records
    FROM timesheets WHERE organization_id = :organization_id AND deleted_at IS NULL
    GROUP BY 1, 2) per_day) counted
GROUP BY user_id HAVING max(records) >= 0.8 * :timesheets_cap
ORDER BY max(records) DESC, user_id;

-- usage-logs-near-cap: warning
-- People have almost as many rows of app_usages or url_usages in 31 days as a report may cover, or more.
-- Remedy: Let clients ask for shorter ranges, and write one row for an application or page and slot.
SELECT user_id || ' ' || max(records) AS example
FROM (
  SELECT user_id, CAST(sum(records) OVER (PARTITION BY kind, user_id ORDER BY day
                                          RANGE BETWEEN interval '31 days' PRECEDING AND CURRENT ROW)
                       AS bigint) AS records
  FROM (
    SELECT 'app' AS kind, user_id, CAST(slot_at AS date) AS day, count(*) AS records
    FROM app_usages WHERE organization_id = :organization_id AND deleted_at IS NULL
    GROUP BY 2, 3
    UNION ALL
    SELECT 'url', user_id, CAST(slot_at AS date), count(*)
    FROM url_usages WHERE organization_id = :organization_id AND deleted_at IS NULL
    GROUP BY 2, 3) per_day) counted
GROUP BY user_id HAVING max(records) >= 0.8 * :logs_cap
ORDER BY max(records) DESC, user_id;

-- screenshots-near-cap: warning
-- People have almost as many screenshots on one day as a response may have, or more.
-- Remedy: Take screenshots less often.
SELECT user_id || ' ' || max(records) AS example
FROM (
    SELECT user_id, CAST(captured_at AS date) AS day, count(*) AS records
    FROM screenshots WHERE organization_id = :organization_id AND deleted_at IS NULL
    GROUP BY 1, 2) counted
GROUP BY user_id HAVING max(records) >= 0.8 * :screenshots_cap
ORDER BY max(records) DESC, user_id;


-- == What runs or is open for too long: reports of these days never become final.

-- stale-timers: warning
-- Timesheets run although their tracked_until is more than an hour old: no heartbeat arrives.
-- Remedy: Set ended_at to tracked_until, or soft-delete a timer without time, whose tracked_until is its start; let the
-- tracker move tracked_until every few minutes.
SELECT CAST(id AS text) AS example FROM timesheets
WHERE organization_id = :organization_id AND deleted_at IS NULL AND ended_at IS NULL AND tracked_until < now() - interval '1 hour';

-- several-timers: warning
-- Several timesheets of one person run at the same time.
-- Remedy: Of all but the last of the person's running timesheets set ended_at to tracked_until, or soft-delete those whose
-- tracked_until is their start.
SELECT CAST(user_id AS text) AS example FROM timesheets
WHERE organization_id = :organization_id AND deleted_at IS NULL AND ended_at IS NULL GROUP BY user_id HAVING count(*) > 1;

-- time-in-the-future: warning
-- Timesheets reach into the future: reports count time that has not passed.
-- Remedy: Correct ended_at or tracked_until; check the clock and the time zone of the writer.
SELECT CAST(id AS text) AS example FROM timesheets
WHERE organization_id = :organization_id AND deleted_at IS NULL AND coalesce(ended_at, tracked_until) > now() + interval '5 minutes';

-- open-clock-records: warning
-- Clock records are open for more than a day.
-- Remedy: Close them with status auto_closed, and an auto_clock_out_reason.
SELECT CAST(id AS text) AS example FROM clock_records
WHERE organization_id = :organization_id AND deleted_at IS NULL AND clock_out_at IS NULL AND clock_in_at < now() - interval '24 hours';

-- open-breaks: warning
-- Breaks last for more than a day.
-- Remedy: Set ended_at, at the latest to the end of the clock record and to 24 hours after the start.
SELECT CAST(id AS text) AS example FROM break_times
WHERE organization_id = :organization_id AND deleted_at IS NULL AND ended_at IS NULL AND started_at < now() - interval '24 hours';


-- == Leave and pay that contradict each other: payroll reads one of the two, and people see the other.

-- leave-applications-unlike-days: error
-- Days of leave_applications do not sum to their amount and duration_seconds, or lie outside start_date to end_date: payroll
-- pays the days of a range, lists show the amount.
-- Remedy: Correct the leave_application_days, one for each day of leave, or amount, duration_seconds and dates.
SELECT own.id || ': ' || own.amount || ', ' || own.duration_seconds || ' s instead of '
       || coalesce(sum(taken.amount), 0) || ', ' || coalesce(sum(taken.duration_seconds), 0) || ' s' AS example
FROM leave_applications own
LEFT JOIN leave_application_days taken
  ON taken.organization_id = own.organization_id AND taken.leave_application_id = own.id AND taken.deleted_at IS NULL
WHERE own.organization_id = :organization_id AND own.deleted_at IS NULL AND own.status IN ('pending', 'approved')
GROUP BY own.organization_id, own.id
HAVING (own.amount, own.duration_seconds) <> (coalesce(sum(taken.amount), 0), coalesce(sum(taken.duration_seconds), 0))
    OR bool_or(taken.date NOT BETWEEN own.start_date AND own.end_date);

-- leave-taken-twice: warning
-- Approved leave of one person is longer than a day on one day, or has one half of it twice: paid leave is paid twice.
-- Remedy: Set one of the applications to cancelled, or correct its days and day parts.
SELECT user_id || ' ' || date AS example
FROM (SELECT own.user_id, taken.date, taken.duration_seconds, coalesce(policy.day_length_seconds, 28800) AS day_length,
             CASE WHEN own.started_at IS NULL AND taken.date = own.start_date THEN own.start_day_part
                  WHEN own.started_at IS NULL AND taken.date = own.end_date THEN own.end_day_part END AS part
      FROM leave_applications own
      JOIN leave_application_days taken
        ON taken.organization_id = own.organization_id AND taken.leave_application_id = own.id
      LEFT JOIN leave_policies policy
        ON policy.organization_id = own.organization_id AND policy.id = own.leave_policy_id
      WHERE own.organization_id = :organization_id AND own.deleted_at IS NULL AND own.status = 'approved'
        AND taken.deleted_at IS NULL AND taken.duration_seconds > 0) day_of_leave
GROUP BY user_id, date
HAVING count(*) > 1
   AND (sum(duration_seconds) > max(day_length)
        OR count(*) FILTER (WHERE part = 'first_half') > 1 OR count(*) FILTER (WHERE part = 'second_half') > 1);

-- leave-days-unlike-time: warning
-- Days of leave have a duration_seconds that is not their amount as time, or an amount although they are holidays: payroll
-- pays another time than lists show.
-- Remedy: Correct amount and duration_seconds of the leave_application_days and of the application, or day_length_seconds
-- of the policy.
SELECT taken.id || ': ' || taken.amount || ' ' || kind.unit || ', ' || taken.duration_seconds || ' s' AS example
FROM leave_application_days taken
JOIN leave_applications own
  ON own.organization_id = taken.organization_id AND own.id = taken.leave_application_id AND own.deleted_at IS NULL
  AND own.status IN ('pending', 'approved')
JOIN leave_types kind ON kind.organization_id = own.organization_id AND kind.id = own.leave_type_id
LEFT JOIN leave_policies policy
  ON policy.organization_id = own.organization_id AND policy.id = own.leave_policy_id
CROSS JOIN LATERAL (SELECT CASE kind.unit WHEN 'hour' THEN 3600 ELSE policy.day_length_seconds END AS seconds) one
WHERE taken.organization_id = :organization_id AND taken.deleted_at IS NULL
  AND ((taken.amount = 0) <> (taken.duration_seconds = 0)
       -- Amounts have two decimals.
       OR abs(taken.duration_seconds - taken.amount * one.seconds) > 0.005 * one.seconds + 1
       OR taken.is_holiday AND taken.amount > 0 AND own.started_at IS NULL);

-- leave-unlike-policy: warning
-- Leave applications have a policy of another leave type, a leave_period_id without their first day, or are paid although
-- the category of their type is unpaid: sums, balances and pay contradict.
-- Remedy: Correct leave_type_id, leave_policy_id, leave_period_id and is_paid of the applications, or is_paid of the type.
SELECT CAST(own.id AS text) AS example
FROM leave_applications own
JOIN leave_types kind ON kind.organization_id = own.organization_id AND kind.id = own.leave_type_id
LEFT JOIN leave_policies policy
  ON policy.organization_id = own.organization_id AND policy.id = own.leave_policy_id
LEFT JOIN leave_periods period
  ON period.organization_id = own.organization_id AND period.id = own.leave_period_id
WHERE own.organization_id = :organization_id AND own.deleted_at IS NULL AND own.status IN ('pending', 'approved')
  AND (policy.leave_type_id <> own.leave_type_id
       OR own.start_date NOT BETWEEN period.start_date AND period.end_date
       OR kind.category = 'unpaid' AND own.is_paid);

-- leave-balances-unlike-leave: warning
-- Leave of a period that was approved or asked for before as_of is more than used or pending of its leave_balances, or these
-- still have leave that was cancelled or rejected: people see other leave as available than they have.
-- Remedy: Write used and pending again, with each day of leave in its own period, wherever the application begins.
SELECT own.id || ': ' || own.used || ' used, ' || own.pending || ' pending instead of ' || leave.used || ', ' || leave.pending
       AS example
FROM leave_balances own
JOIN leave_periods period ON period.organization_id = own.organization_id AND period.id = own.leave_period_id
CROSS JOIN LATERAL (
  SELECT coalesce(sum(taken.amount) FILTER (WHERE status = 'approved' AND day < own.as_of), 0) AS used,
         coalesce(sum(taken.amount) FILTER (WHERE status = 'pending' AND day < own.as_of), 0) AS pending,
         sum(taken.amount) FILTER (WHERE status IN ('cancelled', 'rejected', 'withdrawn') AND day < own.as_of) AS ended,
         -- Leave of the day of a balance may be in it.
         coalesce(sum(taken.amount) FILTER (WHERE status = 'approved'), 0) AS most_used,
         coalesce(sum(taken.amount) FILTER (WHERE status = 'pending'), 0) AS most_pending
  FROM leave_applications application
  CROSS JOIN LATERAL (SELECT CAST(coalesce(cancelled_at, reviewed_at, applied_at) AS date) AS day) decided
  JOIN leave_application_days taken
    ON taken.organization_id = :organization_id AND taken.leave_application_id = application.id
    AND taken.deleted_at IS NULL AND taken.date BETWEEN period.start_date AND period.end_date
  WHERE application.organization_id = :organization_id AND application.user_id = own.user_id
    AND application.leave_policy_id = own.leave_policy_id AND application.deleted_at IS NULL) leave
WHERE own.organization_id = :organization_id AND own.deleted_at IS NULL
  AND (leave.used > own.used OR leave.pending > own.pending
       OR own.used = leave.used + ended AND own.used > most_used
       OR own.pending = leave.pending + ended AND own.pending > most_pending);

-- leave-balances-beyond-policy: warning
-- Balances of leave are further below zero than their policy allows, also with all that the period will grant, or have more
-- carried over.
-- Remedy: Correct the leave_balances, or allows_negative_balance, max_negative and carry_over_max of the policy.
SELECT own.id || ': ' || rest || ' at the end of the period, ' || own.carried_over || ' carried over' AS example
FROM leave_balances own
JOIN leave_policies policy ON policy.organization_id = own.organization_id AND policy.id = own.leave_policy_id
CROSS JOIN LATERAL (SELECT greatest(own.entitled, own.accrued) + own.carried_over + own.adjusted - own.used
                           - own.expired AS rest) balance
WHERE own.organization_id = :organization_id AND own.deleted_at IS NULL AND policy.entitlement IS NOT NULL
  AND (rest < CASE WHEN policy.allows_negative_balance THEN -policy.max_negative ELSE 0 END
       OR own.carried_over > policy.carry_over_max);

-- payables-unlike-payments: warning
-- Payments of payables that are paid do not sum to amount_paid: what is owed and what was paid contradict.
-- Remedy: Correct amount_paid and status of the payable, or status, payable_id or source_id of its payments.
SELECT own.id || ': ' || trim_scale(own.amount_paid) || ' instead of ' || trim_scale(paid.amount) AS example
FROM payables own
JOIN (SELECT payable_id AS id, currency, coalesce(sum(amount) FILTER (WHERE status = 'paid'), 0) AS amount
      FROM hourly_payment_logs WHERE organization_id = :organization_id AND deleted_at IS NULL
      GROUP BY payable_id, currency
      UNION ALL
      SELECT owed.id, log.currency, CASE log.status WHEN 'paid' THEN log.amount ELSE 0 END
      FROM payables owed
      JOIN one_time_payment_logs log ON log.organization_id = owed.organization_id AND log.id = owed.source_id
      WHERE owed.organization_id = :organization_id AND owed.kind = 'one_time' AND log.deleted_at IS NULL) paid
  ON paid.id = own.id AND paid.currency = own.currency
WHERE own.organization_id = :organization_id AND own.deleted_at IS NULL AND paid.amount <> own.amount_paid;

-- payables-of-no-leave: warning
-- Payables are for leave that is not paid, or not approved any more: it is owed although it is not taken.
-- Remedy: Void the payables (status void), or correct status and is_paid of the leave_applications.
SELECT CAST(own.id AS text) AS example
FROM payables own
JOIN leave_applications leave ON leave.organization_id = own.organization_id AND leave.id = own.source_id
WHERE own.organization_id = :organization_id AND own.deleted_at IS NULL AND own.kind = 'leave' AND own.status <> 'void'
  AND (leave.status <> 'approved' OR NOT leave.is_paid OR leave.deleted_at IS NOT NULL);

-- payables-of-the-same-days: warning
-- Payables of one person, kind and rate are for the same days, those of leave and one-time payments for the same one: what
-- they are for is owed twice.
-- Remedy: Void the one that was made twice (status void), or correct period_start, period_end and source_id.
SELECT CAST(id AS text) AS example
FROM (SELECT id, period_start,
             max(period_end) OVER (PARTITION BY user_id, kind, currency, rate,
                                                CASE WHEN kind IN ('leave', 'one_time') THEN source_id END
                                   ORDER BY period_start, id
                                   ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS latest_end
      FROM payables WHERE organization_id = :organization_id AND deleted_at IS NULL AND status <> 'void'
        AND (kind IN ('hourly', 'fixed', 'overtime') OR kind IN ('leave', 'one_time') AND source_id IS NOT NULL)) later
WHERE period_start <= latest_end;

-- payments-of-the-same-days: warning
-- Hourly payments of one person and rate are for the same days, and of no payable that says what is owed: they may be one
-- payment twice.
-- Remedy: Soft-delete the one that was written twice, correct period_start and period_end, or name the payable of each.
SELECT CAST(id AS text) AS example
FROM (SELECT id, period_start,
             max(period_end) OVER (PARTITION BY user_id, currency, hourly_rate ORDER BY period_start, id
                                   ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS latest_end
      -- A negative amount corrects another payment.
      FROM hourly_payment_logs WHERE organization_id = :organization_id AND deleted_at IS NULL AND payable_id IS NULL
        AND amount >= 0 AND status IN ('pending', 'processing', 'paid')) later
WHERE period_start <= latest_end;

-- payments-without-time: warning
-- Payments are paid or refunded, or invoices are paid, without paid_at: what was paid in a month leaves them out.
-- Remedy: Set paid_at to the time of the payment.
SELECT id || ' of hourly_payment_logs' AS example FROM hourly_payment_logs
WHERE organization_id = :organization_id AND deleted_at IS NULL AND status IN ('paid', 'refunded') AND paid_at IS NULL
UNION ALL
SELECT id || ' of one_time_payment_logs' FROM one_time_payment_logs
WHERE organization_id = :organization_id AND deleted_at IS NULL AND status IN ('paid', 'refunded') AND paid_at IS NULL
UNION ALL
SELECT id || ' of invoices' FROM invoices
WHERE organization_id = :organization_id AND deleted_at IS NULL AND status = 'paid' AND paid_at IS NULL;

-- overtime-multipliers-that-are-no-factors: warning
-- Payment settings pay overtime with a multiplier below 1, which takes from pay, or above 10: it may be a surcharge (0.5
-- for 1.5) or a percentage.
-- Remedy: Write overtime_multiplier as the factor of pay_rate, such as 1.5.
SELECT id || ': ' || trim_scale(overtime_multiplier) AS example FROM payment_settings
WHERE organization_id = :organization_id AND deleted_at IS NULL AND overtime_enabled
  AND overtime_multiplier NOT BETWEEN 1 AND 10;

-- hourly-payments-unlike-lines: error
-- Lines of hourly_payment_logs do not sum to amount or paid_seconds.
-- Remedy: Correct the hourly_payment_lines, or amount and paid_seconds of the payment.
SELECT own.id || ': ' || trim_scale(own.amount) || ', ' || own.paid_seconds || ' s instead of '
       || trim_scale(sum(record.amount)) || ', ' || sum(record.paid_seconds) || ' s' AS example
FROM hourly_payment_logs own
JOIN hourly_payment_lines record
  ON record.organization_id = own.organization_id AND record.log_id = own.id AND record.deleted_at IS NULL
WHERE own.organization_id = :organization_id AND own.deleted_at IS NULL
GROUP BY own.organization_id, own.id
HAVING sum(record.paid_seconds) <> own.paid_seconds
    -- Lines may be rounded one by one.
    OR abs(sum(record.amount) - own.amount)
       > count(*) / 2.0 * coalesce(CAST((SELECT CAST(:minor_units AS jsonb)) ->> own.currency AS numeric), 0.01);

-- hourly-payment-logs-unlike-rate: warning
-- Rows of hourly_payment_logs have an amount that is not their seconds at their rates.
-- Remedy: Correct amount, rates or seconds: rates are per hour.
SELECT own.id || ': ' || trim_scale(own.amount) || ' instead of ' || trim_scale(round(owed, 4)) AS example
FROM hourly_payment_logs own
CROSS JOIN LATERAL (
  SELECT (own.hourly_rate * (own.paid_seconds - own.overtime_seconds)
          + coalesce(own.overtime_rate, own.hourly_rate) * own.overtime_seconds) / 3600 AS owed) rated
WHERE own.organization_id = :organization_id AND own.deleted_at IS NULL
  -- Paid leave, which is not in the seconds, may be in the amount.
  AND (abs(own.amount) < abs(owed) OR NOT EXISTS (
    SELECT FROM leave_applications taken
    WHERE taken.organization_id = :organization_id AND taken.user_id = own.user_id AND taken.deleted_at IS NULL
      AND taken.status = 'approved' AND taken.is_paid
      AND taken.start_date <= own.period_end AND taken.end_date >= own.period_start))
  -- Each day may be rounded.
  AND abs(abs(own.amount) - abs(owed)) > (own.period_end - own.period_start + 1)
      * coalesce(CAST((SELECT CAST(:minor_units AS jsonb)) ->> own.currency AS numeric), 0.01)
  AND NOT EXISTS (SELECT FROM hourly_payment_lines record
                  WHERE record.organization_id = :organization_id AND record.log_id = own.id);

-- payables-unlike-rate: warning
-- Rows of payables have an amount that is not their seconds at their rates.
-- Remedy: Correct amount, rates or seconds: rates are per hour.
SELECT own.id || ': ' || trim_scale(own.amount) || ' instead of ' || trim_scale(round(owed, 4)) AS example
FROM payables own
CROSS JOIN LATERAL (
  SELECT own.rate * own.payable_seconds / 3600 AS owed,
         -- Each day may be rounded.
         (own.period_end - own.period_start + 1)
           * coalesce(CAST((SELECT CAST(:minor_units AS jsonb)) ->> own.currency AS numeric), 0.01) AS rounding) rated
WHERE own.organization_id = :organization_id AND own.deleted_at IS NULL AND own.kind = 'hourly'
  -- Overtime may be part of it, at up to ten times the rate.
  AND abs(own.amount) NOT BETWEEN abs(owed) - rounding AND abs(owed) * 10 + rounding;

-- invoice-taxes-unlike-percent: warning
-- Rows of invoice_taxes have an amount above or below their percent of the taxed invoice_lines.
-- Remedy: Correct amount or percent, with tax_amount and total of the invoice, or is_taxed and tax_percent of lines.
SELECT own.id || ': ' || trim_scale(own.amount) || ' is not ' || trim_scale(own.percent) || ' percent of '
       || trim_scale(lines.taxed) AS example
FROM invoice_taxes own
JOIN invoices parent ON parent.organization_id = own.organization_id AND parent.id = own.invoice_id
CROSS JOIN LATERAL (
  SELECT count(*) = 1 AS is_only FROM invoice_taxes other
  WHERE other.organization_id = own.organization_id AND other.invoice_id = own.invoice_id
    AND other.deleted_at IS NULL) tax
CROSS JOIN LATERAL (
  -- A tax is at least that of the lines with its percentage, or of all lines if there is no other tax.
  SELECT coalesce(sum(record.amount) FILTER (WHERE record.is_taxed), 0) AS taxed,
         coalesce(sum(record.amount) FILTER (WHERE record.is_taxed AND (record.tax_percent = own.percent
           OR record.tax_percent IS NULL AND tax.is_only)), 0) AS own_lines,
         -- The tax of each line may be rounded.
         count(*) * coalesce(CAST((SELECT CAST(:minor_units AS jsonb)) ->> parent.currency AS numeric), 0.01) AS rounding
  FROM invoice_lines record
  WHERE record.organization_id = own.organization_id AND record.invoice_id = own.invoice_id
    AND record.deleted_at IS NULL) lines
WHERE own.organization_id = :organization_id AND own.deleted_at IS NULL AND lines.rounding > 0
  -- Discounts come before taxes or after them.
  AND (abs(own.amount) > abs(lines.taxed * own.percent) / 100 + lines.rounding
       OR abs(own.amount)
          < (abs(lines.own_lines) - abs(parent.discount_amount)) * abs(own.percent) / 100 - lines.rounding);
