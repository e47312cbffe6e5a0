-- Everything that migrations make in the schema public: a row an object, with its definition as text, which is the same
-- on PostgreSQL 15 to 18. The order of columns is left out: statements, COPY and exports name their columns, and an added
-- column is the last one. Names and settings of the session are those of `db.jobs.doctor.examination`.
WITH tables AS (
  SELECT c.*, format('%I', relname) AS name FROM pg_class c
  WHERE relnamespace = 'public'::regnamespace AND relkind NOT IN ('i', 'I', 't', 'c', 'S')
    AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = c.oid AND deptype = 'e')
),
functions AS (
  SELECT p.*, oid::regprocedure::text AS name FROM pg_proc p
  WHERE pronamespace = 'public'::regnamespace AND prokind <> 'a'
    AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = p.oid AND deptype = 'e')
),
-- The role that migrates has another name in each installation: it owns most tables.
owner AS (SELECT mode() WITHIN GROUP (ORDER BY relowner) AS id FROM tables),
roles AS (
  SELECT oid AS id, CASE WHEN oid = owner.id THEN 'the owner' ELSE rolname::text END AS name FROM pg_roles, owner
  UNION ALL SELECT 0, 'PUBLIC'
),
-- Not the rights of an owner, except those on tables, and of these not MAINTAIN, which is new in PostgreSQL 17.
rights (object, owner, acl) AS (
  SELECT 'table ' || name, relowner, coalesce(relacl, acldefault('r', relowner)) FROM tables
  UNION ALL
  SELECT format('column %s.%I', name, attname), relowner, attacl FROM pg_attribute JOIN tables t ON t.oid = attrelid
  UNION ALL
  SELECT 'function ' || name, proowner, coalesce(proacl, acldefault('f', proowner)) FROM functions
  UNION ALL
  SELECT 'schema public', nspowner, coalesce(nspacl, acldefault('n', nspowner)) FROM pg_namespace WHERE nspname = 'public'
  UNION ALL
  SELECT 'database', datdba, coalesce(datacl, acldefault('d', datdba)) FROM pg_database WHERE datname = current_database()
  UNION ALL
  SELECT 'new tables of the owner', defaclrole, defaclacl FROM pg_default_acl, owner
  WHERE defaclrole = owner.id AND defaclobjtype = 'r' AND defaclnamespace IN (0, 'public'::regnamespace)
)
SELECT 'table' AS kind, name,
  CASE relpersistence WHEN 'u' THEN 'unlogged ' ELSE '' END
  || CASE relkind WHEN 'r' THEN 'table' WHEN 'p' THEN 'partitioned table' WHEN 'f' THEN 'foreign table' ELSE 'view' END
  AS definition
FROM tables
UNION ALL
SELECT 'owner', 'table ' || t.name, r.name FROM tables t JOIN roles r ON r.id = relowner
UNION ALL
SELECT 'owner', 'function ' || f.name, r.name FROM functions f JOIN roles r ON r.id = proowner
UNION ALL
SELECT 'row security', name, concat_ws(' and ', CASE WHEN relrowsecurity THEN 'enabled' END,
  CASE WHEN relforcerowsecurity THEN 'forced' END)
FROM tables WHERE relrowsecurity OR relforcerowsecurity
UNION ALL
SELECT 'storage', name, (SELECT string_agg(o, ', ' ORDER BY o) FROM unnest(reloptions) o)
FROM tables WHERE reloptions IS NOT NULL
UNION ALL
SELECT 'storage', format('%s.%I', t.name, attname),
  concat_ws(', ', 'storage ' || attstorage::text, 'compression ' || nullif(attcompression::text, ''), options)
FROM pg_attribute JOIN tables t ON t.oid = attrelid JOIN pg_type ON pg_type.oid = atttypid
-- PostgreSQL 15.20 keeps a number of its own beside the options.
CROSS JOIN LATERAL (SELECT string_agg(o, ', ' ORDER BY o) AS options FROM unnest(attoptions) o WHERE o NOT LIKE 'pg\_attver=%') o
WHERE attnum > 0 AND (attstorage <> typstorage OR attcompression <> '' OR options IS NOT NULL)
UNION ALL
SELECT 'column', format('%s.%I', t.name, attname),
  concat_ws(', ', format_type(atttypid, atttypmod), CASE WHEN attnotnull THEN 'not null' END,
    'default ' || pg_get_expr(adbin, adrelid), 'identity ' || nullif(attidentity::text, ''),
    'generated ' || nullif(attgenerated::text, ''), 'collation ' || nullif(nullif(attcollation, 0), 'pg_catalog.default'::regcollation)::regcollation::text)
