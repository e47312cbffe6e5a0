"""SQL functions of the database, which policies and triggers call. `orgdata migrate` creates them again each time.

They are created before the migrations, so their bodies may name tables that do not exist yet.
"""

from sqlalchemy import Connection

NOT_SET = """
CREATE OR REPLACE FUNCTION public.organization_not_set() RETURNS uuid
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 0.01 AS $$
BEGIN
  RAISE 'No organization is set: run SELECT set_organization(''ID'') first, in the same transaction.'
    USING ERRCODE = 'object_not_in_prerequisite_state',
          HINT = 'For a whole session: SET app.organization_id = ''ID''. The owner of the tables sees the ids in the'
                 || ' table organizations.';
END $$
"""
"""What policies call if the transaction has no organization: without it a query would find nothing, and not say why."""

SET_ORGANIZATION = """
CREATE OR REPLACE FUNCTION public.set_organization(id uuid) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('app.organization_id', id::text, true);
  RETURN (SELECT name FROM public.organizations WHERE organization_id = id);
END $$
"""
"""Sets the organization of the transaction, and returns its name, or null if it does not exist (yet)."""

SET_UPDATED_AT = """
CREATE OR REPLACE FUNCTION public.set_updated_at() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  -- The arguments are the derived columns.
  IF TG_NARGS > 0 AND to_jsonb(OLD) - TG_ARGV = to_jsonb(NEW) - TG_ARGV THEN
    RETURN NEW;
  END IF;
  NEW.updated_at := greatest(statement_timestamp(), OLD.updated_at + interval '1 microsecond');
  RETURN NEW;
END $$
"""

REFUSE_MOVE = """
CREATE OR REPLACE FUNCTION public.refuse_move() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  -- The arguments are the immovable columns.
  RAISE USING
    MESSAGE = array_to_string(TG_ARGV, ' and ') || ' of a row of ' || TG_TABLE_NAME
              || ' cannot change: set deleted_at, and insert a row with the new values.',
    ERRCODE = 'integrity_constraint_violation',
    HINT = 'Clients that poll with updated_since see the deletion in the one place, and the new row in the other.';
END $$
"""
"""Refuses an UPDATE of an immovable column."""

SET_JOIN_TIMES = """
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
END $$
"""
"""A member who was not given the time of joining, joined when the row was made; reports leave out who never joined."""


def ensure_functions(connection: Connection) -> None:
    """Create the functions, or replace them by those of this version."""
    for function in (NOT_SET, SET_ORGANIZATION, SET_UPDATED_AT, REFUSE_MOVE, SET_JOIN_TIMES):
        connection.exec_driver_sql(function)
