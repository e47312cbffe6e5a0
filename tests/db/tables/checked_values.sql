-- Values that are refused, with the name of the rule after each, and some that are accepted.

UPDATE organizations SET features = '{}'; -- features_app_tracking_is_boolean
UPDATE organizations SET features = features - 'leave'; -- features_leave_is_boolean
UPDATE organizations SET features = features || '{"leave": "yes"}'; -- features_leave_is_boolean
UPDATE organizations SET features = '[]'; -- features_app_tracking_is_boolean
UPDATE organizations SET data_retention_days = '{}'; -- data_retention_days_app_usage_is_days
UPDATE organizations SET data_retention_days = data_retention_days || '{"url_usage": 1.5}';
    -- data_retention_days_url_usage_is_days
UPDATE organizations SET data_retention_days = data_retention_days || '{"url_usage": -1}';
    -- data_retention_days_url_usage_is_days
UPDATE members SET custom_fields = '{"desk": 7}'; -- custom_fields_are_strings
UPDATE members SET custom_fields = '{"desk": ["B"]}'; -- custom_fields_are_strings
UPDATE members SET custom_fields = '[]'; -- custom_fields_are_strings
UPDATE members SET first_joined_at = 'infinity', joined_at = 'infinity'; -- years_1900_to_2999
UPDATE members SET weekly_limit_seconds = -1; -- zero_or_more
UPDATE members SET hired_on = '-infinity'; -- years_1900_to_9999
UPDATE clients SET address = '{"city": 1}'; -- address_are_strings
UPDATE clients SET invoice_emails = ARRAY['a@example.com', NULL]; -- invoice_emails_without_null
UPDATE tasks SET labels = ARRAY[ARRAY['a', 'b'], ARRAY['c', 'd']]; -- labels_without_null
UPDATE tasks SET due_date = 'infinity'; -- years_1900_to_9999
UPDATE tasks SET estimate_seconds = -1; -- zero_or_more
UPDATE tasks SET deleted_at = 'infinity'; -- years_1900_to_2999
UPDATE projects SET bill_rate = 'NaN'; -- without_nan
UPDATE invoice_lines SET quantity = 'NaN'; -- without_nan
UPDATE timesheets SET tracked_until = '0044-03-15 BC'; -- tracked_until
UPDATE clock_records SET scheduled_start_at = '2026-01-06Z', scheduled_end_at = '2026-01-05Z'; -- scheduled
UPDATE clock_records SET clock_in_location = '{}'; -- clock_in_location_is_place
UPDATE clock_records SET clock_in_location = '{"latitude": 52.5, "longitude": "1"}'; -- clock_in_location_is_place
UPDATE clock_records SET clock_in_location = '{"latitude": "N", "longitude": "1"}'; -- clock_in_location_is_place
UPDATE clock_records SET clock_in_location = '{"latitude": "1", "longitude": "1", "accuracy_meters": 0.5}';
    -- clock_in_location_is_place
UPDATE clock_records SET clock_out_location = '{}'; -- clock_out_location_is_place
UPDATE suspicious_activity_logs SET evidence = '{"app_names": [1]}'; -- evidence_is_known
UPDATE suspicious_activity_logs SET evidence = '{"app_names": "Editor"}'; -- evidence_is_known
UPDATE suspicious_activity_logs SET evidence = '{"screenshot_ids": ["x"]}'; -- evidence_is_known
UPDATE suspicious_activity_logs SET evidence = '{"mouse_seconds": "1"}'; -- evidence_is_known
UPDATE screenshots SET size_bytes = 3000000000; -- size_bytes

-- People and work.
UPDATE members SET status = 'removed', removed_at = NULL; -- removed
UPDATE project_members SET source = 'team', team_id = NULL; -- source_team
UPDATE clients SET budget_type = 'amount', budget_amount = NULL, budget_seconds = NULL; -- budget_of_money
UPDATE clients SET budget_type = 'time', budget_amount = NULL, budget_seconds = NULL; -- budget_of_time
UPDATE projects SET budget_type = 'amount', budget_amount = NULL, budget_seconds = NULL; -- budget_of_money
UPDATE projects SET budget_type = 'time', budget_amount = NULL, budget_seconds = NULL; -- budget_of_time

