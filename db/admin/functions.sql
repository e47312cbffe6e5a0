-- SQL functions that policies and triggers call, and those that clients call. orgdata migrate runs this file each time.

-- What policies call if the transaction has no organization: without it a query would find nothing, and not say why.
CREATE OR REPLACE FUNCTION public.organization_not_set() RETURNS uuid
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 0.01 AS $$
BEGIN
  -- Where tables are distributed, an INSERT calls the function although coalesce() does not need its value.
  IF current_setting('app.organization_id', true) <> '' THEN
    RETURN current_setting('app.organization_id');
  END IF;
  RAISE 'No organization is set: run SELECT set_organization(''ID'') first, in the same transaction.'
    USING ERRCODE = 'object_not_in_prerequisite_state',
          HINT = 'For a whole session: SET app.organization_id = ''ID''. The owner of the tables sees the ids in the'
                 || ' table organizations.';
END $$;

-- Sets the organization of the transaction, and returns its name, or null if it does not exist (yet).
CREATE OR REPLACE FUNCTION public.set_organization(id uuid) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('app.organization_id', id::text, true);
  RETURN (SELECT name FROM public.organizations WHERE organization_id = id);
END $$;

CREATE OR REPLACE FUNCTION public.set_updated_at() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  NEW.updated_at := greatest(
    statement_timestamp(), OLD.updated_at + interval '1 microsecond',
    -- That of a row that this one shows; the time that a writer gives is ignored.
    CASE WHEN pg_trigger_depth() > 1 THEN NEW.updated_at END);
  RETURN NEW;
END $$;

-- Refuses an UPDATE of an immovable column.
CREATE OR REPLACE FUNCTION public.refuse_move() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  -- The arguments are the immovable columns.
  RAISE USING
    MESSAGE = (SELECT string_agg(name, ' and ') FROM unnest(TG_ARGV) AS name
               WHERE to_jsonb(OLD) -> name <> to_jsonb(NEW) -> name) || ' of a row of ' || TG_TABLE_NAME
              || ' cannot change: set deleted_at, and insert a row with the new values.',
    ERRCODE = 'integrity_constraint_violation',
    HINT = 'Clients that poll with updated_since see the deletion in the one place, and the new row in the other.';
END $$;

-- A member who was not given the time of joining, joined when the row was made; reports leave out who never joined.
CREATE OR REPLACE FUNCTION public.set_join_times() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.joined_at IS NULL AND NEW.status IN ('active', 'suspended') THEN
    NEW.joined_at := coalesce(
      NEW.first_joined_at,
      date_trunc('second', CASE TG_OP WHEN 'INSERT' THEN NEW.created_at ELSE statement_timestamp() END));
  END IF;
  NEW.first_joined_at := least(NEW.first_joined_at, NEW.joined_at);
  RETURN NEW;
END $$;

-- A record that moves remembers the starts and the people that it had; reports of those days changed.
CREATE OR REPLACE FUNCTION public.remember_place() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
  first timestamptz;
  last timestamptz;
BEGIN
  -- The arguments are the columns of the start.
  SELECT min(at), max(at) INTO first, last
  FROM (SELECT (to_jsonb(OLD) ->> name)::timestamptz AS at FROM unnest(TG_ARGV) AS name) AS starts;
  NEW.earlier_from := least(OLD.earlier_from, first);
  NEW.earlier_until := greatest(OLD.earlier_until, last);
  IF NEW.user_id <> OLD.user_id AND OLD.user_id <> ALL (coalesce(OLD.earlier_user_ids, '{}')) THEN
    NEW.earlier_user_ids := OLD.earlier_user_ids || OLD.user_id;
  END IF;
  RETURN NEW;
END $$;

-- A member whose membership changes remembers its earlier days, in which reports had a row of the person.
CREATE OR REPLACE FUNCTION public.remember_membership() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.first_joined_at IS NOT NULL AND OLD.deleted_at IS NULL THEN
    NEW.earlier_removed_at := CASE
      WHEN OLD.removed_at IS NULL OR (OLD.earlier_joined_at IS NOT NULL AND OLD.earlier_removed_at IS NULL) THEN NULL
      ELSE greatest(OLD.earlier_removed_at, OLD.removed_at) END;
    NEW.earlier_joined_at := least(OLD.earlier_joined_at, OLD.first_joined_at);
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION public.remember_report_change() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  -- The same time as in set_updated_at.
  NEW.report_changed_at := greatest(statement_timestamp(), OLD.updated_at + interval '1 microsecond');
  RETURN NEW;
END $$;

-- A timesheet that becomes another person's takes its idle times along.
CREATE OR REPLACE FUNCTION public.carry_idle_times() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE public.idle_times SET user_id = NEW.user_id
  WHERE organization_id = NEW.organization_id AND timesheet_id = NEW.id AND user_id <> NEW.user_id;
  RETURN NULL;
END $$;

-- An idle time is of the person of its timesheet, whatever a writer gives.
CREATE OR REPLACE FUNCTION public.follow_timesheet() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  NEW.user_id := coalesce(
    (SELECT user_id FROM public.timesheets WHERE organization_id = NEW.organization_id AND id = NEW.timesheet_id),
    NEW.user_id);
  RETURN NEW;
END $$;

-- The organizations that an internal token may read, by name: the service itself sees one at a time, by its id.
--
-- It runs as the owner of the tables, for whom no policy hides rows, and only the service may call it
-- (`db.admin.roles`).
--
CREATE OR REPLACE FUNCTION public.organizations_of_token(
  token text, search text, after uuid, page_size int, OUT organization_id uuid, OUT name text, OUT status text,
  OUT total int
) RETURNS SETOF record
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  covered uuid[];
  is_valid bool;
  after_name text;
BEGIN
  SELECT k.organization_ids, true INTO covered, is_valid FROM public.api_keys k
  WHERE k.public_id = token AND k.purpose = 'internal' AND k.revoked_at IS NULL AND k.expires_at > now();
  IF is_valid IS NULL THEN
    RETURN;
  END IF;
  -- An id that the token does not cover is found nowhere, so that no position in the order shows its name.
  SELECT lower(o.name) INTO after_name FROM public.organizations o
  WHERE o.organization_id = after AND (covered IS NULL OR o.organization_id = ANY (covered));
  RETURN QUERY
  SELECT o.organization_id, o.name, o.status, o.total
  FROM (SELECT found.*, count(*) OVER ()::int AS total
        FROM public.organizations found
        WHERE found.deleted_at IS NULL AND (covered IS NULL OR found.organization_id = ANY (covered))
          AND (search IS NULL OR found.organization_id::text = lower(search)
               OR strpos(lower(found.name), lower(search)) > 0)) o
  WHERE after IS NULL OR (lower(o.name), o.organization_id) > (after_name, after)
  ORDER BY lower(o.name), o.organization_id
  LIMIT page_size;
END $$;