FROM pg_attribute JOIN tables t ON t.oid = attrelid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
WHERE attnum > 0 AND NOT attisdropped
UNION ALL
-- NOT NULL is a part of the column: constraints have it since PostgreSQL 18.
SELECT 'constraint', format('%s.%I', t.name, conname),
  concat_ws(', ', format('ALTER TABLE %s ADD CONSTRAINT %I %s', t.name, conname, pg_get_constraintdef(k.oid, true)),
    CASE WHEN EXISTS (SELECT FROM pg_trigger WHERE tgconstraint = k.oid AND tgenabled NOT IN ('O', 'A'))
    THEN 'triggers disabled' END)
FROM pg_constraint k JOIN tables t ON t.oid = conrelid WHERE contype <> 'n'
UNION ALL
SELECT 'index', indexrelid::regclass::text,
  concat_ws(', ', pg_get_indexdef(indexrelid), CASE WHEN NOT indisvalid THEN 'not valid' END,
    CASE WHEN indisclustered THEN 'clustered' END)
FROM pg_index JOIN tables t ON t.oid = indrelid
UNION ALL
SELECT 'trigger', format('%s.%I', t.name, tgname),
  concat_ws(', ', pg_get_triggerdef(g.oid, true),
    CASE tgenabled WHEN 'D' THEN 'disabled' WHEN 'R' THEN 'enabled for replicas only' END)
FROM pg_trigger g JOIN tables t ON t.oid = tgrelid WHERE NOT tgisinternal
UNION ALL
SELECT 'rule', format('%s.%I', t.name, rulename), pg_get_ruledef(w.oid)
FROM pg_rewrite w JOIN tables t ON t.oid = ev_class WHERE rulename <> '_RETURN'
UNION ALL
-- The text is long, and `orgdata migrate` makes it anew.
SELECT 'function', name, 'md5 ' || md5(pg_get_functiondef(oid)) FROM functions
UNION ALL
SELECT 'policy', format('%s.%I', t.name, polname),
  concat_ws(', ', CASE WHEN polpermissive THEN 'permissive' ELSE 'restrictive' END, 'command ' || polcmd::text,
    'to ' || (SELECT string_agg(r.name, ' ' ORDER BY r.name) FROM roles r WHERE r.id = ANY (polroles)),
    'using ' || pg_get_expr(polqual, polrelid), 'check ' || pg_get_expr(polwithcheck, polrelid))
FROM pg_policy JOIN tables t ON t.oid = polrelid
UNION ALL
SELECT 'statistics', format('%I', stxname), pg_get_statisticsobjdef(oid)
FROM pg_statistic_ext WHERE stxnamespace = 'public'::regnamespace
UNION ALL
SELECT CASE WHEN r.name IN ('the owner', 'PUBLIC', 'orgdata_service', 'orgdata_writer') THEN 'right' ELSE 'other right' END,
  r.name || ' on ' || object,
  string_agg(privilege_type || CASE WHEN is_grantable THEN ' with grant option' ELSE '' END, ', ' ORDER BY privilege_type)
FROM rights, aclexplode(acl) a JOIN roles r ON r.id = grantee
WHERE (grantee NOT IN (owner, (SELECT id FROM owner)) OR object LIKE 'table %' AND privilege_type <> 'MAINTAIN')
  -- Who may connect is up to each installation.
  AND NOT (object = 'database' AND privilege_type = 'CONNECT')
GROUP BY r.name, object
UNION ALL
SELECT 'replica identity', name, relreplident::text FROM tables WHERE relreplident <> 'd'
UNION ALL
SELECT 'comment', pg_describe_object(classoid, objoid, objsubid), description FROM pg_description WHERE objoid >= 16384
