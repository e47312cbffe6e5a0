"""Rules of the demo's rows that neither constraints nor `orgdata doctor` check, each with SQL that finds faults.

The parameters are `:now`, the moment of the demo, and `:zone`, the organization's time zone.
"""

USAGE = """
SELECT FROM {0} u JOIN timesheets s ON s.id = u.timesheet_id LEFT JOIN activity_slots a USING (timesheet_id, slot_at)
WHERE (u.user_id, u.deleted_at) IS DISTINCT FROM (a.user_id, a.deleted_at) OR u.first_at < greatest(slot_at, started_at)
  OR u.last_at > least(slot_at + interval '15 minutes', tracked_until)
  OR duration_seconds > extract(epoch FROM u.last_at - u.first_at)
UNION ALL SELECT FROM {0} u JOIN activity_slots a USING (timesheet_id, slot_at)
GROUP BY timesheet_id, slot_at, a.input_seconds HAVING sum(duration_seconds) > a.input_seconds"""

DIGITS = "CASE {} WHEN 'JPY' THEN 0 WHEN 'KWD' THEN 3 ELSE 2 END"
SHEET_SUMS = "(sum(a.input_seconds), sum(a.active_seconds), sum(a.keyboard_seconds), sum(a.mouse_seconds))"
PERIODS = "(SELECT *, row_number() OVER (ORDER BY start_date) AS n FROM leave_periods)"
SPENT = """
(SELECT l.user_id, l.leave_policy_id, p.id AS leave_period_id,
        coalesce(sum(d.amount) FILTER (WHERE l.status = 'approved'), 0) AS used,
        coalesce(sum(d.amount) FILTER (WHERE l.status = 'pending'), 0) AS pending
 FROM leave_application_days d JOIN leave_applications l ON l.id = leave_application_id
 JOIN leave_periods p ON d.date BETWEEN p.start_date AND p.end_date GROUP BY 1, 2, 3)"""
WEEK = "tstzrange(p.period_start::timestamp AT TIME ZONE :zone, (p.period_end + 1)::timestamp AT TIME ZONE :zone)"
SECONDS = "(SELECT coalesce(sum(extract(epoch FROM upper(r) - lower(r))), 0) FROM unnest({}) r)"
NOTHING = "'{}'::tstzmultirange"

