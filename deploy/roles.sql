-- Creates the three roles and the database, if they are missing; an administrator may run it again:
--   ORGDATA_OWNER_PASSWORD=... ORGDATA_SERVICE_PASSWORD=... psql -f deploy/roles.sql postgresql://postgres@host/postgres
-- The administrator needs CREATEROLE and CREATEDB, as on managed servers; what only a superuser can do is told, and left.
-- The owner of the tables migrates and creates keys. The service only reads, one organization in each transaction.
-- The writer feeds one organization in each transaction; it cannot log in until you give it a password (\password).
\set ON_ERROR_STOP on
\getenv owner_password ORGDATA_OWNER_PASSWORD
\getenv service_password ORGDATA_SERVICE_PASSWORD
SET client_min_messages = warning;
-- \gexec runs what a query returns; :'...' is read before it is sent, so that a password is no text of a DO.
SELECT format('CREATE ROLE orgdata_service LOGIN PASSWORD %L', :'service_password')
WHERE to_regrole('orgdata_service') IS NULL \gexec
ALTER ROLE orgdata_service SET default_transaction_read_only = on;
SELECT format('CREATE ROLE orgdata_owner LOGIN PASSWORD %L', :'owner_password')
WHERE to_regrole('orgdata_owner') IS NULL \gexec
SELECT 'CREATE ROLE orgdata_writer LOGIN' WHERE to_regrole('orgdata_writer') IS NULL \gexec
GRANT orgdata_service, orgdata_writer TO orgdata_owner;
-- Who gives a database to a role must be able to act as it. A superuser is.
SELECT 'GRANT orgdata_owner TO CURRENT_USER' WHERE current_setting('is_superuser') = 'off' \gexec
-- A server whose locale is C stores no UTF8, or knows no letters but those of ASCII.
SELECT 'CREATE DATABASE orgdata OWNER orgdata_owner' || CASE
  WHEN encoding <> pg_char_to_encoding('UTF8') OR datctype IN ('C', 'POSIX') AND datlocprovider = 'c'
  THEN ' ENCODING ''UTF8'' LOCALE ''C.UTF-8'' TEMPLATE template0' ELSE '' END
FROM pg_database WHERE datname = 'template1' AND NOT EXISTS (SELECT FROM pg_database WHERE datname = 'orgdata') \gexec
-- What every role of a server may do, and none of these needs: temporary tables and functions, large objects, the locks
-- of imports and migrations, ending the sessions of its own name, messages in the write-ahead log.
\connect orgdata
REVOKE TEMPORARY ON DATABASE orgdata FROM PUBLIC;
GRANT TEMPORARY ON DATABASE orgdata TO orgdata_writer;
DO $$
DECLARE unneeded regprocedure;
BEGIN
  IF current_setting('is_superuser') = 'off' THEN
    RAISE WARNING 'Passed over, because only a superuser may revoke it: every role may still use large objects and'
      ' advisory locks, and call pg_cancel_backend, pg_terminate_backend and pg_logical_emit_message.';
    RETURN;
  END IF;
  FOR unneeded IN
    SELECT oid FROM pg_proc
    WHERE pronamespace = 'pg_catalog'::regnamespace
      AND proname ~ '^(pg_(try_)?advisory_|lo_|loread$|lowrite$|pg_(cancel|terminate)_backend$|pg_logical_emit_message$)'
  LOOP
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', unneeded);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO orgdata_owner', unneeded);
  END LOOP;
END
$$;