-- Activity.
UPDATE app_usages SET duration_seconds = 901, active_seconds = 0; -- duration_seconds
UPDATE app_usages SET duration_seconds = -1, active_seconds = -1; -- active_seconds
UPDATE app_usages SET duration_seconds = 10, active_seconds = 11; -- active_seconds
UPDATE app_usages SET sessions_count = -1; -- sessions_count
UPDATE app_usages SET last_at = first_at - interval '1 second'; -- first_at
UPDATE url_usages SET duration_seconds = 901, active_seconds = 0; -- duration_seconds
UPDATE url_usages SET duration_seconds = 10, active_seconds = 11; -- active_seconds
UPDATE url_usages SET visits_count = -1; -- visits_count
UPDATE url_usages SET last_at = first_at - interval '1 second'; -- first_at
UPDATE domains SET name = 'Example.org'; -- name
UPDATE screenshots SET status = 'available', object_key = NULL; -- object_key
UPDATE screenshots SET activity_percent = -1; -- activity_percent
UPDATE screenshots SET activity_percent = 101; -- activity_percent
UPDATE suspicious_activity_logs SET confidence_percent = 101; -- confidence_percent
UPDATE suspicious_activity_logs SET deducted_seconds = -1; -- deducted_seconds
UPDATE suspicious_activity_logs SET ended_at = started_at - interval '1 second'; -- started_at
UPDATE url_pages SET url = 'https://example.com/?q=1'; -- url
UPDATE url_pages SET url = 'https://example.com?q'; -- url
UPDATE url_pages SET url = 'https://example.com/a#b'; -- url
UPDATE url_pages SET url = 'https://example.com#b'; -- url
UPDATE url_pages SET url = 'https://ada@example.com/'; -- url
UPDATE url_pages SET url = 'https://ada:secret@example.com/'; -- url
UPDATE url_pages SET url = 'https://example.com:80@evil.example/'; -- url
UPDATE url_pages SET url = 'https:///path'; -- url
UPDATE url_pages SET url = 'example.com/'; -- url
UPDATE url_pages SET url = 'javascript:alert(1)'; -- url
UPDATE url_pages SET url = ''; -- url

-- Leave.
UPDATE leave_applications SET end_date = start_date - 1; -- dates
UPDATE leave_applications SET started_at = applied_at, ended_at = NULL; -- hours
UPDATE leave_applications SET ended_at = applied_at, started_at = NULL; -- hours
UPDATE leave_applications SET started_at = applied_at, ended_at = applied_at; -- hours
UPDATE leave_applications SET amount = -0.01; -- no_negative_parts
UPDATE leave_applications SET status = 'granted'; -- status
UPDATE leave_applications SET start_day_part = 'morning'; -- start_day_part
UPDATE leave_assignments SET effective_to = effective_from - 1; -- dates
UPDATE leave_periods SET end_date = start_date - 1; -- dates
UPDATE leave_application_days SET amount = -1; -- no_negative_parts
UPDATE leave_balances SET used = -1; -- no_negative_parts
UPDATE leave_policies SET day_length_seconds = 0; -- day_length
UPDATE leave_policies SET carry_over_expires_on_month_day = '13-01'; -- carry_over_expires
UPDATE leave_policies SET carry_over_expires_on_month_day = '1-5'; -- carry_over_expires

-- Invoices and payments.
UPDATE invoices SET subtotal = 100, tax_amount = 0, total = 100.0001; -- total
UPDATE invoices SET subtotal = 100, tax_amount = 20, total = 100; -- total
UPDATE invoices SET subtotal = 100, tax_amount = 0, total = 105, discount_type = 'amount', discount_value = 5,
    discount_amount = 5; -- total