RULES = {
    # Activity.
    "the use of an app lies outside its slot, or exceeds it": USAGE.format("app_usages"),
    "the use of a page lies outside its slot, or exceeds it": USAGE.format("url_usages"),
    "a page is of another domain": """
        SELECT FROM url_usages u JOIN url_pages p ON p.id = page_id WHERE p.domain_id <> u.domain_id""",
    "a screenshot is not as its timesheet, or not as its status": """
        SELECT FROM screenshots c LEFT JOIN timesheets s ON s.id = timesheet_id
        LEFT JOIN projects p ON p.id = c.project_id
        WHERE (s.started_at <= captured_at AND captured_at < tracked_until AND captured_at < :now) IS NOT TRUE
          OR (c.user_id, c.project_id, c.task_id) IS DISTINCT FROM (s.user_id, s.project_id, s.task_id)
          OR s.deleted_at IS NOT NULL OR p.screenshots_enabled IS NOT TRUE
          OR (c.status = 'available') <> (object_key IS NOT NULL) OR (object_key IS NULL) <> (thumbnail_key IS NULL)
          OR (c.status = 'deleted') <> (deleted_by_user_id IS NOT NULL)
        UNION ALL SELECT FROM screenshots GROUP BY object_key HAVING object_key IS NOT NULL AND count(*) > 1""",
    "a suspicion is not as its timesheet, or its review not by the manager": """
        SELECT FROM (SELECT *, extract(epoch FROM ended_at - started_at) AS length FROM suspicious_activity_logs) l
        LEFT JOIN timesheets s ON s.id = timesheet_id JOIN members m ON m.user_id = l.user_id
        WHERE (l.user_id, l.project_id) IS DISTINCT FROM (s.user_id, s.project_id) OR s.deleted_at IS NOT NULL
          OR NOT (s.started_at <= l.started_at AND l.started_at < l.ended_at AND l.ended_at <= tracked_until)
          OR reviewed_by_user_id IS DISTINCT FROM CASE WHEN l.status <> 'open' THEN manager_user_id END
          OR (l.status = 'open') <> (reviewed_at IS NULL) OR (reviewed_at IS NULL) <> (review_note IS NULL)
          OR deducted_seconds NOT IN (0, CASE l.status WHEN 'confirmed' THEN length ELSE 0 END)
          OR (evidence -> 'tracked_seconds')::int <> length OR (evidence -> 'active_seconds')::int > length
          OR (evidence -> 'keyboard_seconds')::int + (evidence -> 'mouse_seconds')::int
             <> (evidence -> 'active_seconds')::int""",
    "the screenshot of a suspicion was taken at another time": """
        SELECT FROM suspicious_activity_logs l, jsonb_array_elements_text(evidence -> 'screenshot_ids') AS of(id)
        LEFT JOIN screenshots c ON c.id = of.id::uuid
        WHERE (l.started_at <= captured_at AND captured_at < l.ended_at) IS NOT TRUE""",
    # Leave.
    "an application for leave is not the sum of its days": """
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
          OR (started_at AT TIME ZONE timezone)::date <> l.start_date""",
    "the times of an application for leave are not in order": """
        SELECT FROM leave_applications l JOIN members m USING (user_id)
        WHERE (first_joined_at < applied_at) IS NOT TRUE OR (reviewed_at IS NULL) <> (reviewed_by_user_id IS NULL)
          OR (cancelled_at IS NOT NULL) <> (l.status IN ('cancelled', 'withdrawn'))
          OR (l.status IN ('pending', 'withdrawn') AND reviewed_at IS NOT NULL)
          OR applied_at > reviewed_at OR greatest(applied_at, reviewed_at) > cancelled_at
          OR greatest(applied_at, reviewed_at, cancelled_at) > l.updated_at""",
    "a person has two leaves on a day": """
        SELECT FROM leave_application_days d JOIN leave_applications l ON l.id = leave_application_id
        WHERE status IN ('approved', 'pending') GROUP BY user_id, date HAVING count(*) > 1""",
    "a balance is not what its applications leave": f"""
        SELECT FROM leave_balances b JOIN {PERIODS} p ON p.id = leave_period_id
        LEFT JOIN {SPENT} s USING (user_id, leave_policy_id, leave_period_id)
        CROSS JOIN LATERAL (SELECT accrued + carried_over + adjusted - b.used - b.pending - expired AS available) a
        LEFT JOIN (leave_balances c JOIN {PERIODS} q ON q.id = c.leave_period_id)
          ON c.user_id = b.user_id AND c.leave_policy_id = b.leave_policy_id AND q.n = p.n + 1 AND p.end_date < :now
        WHERE (b.used, b.pending) <> (coalesce(s.used, 0), coalesce(s.pending, 0)) OR available < 0
          OR least(b.entitled, b.accrued, b.carried_over, b.used, b.pending, b.expired) < 0
          OR c.carried_over <> available OR c.carried_over > 5
          OR (b.as_of > (:now AT TIME ZONE 'UTC')::date AND p.start_date <= :now)""",
    "leave was used without a balance": f"""
        SELECT FROM {SPENT} s JOIN leave_policies y ON y.id = leave_policy_id
        LEFT JOIN leave_balances b USING (user_id, leave_policy_id, leave_period_id)
        WHERE y.entitlement IS NOT NULL AND s.used > 0 AND b.id IS NULL""",
    "leave is of a policy that the person does not have": """
        SELECT FROM (SELECT user_id, leave_policy_id FROM leave_applications
                     UNION SELECT user_id, leave_policy_id FROM leave_balances) l
        LEFT JOIN leave_assignments a USING (user_id, leave_policy_id) WHERE a.id IS NULL""",
    # Invoices and payments.
    "an invoice is not the sum of its lines and taxes": f"""
        SELECT FROM invoices i JOIN clients c ON c.id = client_id LEFT JOIN (
            SELECT invoice_id AS id, sum(amount) AS amount, count(*) AS count, max(position) AS last,
                   min(position) AS first FROM invoice_lines GROUP BY 1) l ON l.id = i.id
        LEFT JOIN (SELECT invoice_id AS id, sum(amount) AS amount FROM invoice_taxes GROUP BY 1) t ON t.id = i.id
        WHERE (subtotal, tax_amount) IS DISTINCT FROM (l.amount, coalesce(t.amount, 0)) OR subtotal <= 0 OR total <= 0
          OR total <> subtotal - discount_amount + tax_amount OR (first, last) <> (1, count) OR i.currency <> c.currency
          OR ARRAY[subtotal, discount_amount, tax_amount, total, amount_paid]
             <> ARRAY(SELECT round(a, {DIGITS.format("i.currency")})
                      FROM unnest(ARRAY[subtotal, discount_amount, tax_amount, total, amount_paid]) a)""",
    "a line of an invoice is not its quantity at its price": f"""
        SELECT FROM invoice_lines l JOIN invoices i ON i.id = invoice_id LEFT JOIN projects p ON p.id = l.project_id
        LEFT JOIN (SELECT DISTINCT invoice_id FROM invoice_taxes) t USING (invoice_id)
        WHERE amount <> round(quantity * unit_price, {DIGITS.format("i.currency")})
          OR duration_seconds <> quantity * 3600 OR p.client_id IS DISTINCT FROM i.client_id
          OR is_taxed <> (tax_percent IS NOT NULL) OR is_taxed <> (t.invoice_id IS NOT NULL)""",
    "the times or the paid amount of an invoice are not as its status": """
        SELECT FROM invoices WHERE (sent_at IS NULL) <> (status = 'draft') OR (sent_at IS NULL) <> (public_url IS NULL)
          OR (viewed_at IS NULL) <> (status IN ('draft', 'sent')) OR (paid_at IS NOT NULL) <> (status = 'paid')
          OR (voided_at IS NOT NULL) <> (status = 'void') OR (amount_paid >= total) <> (status = 'paid')
          OR (0 < amount_paid AND amount_paid < total) <> (status = 'partially_paid')
          OR sent_at > viewed_at OR greatest(sent_at, viewed_at) > paid_at OR greatest(sent_at, viewed_at) > voided_at
          OR greatest(sent_at, viewed_at, paid_at, voided_at) > :now
          OR NOT (period_start <= period_end AND period_end < issue_date)
          OR issue_date <> (created_at AT TIME ZONE 'UTC')::date""",
    "invoices are not numbered as they were created": """
        SELECT FROM invoices a JOIN invoices b ON a.number < b.number AND a.created_at > b.created_at""",
    "payment settings have a gap, or are not of the whole membership": """
        SELECT FROM (SELECT *, lag(effective_to) OVER of_one AS before, lead(id) OVER of_one AS next
                     FROM payment_settings WINDOW of_one AS (PARTITION BY user_id ORDER BY effective_from)) s
        FULL JOIN members m USING (user_id)
        WHERE (s.id IS NULL) <> (first_joined_at IS NULL)
          OR coalesce(before + 1, (first_joined_at AT TIME ZONE 'UTC')::date) <> effective_from
          OR (next IS NULL AND effective_to IS DISTINCT FROM left_on)""",
    "a payment by the hour is not the sum of its lines": f"""
        SELECT FROM hourly_payment_logs g LEFT JOIN payables p ON p.id = payable_id LEFT JOIN (
            SELECT log_id, sum(l.amount) AS amount, sum(l.paid_seconds) AS paid, min(date) AS first, max(date) AS last,
                   coalesce(sum(l.paid_seconds) FILTER (WHERE rate <> hourly_rate), 0) AS overtime,
                   bool_or(rate NOT IN (hourly_rate, coalesce(overtime_rate, hourly_rate))) AS at_other_rate,
                   bool_or(l.amount <> round(l.paid_seconds * rate / 3600, {DIGITS.format("g.currency")})) AS is_wrong
            FROM hourly_payment_lines l JOIN hourly_payment_logs g ON g.id = log_id GROUP BY 1) l ON log_id = g.id
        WHERE (g.amount, g.paid_seconds, g.overtime_seconds, g.tracked_seconds, g.user_id)
              IS DISTINCT FROM (coalesce(l.amount, 0), coalesce(l.paid, 0), coalesce(l.overtime, 0), p.tracked_seconds,
                                p.user_id)
          OR at_other_rate OR is_wrong OR g.paid_seconds > p.payable_seconds OR first < g.period_start
          OR last > g.period_end OR g.paid_at > :now
          OR (g.paid_at IS NOT NULL) <> (g.status IN ('paid', 'refunded'))""",
    "the payable of a week is not its paid time": f"""
        WITH worked AS (SELECT user_id, range_agg(tstzrange(started_at, tracked_until)) AS spans FROM timesheets
                        WHERE deleted_at IS NULL GROUP BY 1),
        idle AS (SELECT user_id, range_agg(tstzrange(started_at, ended_at)) AS spans FROM idle_times
                 WHERE deleted_at IS NULL AND action IN ('discarded', 'reassigned') GROUP BY 1),
        rests AS (SELECT user_id, range_agg(tstzrange(started_at, ended_at)) AS spans,
                         range_agg(tstzrange(started_at, ended_at)) FILTER (WHERE NOT is_paid) AS unpaid
                  FROM break_times WHERE deleted_at IS NULL AND ended_at IS NOT NULL GROUP BY 1),
        times AS (SELECT p.*,
                coalesce(w.spans, {NOTHING}) * {WEEK}::tstzmultirange - coalesce(r.spans, {NOTHING})
                - coalesce(i.spans, {NOTHING}) AS tracked,
                (coalesce(r.spans, {NOTHING}) - coalesce(r.unpaid, {NOTHING})) * {WEEK}::tstzmultirange AS paid
            FROM payables p LEFT JOIN worked w USING (user_id) LEFT JOIN rests r USING (user_id)
            LEFT JOIN idle i USING (user_id) WHERE kind = 'hourly')
        SELECT FROM times WHERE tracked_seconds <> {SECONDS.format("tracked")}
          OR payable_seconds <> {SECONDS.format("tracked")} + {SECONDS.format("paid")}""",
    "a payable of a week is not as its payments": """
        SELECT FROM payables p LEFT JOIN (SELECT payable_id, sum(amount) AS amount FROM hourly_payment_logs
                                          WHERE status = 'paid' GROUP BY 1) paid ON payable_id = p.id
        WHERE kind = 'hourly' AND (amount_paid <> coalesce(paid.amount, 0)
          OR (status NOT IN ('open', 'approved') AND amount_paid <= 0) OR (status = 'paid') <> (amount_paid = p.amount)
          OR (status = 'open') <> (approved_at IS NULL) OR period_end - period_start <> 6)
        UNION ALL SELECT FROM payables WHERE kind = 'hourly' GROUP BY user_id, period_start HAVING count(*) > 1""",
    "a single payment is not as its payable, its status or its person": f"""
        SELECT FROM one_time_payment_logs g JOIN members m USING (user_id) LEFT JOIN payables p ON p.source_id = g.id
        WHERE (p.user_id, p.amount, p.currency) <> (g.user_id, g.amount, g.currency)
          OR (p.amount_paid = p.amount) <> (g.status = 'paid') OR (p.status = 'paid') <> (g.status = 'paid')
          OR g.amount <> round(g.amount, {DIGITS.format("g.currency")}) OR (g.type = 'deduction' AND g.amount > 0)
          OR (g.paid_at IS NOT NULL) <> (g.status = 'paid')
          OR ((first_joined_at AT TIME ZONE 'UTC')::date < payment_date) IS NOT TRUE
        UNION ALL SELECT FROM payables p LEFT JOIN one_time_payment_logs g ON g.id = source_id
        WHERE source_id IS NOT NULL GROUP BY source_id HAVING count(*) > 1 OR count(g.id) = 0""",
    "a payable is of a rate that was never agreed": """
        SELECT FROM payables p WHERE kind IN ('hourly', 'fixed') AND NOT EXISTS (
            SELECT FROM payment_settings s WHERE s.user_id = p.user_id
              AND pay_rate = CASE kind WHEN 'hourly' THEN p.rate ELSE p.amount END)""",
    # Members and teams.
    "the times of a member are not as the status": """
        SELECT FROM members WHERE (status = 'invited') <> (joined_at IS NULL)
          OR (joined_at IS NULL) <> (first_joined_at IS NULL) OR (status = 'removed') <> (left_on IS NOT NULL)
          OR created_at > first_joined_at OR hired_on > (first_joined_at AT TIME ZONE 'UTC')::date
          OR joined_at >= removed_at OR left_on <> (removed_at AT TIME ZONE 'UTC')::date""",
    "managers are not active, or do not lead to the owner": """
        WITH RECURSIVE above AS (
            SELECT user_id AS of, user_id, manager_user_id, role, employment_type, 0 AS steps FROM members
            UNION ALL SELECT above.of, m.user_id, m.manager_user_id, m.role, m.employment_type, steps + 1
            FROM above JOIN members m ON m.user_id = above.manager_user_id AND m.status = 'active' WHERE steps < 50)
        SELECT FROM members LEFT JOIN above ON of = members.user_id AND above.manager_user_id IS NULL
          AND (above.role = 'owner' OR above.employment_type = 'other') WHERE of IS NULL
        UNION ALL SELECT FROM members WHERE role = 'owner' HAVING count(*) <> 1""",
    "a membership of a team is not of the times of its person and team": """
        SELECT FROM team_members t JOIN teams ON teams.id = team_id JOIN members m ON m.user_id = t.user_id
        WHERE t.joined_at <> t.created_at OR t.joined_at <= teams.created_at
          OR t.joined_at <= coalesce(m.joined_at, m.created_at)
          OR t.deleted_at IS DISTINCT FROM coalesce(removed_at, teams.deleted_at)""",
    "names, codes or addresses are not unique and reserved": """
        SELECT FROM members WHERE email !~ '^[ -~]+@example[.](com|org)$'
        UNION ALL SELECT FROM members WHERE email IS NOT NULL
        HAVING count(*) > count(DISTINCT email) OR count(*) > count(DISTINCT full_name)
        UNION ALL SELECT FROM teams HAVING count(*) > count(DISTINCT name)
        UNION ALL SELECT FROM clients HAVING count(*) > count(DISTINCT name)
        UNION ALL SELECT FROM projects HAVING count(*) > count(DISTINCT code)
        UNION ALL SELECT FROM clients, unnest(invoice_emails || email) e WHERE e NOT LIKE '%@example.org'
        UNION ALL SELECT FROM domains WHERE name NOT LIKE '%.example'""",
    # Projects and tasks.
    "a project is not as its status, billing and client": f"""
        SELECT FROM projects p LEFT JOIN clients c ON c.id = client_id
        WHERE (p.status IN ('active', 'on_hold')) <> (p.completed_at IS NULL)
          OR (p.status = 'archived') <> (p.archived_at IS NOT NULL) OR p.completed_at >= p.archived_at
          OR p.created_at >= p.completed_at OR (p.created_at AT TIME ZONE 'UTC')::date > p.start_date
          OR p.start_date > p.due_date OR (billing_type = 'hourly') <> (bill_rate IS NOT NULL)
          OR (billing_type = 'fixed') <> (fixed_amount IS NOT NULL) OR is_billable <> (billing_type <> 'none')
          OR color !~ '^#.{{6}}$' OR c.created_at >= p.created_at OR c.currency <> p.currency
          OR (c.archived_at IS NOT NULL AND (p.status, p.archived_at) IS DISTINCT FROM ('archived', c.archived_at))
          OR p.budget_amount <> round(p.budget_amount, {DIGITS.format("p.currency")})
          OR c.budget_amount <> round(c.budget_amount, {DIGITS.format("c.currency")})
          OR fixed_amount <> round(fixed_amount, {DIGITS.format("p.currency")})""",
    "a membership of a project is not of the times of its person and project": """
        SELECT FROM project_members r JOIN projects p ON p.id = project_id JOIN members m USING (user_id)
        WHERE p.created_at > r.joined_at OR (m.joined_at <= r.joined_at) IS NOT TRUE OR r.joined_at >= r.removed_at
          OR (r.deleted_at IS NULL AND m.removed_at IS NOT NULL AND (r.removed_at <= m.removed_at) IS NOT TRUE)
          OR (p.deleted_at IS NOT NULL AND (r.deleted_at <= p.deleted_at) IS NOT TRUE)
          OR (r.team_id IS NOT NULL
              AND NOT EXISTS (SELECT FROM team_members t WHERE t.team_id = r.team_id AND t.user_id = r.user_id))
          OR (r.currency IS NULL) <> (pay_rate IS NULL) OR r.currency <> p.currency
        UNION ALL SELECT FROM projects p WHERE NOT EXISTS (
            SELECT FROM project_members WHERE project_id = p.id AND role = 'manager')""",
    "a task is not as its status and project": """
        SELECT FROM tasks t JOIN projects p ON p.id = project_id
        WHERE p.created_at >= t.created_at OR (t.status = 'completed') <> (t.completed_at IS NOT NULL)
          OR t.created_at >= t.completed_at OR t.completed_at > p.completed_at OR t.created_at >= p.completed_at
          OR (p.completed_at IS NOT NULL AND t.status NOT IN ('completed', 'archived'))
          OR (p.deleted_at IS NOT NULL AND t.deleted_at IS DISTINCT FROM p.deleted_at)
          OR t.start_date NOT BETWEEN (t.created_at AT TIME ZONE 'UTC')::date AND (:now AT TIME ZONE 'UTC')::date
          OR (t.created_at AT TIME ZONE 'UTC')::date >= t.due_date
        UNION ALL SELECT FROM projects p LEFT JOIN tasks t ON project_id = p.id GROUP BY p.id
        HAVING count(DISTINCT number) <> count(*) OR min(number) IS DISTINCT FROM 1 OR max(number) <> count(*)""",
    "a subtask is not of its parent": """
        SELECT FROM tasks t JOIN tasks p ON p.id = t.parent_task_id
        WHERE p.project_id <> t.project_id OR p.number >= t.number OR p.parent_task_id IS NOT NULL
          OR (p.deleted_at IS NOT NULL AND t.deleted_at IS NULL)
          OR (p.completed_at IS NOT NULL AND (t.completed_at <= p.completed_at) IS NOT TRUE)""",
    "a person on a task is not on its project": """
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
        WHERE created_by_user_id IS NOT NULL AND (r.joined_at <= t.created_at) IS NOT TRUE""",
    # Time.
    "a timesheet is not of the past, or its person is not tracked": """
        SELECT FROM timesheets s JOIN members m USING (user_id)
        WHERE NOT is_tracking_enabled OR (m.joined_at <= started_at) IS NOT TRUE OR tracked_until > :now
          OR ended_at <> tracked_until OR tracked_until > removed_at""",
    "a timesheet is not of a live membership of its project and task": """
        SELECT FROM timesheets s LEFT JOIN projects p ON p.id = project_id LEFT JOIN tasks t ON t.id = task_id
        LEFT JOIN project_members r ON r.project_id = s.project_id AND r.user_id = s.user_id AND r.deleted_at IS NULL
        LEFT JOIN task_members x ON x.task_id = s.task_id AND x.user_id = s.user_id AND x.deleted_at IS NULL
        WHERE CASE WHEN s.project_id IS NULL THEN s.task_id IS NOT NULL OR s.is_billable
          ELSE p.deleted_at IS NOT NULL OR tracked_until > least(p.completed_at, r.removed_at, t.completed_at)
            OR (r.role <> 'viewer' AND r.joined_at <= started_at) IS NOT TRUE
            OR s.is_billable <> (p.is_billable AND coalesce(t.is_billable, p.is_billable)) END
          OR (s.task_id IS NOT NULL AND
              (t.project_id = s.project_id AND x.role = 'assignee' AND assigned_at <= started_at) IS NOT TRUE)""",
    "a week that is not paid is locked": """
        SELECT FROM timesheets GROUP BY organization_id
        HAVING max(tracked_until) FILTER (WHERE is_locked)
            >= least(min(tracked_until) FILTER (WHERE NOT is_locked) + interval '1 day', :now - interval '6 days')""",
    "idle time is not of its timesheet, or reassigned to the same project": """
        SELECT FROM idle_times i JOIN timesheets s ON s.id = timesheet_id LEFT JOIN tasks t ON t.id = reassigned_task_id
        WHERE s.user_id <> i.user_id OR s.started_at > i.started_at OR i.ended_at > tracked_until
          OR (action = 'reassigned') <> (reassigned_project_id IS NOT NULL) OR reassigned_project_id = s.project_id
          OR t.project_id <> reassigned_project_id OR s.deleted_at IS NOT NULL""",
    "slots are not as their timesheet": f"""
        SELECT FROM activity_slots a JOIN timesheets s ON s.id = timesheet_id
        WHERE a.input_seconds > extract(epoch FROM least(slot_at + interval '15 minutes', tracked_until)
                                                   - greatest(slot_at, started_at))
          OR NOT a.active_seconds BETWEEN greatest(a.keyboard_seconds, a.mouse_seconds)
                                      AND a.keyboard_seconds + a.mouse_seconds
          OR (a.user_id, a.deleted_at) IS DISTINCT FROM (s.user_id, s.deleted_at)
        UNION ALL SELECT FROM timesheets s LEFT JOIN activity_slots a ON timesheet_id = s.id WHERE kind = 'automatic'
        GROUP BY s.organization_id, s.id HAVING (s.input_seconds, s.active_seconds, s.keyboard_seconds, s.mouse_seconds)
          <> {SHEET_SUMS} AND count(a.*) > 0 OR (count(a.*) = 0 AND s.input_seconds > 0)""",
    "a clock record or break is not as its status, or not of the past": """
        SELECT FROM clock_records WHERE (clock_out_at IS NULL) <> (clock_out_source IS NULL)
          OR (status = 'auto_closed') <> (auto_clock_out_reason IS NOT NULL)
          OR is_edited <> (edited_by_user_id IS NOT NULL) OR greatest(clock_in_at, clock_out_at) > :now
          OR clock_out_at - clock_in_at > interval '24 hours'
        UNION ALL SELECT FROM break_times b LEFT JOIN clock_records c ON c.id = clock_record_id
        WHERE greatest(started_at, ended_at) > :now OR c.user_id <> b.user_id OR clock_in_at >= started_at
          OR (clock_out_at IS NOT NULL AND (ended_at < clock_out_at) IS NOT TRUE)""",
    "a request for time is not as its review and timesheet": """
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
        GROUP BY s.organization_id, s.id HAVING count(r.id) <> 1""",
}
