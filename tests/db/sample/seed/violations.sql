-- Violations of the writers' rules that `orgdata doctor` does not check, each with the query that finds it.

-- applications were used for longer than input was captured:
SELECT slot_at FROM activity_slots slot
JOIN app_usages used USING (organization_id, user_id, slot_at, timesheet_id)
GROUP BY organization_id, user_id, slot_at, timesheet_id, slot.input_seconds
HAVING sum(duration_seconds) > slot.input_seconds;

-- a task belongs to another project:
SELECT sheet.id FROM timesheets sheet JOIN tasks ON tasks.id = task_id
WHERE tasks.project_id <> sheet.project_id;

-- a request that was approved has no timesheet:
SELECT request.id FROM manual_requests request LEFT JOIN timesheets sheet ON sheet.id = timesheet_id
WHERE (status = 'approved') <> (sheet.id IS NOT NULL)
   OR (sheet.started_at, sheet.ended_at) <> (request.started_at, request.ended_at);

-- last_tracked_at is not the end of the last timesheet:
SELECT user_id FROM members LEFT JOIN timesheets USING (user_id)
GROUP BY user_id, last_tracked_at HAVING max(ended_at) IS DISTINCT FROM last_tracked_at;

-- an invoice is not the sum of its lines:
SELECT invoices.id FROM invoices JOIN invoice_lines ON invoice_id = invoices.id
GROUP BY invoices.organization_id, invoices.id HAVING sum(amount) <> subtotal;

-- a payment is not the sum of its lines:
SELECT log.id FROM hourly_payment_logs log JOIN hourly_payment_lines line ON log_id = log.id
GROUP BY log.organization_id, log.id
HAVING sum(line.amount) <> log.amount OR sum(line.paid_seconds) <> log.paid_seconds;

-- a balance is not the sum of its applications:
SELECT balance.id FROM leave_balances balance
LEFT JOIN leave_applications leave USING (user_id, leave_policy_id, leave_period_id)
GROUP BY balance.organization_id, balance.id
HAVING coalesce(sum(amount) FILTER (WHERE leave.status = 'approved'), 0) <> used
    OR coalesce(sum(amount) FILTER (WHERE leave.status = 'pending'), 0) <> pending;

-- leave is not the sum of its days:
SELECT leave.id FROM leave_applications leave
LEFT JOIN leave_application_days day ON leave_application_id = leave.id
GROUP BY leave.organization_id, leave.id, leave.amount HAVING leave.amount IS DISTINCT FROM sum(day.amount);