UPDATE invoices SET subtotal = 100, tax_amount = 0, total = 100, discount_value = 5; -- discount_value
UPDATE invoices SET subtotal = 100, tax_amount = 0, total = 100, discount_type = 'percent'; -- discount_value
UPDATE invoices SET subtotal = 100, tax_amount = 0, total = 100, discount_type = 'amount'; -- discount_value
UPDATE invoices SET subtotal = 100, tax_amount = 0, total = 95, discount_amount = 5; -- discount_amount
UPDATE invoices SET subtotal = 100, tax_amount = 0, total = 94, discount_type = 'amount', discount_value = 5,
    discount_amount = 6; -- discount_amount
UPDATE invoices SET subtotal = 100, tax_amount = 0, total = 100, discount_type = 'percent', discount_value = 101;
    -- discount_amount
UPDATE invoices SET subtotal = 100, tax_amount = 0, total = 100, discount_type = 'percent', discount_value = -1;
    -- discount_amount
UPDATE invoices SET subtotal = 100, tax_amount = 0, total = 100, discount_type = 'half', discount_value = 1;
    -- discount_type
UPDATE invoices SET period_start = '2026-01-05', period_end = '2026-01-04'; -- period
UPDATE payables SET period_start = '2026-01-05', period_end = '2026-01-04'; -- period
UPDATE hourly_payment_logs SET period_start = '2026-01-05', period_end = '2026-01-04'; -- period
UPDATE one_time_payment_logs SET period_start = '2026-01-05', period_end = '2026-01-04'; -- period
UPDATE payment_settings SET effective_to = effective_from - 1; -- effective
UPDATE one_time_payment_logs SET type = 'deduction', amount = 0.01; -- deduction
UPDATE hourly_payment_logs SET tracked_seconds = -1; -- seconds
UPDATE hourly_payment_logs SET paid_seconds = -1; -- seconds
UPDATE hourly_payment_logs SET overtime_seconds = -1; -- seconds
UPDATE payables SET tracked_seconds = -1; -- seconds
UPDATE payables SET payable_seconds = -1; -- seconds
UPDATE hourly_payment_lines SET paid_seconds = -1; -- seconds
UPDATE invoice_lines SET duration_seconds = -1; -- duration

-- Time.
UPDATE timesheets SET ended_at = started_at - interval '0 s'; -- interval
UPDATE timesheets SET ended_at = started_at - interval '1 s'; -- interval
UPDATE break_times SET ended_at = started_at - interval '0 s'; -- interval
UPDATE break_times SET ended_at = started_at - interval '1 s'; -- interval
UPDATE manual_requests SET ended_at = started_at - interval '0 s'; -- interval
UPDATE manual_requests SET ended_at = started_at - interval '1 s'; -- interval
UPDATE timesheets SET ended_at = started_at + interval '24 hours 1 second'; -- longest
UPDATE break_times SET ended_at = started_at + interval '24 hours 1 second'; -- longest
UPDATE manual_requests SET ended_at = started_at + interval '24 hours 1 second'; -- longest
UPDATE timesheets SET ended_at = NULL, tracked_until = started_at + interval '24 hours 1 second'; -- longest
UPDATE timesheets SET ended_at = NULL, tracked_until = started_at - interval '1 second'; -- tracked_until
UPDATE timesheets SET input_seconds = 10, active_seconds = -1; -- active_seconds
UPDATE timesheets SET input_seconds = 10, active_seconds = 11; -- active_seconds
UPDATE timesheets SET input_seconds = 10, keyboard_seconds = -1; -- keyboard_seconds
UPDATE timesheets SET input_seconds = 10, keyboard_seconds = 11; -- keyboard_seconds
UPDATE timesheets SET input_seconds = 10, mouse_seconds = -1; -- mouse_seconds
UPDATE timesheets SET input_seconds = 10, mouse_seconds = 11; -- mouse_seconds
UPDATE activity_slots SET input_seconds = 901; -- input_seconds
UPDATE activity_slots SET input_seconds = 10, active_seconds = 11; -- active_seconds
UPDATE activity_slots SET input_seconds = 10, active_seconds = 0, keyboard_seconds = 11; -- keyboard_seconds
UPDATE activity_slots SET input_seconds = 10, active_seconds = 0, keyboard_seconds = 0, mouse_seconds = 11;
    -- mouse_seconds
