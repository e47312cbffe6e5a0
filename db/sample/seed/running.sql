-- Three of ten members are at work now, on whatever day it is.
--
-- Today's people began at their hour, or, where that is still to come, a minute ago; not before midnight. None of them
-- works at night, so that yesterday's time has ended. The last heartbeat is now; where `today` is over, it came after
-- eight hours, since a timer lasts at most a day.
TRUNCATE seed_shifts;

INSERT INTO seed_shifts
SELECT n, n, pg_temp.seed_id('member', n),
       greatest(midnight, least(hour, date_trunc('minute', now()) - interval '1 minute'))
FROM generate_series(1, :members) n
CROSS JOIN LATERAL (SELECT CAST(:today AS timestamp) AT TIME ZONE 'Europe/Berlin' AS midnight) day
CROSS JOIN LATERAL (SELECT midnight + interval '8 hours' + n % 5 * interval '15 minutes' AS hour) begin
WHERE n % 10 BETWEEN 1 AND 3;

INSERT INTO clock_records (organization_id, id, user_id, clock_in_at, status, created_at, updated_at)
SELECT :organization_id, pg_temp.seed_id_at(begins_at, 'open clock record', n), user_id, begins_at, 'open', begins_at,
       begins_at
FROM seed_shifts;

INSERT INTO timesheets
  (organization_id, id, user_id, project_id, task_id, started_at, tracked_until, created_at, updated_at)
SELECT :organization_id, pg_temp.seed_id_at(begins_at, 'running sheet', n), user_id,
       pg_temp.seed_id('project', project), pg_temp.seed_id('task', project - 1 + (2 + n % 18) * :members), begins_at,
       CASE WHEN now() < begins_at + interval '1 day' THEN greatest(begins_at, date_trunc('second', now()))
            ELSE begins_at + interval '8 hours' END,
       begins_at, begins_at
FROM seed_shifts CROSS JOIN LATERAL (SELECT (n + 37) % :members + 1 AS project) work;

-- updated_at stays, or polling would return every member.
UPDATE members
SET last_tracked_at = (
  SELECT max(ended_at) FROM timesheets
  WHERE timesheets.organization_id = :organization_id AND timesheets.user_id = members.user_id)
WHERE organization_id = :organization_id;
