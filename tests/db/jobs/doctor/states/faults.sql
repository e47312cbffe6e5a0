-- Faults of a database: the check that finds each, what the check says of it, and commands of a superuser.

-- Tables.
-- changed-table: erasures is missing
DROP TABLE erasures CASCADE;
-- changed-table: trusted_documents is unlogged table instead of
ALTER TABLE trusted_documents SET UNLOGGED;
-- added-table: badges
CREATE TABLE badges (id int);
-- added-table: more
CREATE TABLE more () INHERITS (currencies);
-- added-table: everything
CREATE VIEW everything WITH (security_invoker = true) AS SELECT * FROM tasks;
-- views-without-row-security: everything
CREATE VIEW everything AS SELECT * FROM tasks;
-- changed-owner: table tasks is postgres instead of the owner
ALTER TABLE tasks OWNER TO postgres;
-- changed-owner: function set_updated_at() is postgres
ALTER FUNCTION set_updated_at() OWNER TO postgres;
-- changed-row-security: teams is enabled instead of
ALTER TABLE teams NO FORCE ROW LEVEL SECURITY;
-- changed-row-security: api_keys is forced instead of
ALTER TABLE api_keys DISABLE ROW LEVEL SECURITY;
-- added-row-security: trusted_documents: enabled
ALTER TABLE trusted_documents ENABLE ROW LEVEL SECURITY;

-- Columns.
-- changed-column: tasks.description is missing
ALTER TABLE tasks DROP COLUMN description CASCADE;
-- changed-column: teams.name is missing
ALTER TABLE teams RENAME COLUMN name TO title;
-- changed-column: erasures.object_count is bigint
ALTER TABLE erasures ALTER COLUMN object_count TYPE bigint;
-- changed-column: teams.name is text instead of
ALTER TABLE teams ALTER COLUMN name DROP NOT NULL;
-- changed-column: timesheets.note is text, not null
ALTER TABLE timesheets ALTER COLUMN note SET NOT NULL;
-- changed-column: timesheets.tags is text[], not null
ALTER TABLE timesheets ALTER COLUMN tags DROP DEFAULT;
-- changed-column: timesheets.tags is
ALTER TABLE timesheets ALTER COLUMN tags SET DEFAULT '{a}';
-- changed-column: teams.name is
ALTER TABLE teams ALTER COLUMN name TYPE text COLLATE "POSIX";
-- added-column: teams.color
ALTER TABLE teams ADD COLUMN color text;
-- added-storage: timesheets.note: storage e
ALTER TABLE timesheets ALTER COLUMN note SET STORAGE EXTERNAL;
-- added-storage: note: storage x, n_distinct=5
ALTER TABLE timesheets ALTER COLUMN note SET (n_distinct = 5);
-- changed-storage: timesheets
ALTER TABLE timesheets SET (autovacuum_enabled = false);
-- changed-storage: timesheets
ALTER TABLE timesheets RESET (autovacuum_vacuum_scale_factor);

-- Constraints and indexes.
-- changed-constraint: ADD CONSTRAINT quota_overrides_request_limit_check CHECK (request_limit > 0)
ALTER TABLE quota_overrides DROP CONSTRAINT quota_overrides_request_limit_check;
-- changed-constraint: quota_overrides_request_limit_check
ALTER TABLE quota_overrides DROP CONSTRAINT quota_overrides_request_limit_check,
    ADD CONSTRAINT quota_overrides_request_limit_check CHECK (request_limit > -1);
-- changed-constraint: NOT VALID
ALTER TABLE quota_overrides DROP CONSTRAINT quota_overrides_request_limit_check,
    ADD CONSTRAINT quota_overrides_request_limit_check CHECK (request_limit > 0) NOT VALID;
-- changed-constraint: FOREIGN KEY (organization_id, task_id) REFERENCES tasks(organization_id, id)
ALTER TABLE task_members DROP CONSTRAINT task_members_organization_id_task_id_fkey;
-- changed-constraint: triggers disabled
ALTER TABLE quota_overrides DISABLE TRIGGER ALL;
-- added-constraint: tasks.short
ALTER TABLE tasks ADD CONSTRAINT short CHECK (length(name) < 9);
-- changed-index: CREATE INDEX teams_organization_id_created_at_id_idx ON
DROP INDEX teams_organization_id_created_at_id_idx;
-- changed-index: teams_organization_id_created_at_id_idx
DROP INDEX teams_organization_id_created_at_id_idx;
CREATE INDEX teams_organization_id_created_at_id_idx ON teams (organization_id);
-- changed-index: not valid
UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'tasks_organization_id_external_id_idx'::regclass;
-- added-index: one_name
CREATE UNIQUE INDEX one_name ON teams (name);
-- added-statistics: days
CREATE STATISTICS days ON user_id, started_at FROM timesheets;

