-- Everything that migrations make in the schema public: a row an object, with its definition as text. The order of
-- columns is left out: statements, COPY and exports name their columns, and an added column is the last one.
WITH tables AS (
  SELECT c.*, format('%I', relname) AS name, pg_get_userbyid(relowner) AS owner
  FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relkind NOT IN ('i', 'I', 't', 'c')
),
rights (kind, name, items) AS (
  SELECT 'rights on a table', name, coalesce(relacl, acldefault(CASE relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", relowner))
  FROM tables
  UNION ALL
  SELECT 'rights on a column', format('%s.%I', t.name, attname), attacl
  FROM pg_attribute JOIN tables t ON t.oid = attrelid WHERE attacl IS NOT NULL
  UNION ALL
  SELECT 'rights on a function', oid::regprocedure::text, coalesce(proacl, acldefault('f', proowner))
  FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  UNION ALL
  SELECT 'rights on the schema', nspname, coalesce(nspacl, acldefault('n', nspowner))
  FROM pg_namespace WHERE nspname = 'public'
  UNION ALL
  SELECT 'rights on the database', '', coalesce(datacl, acldefault('d', datdba))
  FROM pg_database WHERE datname = current_database()
  UNION ALL
  SELECT 'rights by default', format('%s of %s', defaclobjtype, pg_get_userbyid(defaclrole)), defaclacl
  FROM pg_default_acl
)
SELECT 'table' AS kind, name,
  concat_ws(', ', 'kind ' || relkind::text, 'owner ' || owner, 'persistence ' || relpersistence::text,
    'options ' || (SELECT string_agg(o, ' ' ORDER BY o) FROM unnest(reloptions) o),
    'row security ' || relrowsecurity, 'forced ' || relforcerowsecurity, 'replica identity ' || relreplident::text,
    'comment ' || obj_description(oid, 'pg_class')) AS definition
FROM tables
UNION ALL
SELECT 'column', format('%s.%I', t.name, attname),
  concat_ws(', ', format_type(atttypid, atttypmod), CASE WHEN attnotnull THEN 'not null' END,
    'default ' || pg_get_expr(adbin, adrelid), 'identity ' || nullif(attidentity::text, ''),
    'generated ' || nullif(attgenerated::text, ''), 'collation ' || nullif(attcollation, 0)::regcollation::text,
    'storage ' || attstorage::text, 'compression ' || nullif(attcompression::text, ''),
    'options ' || attoptions::text, 'comment ' || col_description(attrelid, attnum))
FROM pg_attribute JOIN tables t ON t.oid = attrelid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
WHERE attnum > 0 AND NOT attisdropped
UNION ALL
SELECT 'constraint', format('%s.%I', t.name, conname),
  concat_ws(', ', pg_get_constraintdef(k.oid), CASE WHEN NOT convalidated THEN 'not validated' END,
    'comment ' || obj_description(k.oid, 'pg_constraint'))
FROM pg_constraint k JOIN tables t ON t.oid = conrelid
UNION ALL
SELECT 'index', indexrelid::regclass::text,
  concat_ws(', ', pg_get_indexdef(indexrelid), CASE WHEN NOT indisvalid THEN 'not valid' END,
    CASE WHEN indisclustered THEN 'clustered' END, 'comment ' || obj_description(indexrelid, 'pg_class'))
FROM pg_index JOIN tables t ON t.oid = indrelid
UNION ALL
SELECT 'trigger', format('%s.%I', t.name, tgname),
  concat_ws(', ', pg_get_triggerdef(g.oid), 'enabled ' || tgenabled::text,
    'comment ' || obj_description(g.oid, 'pg_trigger'))
FROM pg_trigger g JOIN tables t ON t.oid = tgrelid WHERE NOT tgisinternal
UNION ALL
SELECT 'function', oid::regprocedure::text,
  concat_ws(', ', pg_get_functiondef(oid), 'owner ' || pg_get_userbyid(proowner),
    'comment ' || obj_description(oid, 'pg_proc'))
FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prokind <> 'a'
UNION ALL
SELECT 'policy', format('%I.%I', tablename, policyname),
  concat_ws(', ', permissive, cmd, roles::text, 'using ' || qual, 'check ' || with_check)
FROM pg_policies WHERE schemaname = 'public'
UNION ALL
SELECT 'statistics', format('%I', stxname), pg_get_statisticsobjdef(oid)
FROM pg_statistic_ext WHERE stxnamespace = 'public'::regnamespace
UNION ALL
SELECT kind, name, (SELECT string_agg(item::text, ' ' ORDER BY item::text) FROM unnest(items) item) FROM rights
