-- Settings, functions and temporary tables of a seed.
--
-- Functions stay on this node of a cluster. A day's rows are sorted and joined in memory. A lock of another transaction
-- ends the seed after ten seconds. Rows keep their times when those that they show are inserted.
SET LOCAL citus.enable_ddl_propagation = off;

SET LOCAL work_mem = '128MB';

SET LOCAL maintenance_work_mem = '256MB';

SET LOCAL jit = off;

SET LOCAL lock_timeout = '10s';

SET LOCAL app.restores = 'on';

-- seed_id makes the same id from the same number, so that one statement can reference rows of another. seed_id_at
-- makes ids that begin with a time, like UUID version 7, so that indexes by id grow at their end.
CREATE OR REPLACE FUNCTION pg_temp.seed_id(kind text, number bigint) RETURNS uuid
LANGUAGE sql IMMUTABLE AS $$ SELECT md5(kind || number)::uuid $$;

CREATE OR REPLACE FUNCTION pg_temp.seed_id_at(at timestamptz, kind text, number bigint) RETURNS uuid
LANGUAGE sql STABLE AS $$
  SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7'
          || overlay(substr(md5(kind || number), 1, 19) PLACING '8' FROM 4 FOR 1))::uuid $$;

CREATE OR REPLACE FUNCTION pg_temp.seed_is_workday(day date) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$ SELECT extract(isodow FROM day) < 6 $$;

CREATE OR REPLACE FUNCTION pg_temp.seed_is_at_work(n int, day date) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$ SELECT (n * 7 + (day - date '2000-01-01') * 3) % 10 < 7 $$;

CREATE OR REPLACE FUNCTION pg_temp.seed_rating(n int) RETURNS text
LANGUAGE sql IMMUTABLE AS $$ SELECT (ARRAY['productive', 'neutral', 'unproductive', 'unrated'])[n % 4 + 1] $$;

-- Shifts, timesheets and slots go to temporary tables first, because timesheets hold sums of their slots, and activity
-- is derived from slots.
CREATE TEMP TABLE seed_shifts
  (number bigint, n int, user_id uuid, begins_at timestamptz) ON COMMIT DROP;

CREATE TEMP TABLE seed_sheets
  (id uuid, number bigint, n int, k int, first int, user_id uuid, project_id uuid, task_id uuid, request text,
   first_slot_at timestamptz, slots int, started_at timestamptz, ended_at timestamptz) ON COMMIT DROP;

CREATE TEMP TABLE seed_slots
  (timesheet_id uuid, user_id uuid, project_id uuid, task_id uuid, n int, s int, slot_at timestamptz,
   begins_at timestamptz, input_seconds int, active_seconds int) ON COMMIT DROP;