-- Triggers, functions, rules, policies.
-- changed-trigger: teams.set_updated_at
DROP TRIGGER set_updated_at ON teams;
-- changed-trigger: teams.set_updated_at
ALTER TABLE teams DISABLE TRIGGER set_updated_at;
-- changed-trigger: teams.set_updated_at
ALTER TABLE teams ENABLE REPLICA TRIGGER set_updated_at;
-- changed-trigger: teams.cascade_deletion
DROP TRIGGER cascade_deletion ON teams;
-- changed-trigger: teams.set_updated_at
CREATE OR REPLACE TRIGGER set_updated_at AFTER UPDATE ON teams FOR EACH ROW EXECUTE FUNCTION set_updated_at();
-- added-trigger: teams.spy
CREATE TRIGGER spy BEFORE INSERT ON teams FOR EACH ROW EXECUTE FUNCTION set_updated_at();
-- no-cascades: cascade_deletion
DO $$ BEGIN EXECUTE (
    SELECT string_agg(format('DROP TRIGGER %I ON %s', tgname, tgrelid::regclass), '; ')
    FROM pg_trigger WHERE tgname ~ '^(cascade_deletion|follow_|touch_|carry_)'
); END $$;
-- changed-function: set_updated_at()
CREATE OR REPLACE FUNCTION set_updated_at() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
-- changed-function: set_updated_at()
ALTER FUNCTION set_updated_at() SECURITY DEFINER;
-- added-function: counted()
CREATE FUNCTION counted() RETURNS int LANGUAGE sql AS 'SELECT 1';
-- views-without-row-security: counted
CREATE FUNCTION counted() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'SELECT 1';
-- added-rule: teams.quiet
CREATE RULE quiet AS ON DELETE TO teams DO INSTEAD NOTHING;
-- changed-policy: tasks.tenant is missing
DROP POLICY tenant ON tasks;
-- changed-policy: projects.tenant
ALTER POLICY tenant ON projects USING (true);
-- changed-policy: organizations.owner
ALTER POLICY owner ON organizations TO PUBLIC;
-- added-policy: teams.everything
CREATE POLICY everything ON teams USING (true);

-- Rights.
-- changed-right: orgdata_service on table tasks
REVOKE SELECT ON tasks FROM orgdata_service;
-- changed-right: orgdata_writer on column organizations.country
REVOKE UPDATE (country) ON organizations FROM orgdata_writer;
-- changed-right: orgdata_service on schema public
REVOKE USAGE ON SCHEMA public FROM orgdata_service;
-- changed-right: the owner on table teams
REVOKE ALL ON teams FROM orgdata_owner;
-- role-cannot-log-in: orgdata_service may not CONNECT
REVOKE CONNECT ON DATABASE this_database FROM PUBLIC;
-- changed-right: orgdata_service on table teams is DELETE, SELECT
GRANT DELETE ON teams TO orgdata_service;
-- added-right: PUBLIC on table teams
GRANT SELECT ON teams TO PUBLIC;
-- added-right: orgdata_writer on table api_keys
GRANT SELECT ON api_keys TO orgdata_writer;
-- added-right: orgdata_writer on column organizations.status
GRANT UPDATE (status) ON organizations TO orgdata_writer;
-- added-right: PUBLIC on function organizations_of_token
GRANT EXECUTE ON FUNCTION organizations_of_token TO PUBLIC;
-- changed-right: PUBLIC on schema public is CREATE, USAGE
GRANT CREATE ON SCHEMA public TO PUBLIC;
-- added-right: PUBLIC on database
GRANT TEMPORARY ON DATABASE this_database TO PUBLIC;
-- added-right: PUBLIC on new tables of the owner
ALTER DEFAULT PRIVILEGES FOR ROLE orgdata_owner GRANT SELECT ON TABLES TO PUBLIC;
-- added-other-right: other on table tasks
CREATE ROLE other;
GRANT SELECT ON tasks TO other;

-- Roles.
-- service-role-attributes: SUPERUSER
ALTER ROLE orgdata_service SUPERUSER;
-- service-role-attributes: BYPASSRLS
ALTER ROLE orgdata_service BYPASSRLS;
-- service-role-attributes: default_transaction_read_only is not on
ALTER ROLE orgdata_service RESET default_transaction_read_only;
-- writer-role-attributes: CREATEDB
ALTER ROLE orgdata_writer CREATEDB;
-- role-memberships: orgdata_writer is a member of other
CREATE ROLE other ROLE orgdata_writer;
-- owner-memberships: orgdata_owner is a member of pg_read_all_data
GRANT pg_read_all_data TO orgdata_owner;
-- other-readers: other is a member of orgdata_owner
CREATE ROLE other LOGIN IN ROLE orgdata_owner; CREATE ROLE grantor;
GRANT orgdata_owner TO grantor WITH ADMIN OPTION; GRANT orgdata_owner TO other GRANTED BY grantor;
-- other-readers: other is a member of pg_read_all_data
CREATE ROLE other LOGIN IN ROLE pg_read_all_data;
-- other-readers: other has BYPASSRLS
CREATE ROLE other LOGIN BYPASSRLS;
-- role-cannot-log-in: orgdata_service has NOLOGIN
ALTER ROLE orgdata_service NOLOGIN;
-- role-cannot-log-in: the password of orgdata_service has ended
ALTER ROLE orgdata_service VALID UNTIL '2020-01-01';
-- few-connections: 3 of the role orgdata_service
ALTER ROLE orgdata_service CONNECTION LIMIT 3;
-- few-connections: 3 of the database
ALTER DATABASE this_database CONNECTION LIMIT 3;
-- settings-of-roles: search_path=elsewhere of orgdata_service
ALTER ROLE orgdata_service SET search_path = elsewhere;
-- settings-of-roles: row_security=off of orgdata_owner
ALTER ROLE orgdata_owner SET row_security = off;
-- settings-of-roles: default_transaction_read_only=off of orgdata_service
ALTER ROLE orgdata_service IN DATABASE this_database SET default_transaction_read_only = off;
-- settings-of-roles: app.organization_id
ALTER DATABASE this_database SET app.organization_id = '00000000-0000-4000-8000-000000000000';
-- settings-of-roles: default_transaction_read_only=on of all roles
ALTER DATABASE this_database SET default_transaction_read_only = on;
-- settings-of-roles: statement_timeout=1s of orgdata
ALTER ROLE orgdata_owner SET statement_timeout = '1s';

-- The database.
-- old-collation: 0.9 instead of
UPDATE pg_database SET datcollversion = '0.9' WHERE datname = current_database();
-- old-revision: 0001,
INSERT INTO alembic_version VALUES ('0001');
