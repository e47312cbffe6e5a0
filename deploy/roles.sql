-- Creates the three roles and the database. An administrator runs it once:
--   ORGDATA_OWNER_PASSWORD=... ORGDATA_SERVICE_PASSWORD=... psql -f deploy/roles.sql postgresql://postgres@host/postgres
-- The owner of the tables migrates and creates keys. The service only reads, one organization in each transaction.
-- The writer feeds one organization in each transaction; it cannot log in until you give it a password (\password).
\set ON_ERROR_STOP on
\getenv owner_password ORGDATA_OWNER_PASSWORD
\getenv service_password ORGDATA_SERVICE_PASSWORD
CREATE ROLE orgdata_service LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB PASSWORD :'service_password';
ALTER ROLE orgdata_service SET default_transaction_read_only = on;
CREATE ROLE orgdata_owner LOGIN NOSUPERUSER NOBYPASSRLS PASSWORD :'owner_password';
CREATE ROLE orgdata_writer LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB;
GRANT orgdata_service, orgdata_writer TO orgdata_owner;
CREATE DATABASE orgdata OWNER orgdata_owner;
-- What every role of a server may do, and none of these needs: temporary tables and functions, large objects, the locks
-- of imports and migrations, ending the sessions of its own name, messages in the write-ahead log.
\connect orgdata
REVOKE TEMPORARY ON DATABASE orgdata FROM PUBLIC;
GRANT TEMPORARY ON DATABASE orgdata TO orgdata_writer;
DO $$
DECLARE unneeded regprocedure;
BEGIN
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
