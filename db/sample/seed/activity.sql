-- Activity of each slot: about three applications, four pages, one or two screenshots. A shift has 34 slots.
--
-- The n-th application of a slot gets n shares of its input time; pages get half of that.
INSERT INTO app_usages
  (organization_id, user_id, slot_at, app_id, timesheet_id, duration_seconds, active_seconds, sessions_count, first_at,
   last_at, created_at, updated_at)
SELECT :organization_id, user_id, slot_at, pg_temp.seed_id('app', (n + s / 5 + j * 7) % 60), timesheet_id, duration,
       duration * active_seconds / input_seconds, j, begins_at + j * interval '10 seconds',
       slot_at + interval '15 minutes' - j * interval '10 seconds', slot_at, slot_at + interval '15 minutes'
FROM seed_slots
CROSS JOIN LATERAL (SELECT CASE WHEN s % 17 = 0 THEN 2 ELSE 3 END AS things) many
CROSS JOIN LATERAL generate_series(1, things) j
CROSS JOIN LATERAL (SELECT input_seconds * j * 2 / (things * (things + 1)) AS duration) used;

INSERT INTO url_usages
  (organization_id, user_id, slot_at, domain_id, page_id, timesheet_id, duration_seconds, active_seconds, visits_count,
   first_at, last_at, created_at, updated_at)
SELECT :organization_id, user_id, slot_at, pg_temp.seed_id('domain', page / 10), pg_temp.seed_id('page', page),
       timesheet_id, duration, duration * active_seconds / input_seconds, j, begins_at + j * interval '10 seconds',
       slot_at + interval '15 minutes' - j * interval '10 seconds', slot_at, slot_at + interval '15 minutes'
FROM seed_slots
CROSS JOIN LATERAL (SELECT CASE WHEN s < 18 THEN 4 ELSE 3 END AS things) many
CROSS JOIN LATERAL generate_series(1, things) j
CROSS JOIN LATERAL (SELECT input_seconds * j / (things * (things + 1)) AS duration,
                           (n * 30 + s / 3 * 11 + j * 3) % 3000 AS page) used;

INSERT INTO screenshots
  (organization_id, id, user_id, timesheet_id, project_id, task_id, captured_at, status, object_key, thumbnail_key,
   width, height, size_bytes, is_blurred, activity_percent, app_name, created_at, updated_at)
SELECT :organization_id, id, user_id, timesheet_id, project_id, task_id, at,
       CASE WHEN (n + s) % 50 = 0 THEN 'deleted' ELSE 'available' END, 'screenshots/' || id || '.jpg',
       'thumbnails/' || id || '.jpg', 1920, 1080, 180000 + (n * 37 + s * 911) % 90000, n % 10 = 0,
       100 * active_seconds / input_seconds, 'App ' || (n + s / 5) % 60, at, at + interval '1 minute'
FROM seed_slots
CROSS JOIN LATERAL generate_series(1, CASE WHEN s < 14 THEN 2 ELSE 1 END) j
CROSS JOIN LATERAL (SELECT begins_at + j * interval '4 minutes' AS at) shot
CROSS JOIN LATERAL (SELECT pg_temp.seed_id_at(at, 'screenshot', n) AS id) named;

INSERT INTO suspicious_activity_logs
  (organization_id, id, user_id, type, severity, confidence_percent, started_at, ended_at, timesheet_id, project_id,
   evidence, status, reviewed_by_user_id, reviewed_at, created_at, updated_at)
SELECT :organization_id, pg_temp.seed_id_at(started_at, 'suspicion', number), user_id,
       (ARRAY['mouse_jiggler', 'constant_activity', 'key_repeat'])[number % 3 + 1],
       (ARRAY['low', 'medium', 'high'])[number / 50 % 3 + 1], 50 + number % 50, started_at, ended_at, id, project_id,
       '{"keyboard_seconds": 12, "mouse_seconds": 840, "active_seconds": 850, "tracked_seconds": 900,
         "app_names": ["App 1"], "screenshot_ids": []}',
       CASE WHEN is_open THEN 'open' ELSE 'dismissed' END,
       CASE WHEN NOT is_open THEN pg_temp.seed_id('member', 1) END,
       CASE WHEN NOT is_open THEN ended_at + interval '2 hours' END, ended_at, ended_at + interval '2 hours'
FROM seed_sheets CROSS JOIN LATERAL (SELECT number % 100 = 0 AS is_open) review
WHERE k = 3 AND number % 50 = 0;