UPDATE clock_records SET status = 'closed', clock_out_at = NULL; -- open
UPDATE clock_records SET status = 'open', clock_out_at = clock_in_at + interval '1 second'; -- open
UPDATE clock_records SET status = 'closed', clock_out_at = clock_in_at; -- interval
UPDATE clock_records SET auto_clock_out_reason = 'midnight'; -- auto_closed
UPDATE clock_records SET clock_in_source = 'fax'; -- clock_in_source
UPDATE manual_requests SET action = 'edited', original_started_at = NULL, original_ended_at = NULL; -- edited
UPDATE manual_requests SET original_started_at = started_at, original_ended_at = NULL; -- edited
UPDATE manual_requests SET original_started_at = started_at, original_ended_at = started_at; -- original
UPDATE idle_times SET ended_at = started_at; -- interval
UPDATE idle_times SET ended_at = started_at + interval '24 hours 1 second'; -- longest
UPDATE idle_times SET action = 'kept', reassigned_project_id = (SELECT id FROM projects LIMIT 1); -- reassigned

-- The right form.
UPDATE organizations SET features = features || '{"other": 1}'; -- accepted
UPDATE organizations SET data_retention_days = data_retention_days || '{"screenshots": 0}'; -- accepted
UPDATE members SET custom_fields = '{"desk": "B-01"}'; -- accepted
UPDATE clients SET address = '{"line1": "A", "line2": null}'; -- accepted
UPDATE clients SET address = NULL, invoice_emails = '{}'; -- accepted
UPDATE tasks SET due_date = '9999-12-31', labels = ARRAY['a', 'b']; -- accepted
UPDATE clock_records SET clock_in_location = '{"latitude": "-52.5", "longitude": "13", "label": null}'; -- accepted
UPDATE clock_records SET clock_in_location = '{"latitude": "1", "longitude": "1.25", "label": "a", "accuracy_meters": 12}';
    -- accepted
UPDATE suspicious_activity_logs SET evidence = '{"app_names": [], "mouse_seconds": null, "tracked_seconds": 5}';
    -- accepted
UPDATE url_pages SET url = 'https://example.com'; -- accepted
UPDATE url_pages SET url = 'http://example.com:8080/a/@b/c%20d'; -- accepted
UPDATE url_pages SET url = 'ftp://xn--caf-dma.example/'; -- accepted
UPDATE leave_policies SET carry_over_expires_on_month_day = '02-29'; -- accepted
UPDATE leave_policies SET carry_over_expires_on_month_day = '12-31'; -- accepted
UPDATE one_time_payment_logs SET type = 'deduction', amount = -0.01; -- accepted
UPDATE one_time_payment_logs SET type = 'adjustment', amount = -0.01; -- accepted
UPDATE timesheets SET ended_at = started_at + interval '1 s'; -- accepted
UPDATE timesheets SET ended_at = started_at + interval '24 hours'; -- accepted
UPDATE break_times SET ended_at = started_at + interval '1 s'; -- accepted
UPDATE break_times SET ended_at = started_at + interval '24 hours'; -- accepted
UPDATE manual_requests SET ended_at = started_at + interval '1 s'; -- accepted
UPDATE manual_requests SET ended_at = started_at + interval '24 hours'; -- accepted
UPDATE timesheets SET input_seconds = 10, active_seconds = 10; -- accepted
UPDATE timesheets SET input_seconds = 10, keyboard_seconds = 10; -- accepted
UPDATE timesheets SET input_seconds = 10, mouse_seconds = 10; -- accepted
UPDATE timesheets SET ended_at = NULL, tracked_until = started_at; -- accepted
UPDATE activity_slots SET input_seconds = 900; -- accepted
UPDATE idle_times SET action = 'reassigned', reassigned_project_id = (SELECT id FROM projects LIMIT 1); -- accepted
