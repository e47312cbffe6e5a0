-- Work: per member one project, five project memberships, twenty tasks and twenty task memberships.
INSERT INTO clients (organization_id, id, name, currency, created_at, updated_at)
SELECT :organization_id, pg_temp.seed_id('client', n), 'Client ' || n, 'EUR', now() - interval '390 days', now()
FROM generate_series(1, :members / 25 + 1) n;

INSERT INTO projects (organization_id, id, client_id, name, currency, billing_type, bill_rate, due_date, created_at,
                      updated_at)
SELECT :organization_id, pg_temp.seed_id('project', n), pg_temp.seed_id('client', n % (:members / 25 + 1) + 1),
       'Project ' || n, 'EUR', 'hourly', 90, :today + n % 180 - 30, made, made
FROM generate_series(1, :members) n, LATERAL (SELECT now() - interval '380 days' + n * interval '1 second' AS made) m;

INSERT INTO project_members (organization_id, id, project_id, user_id, role, joined_at)
SELECT :organization_id, gen_random_uuid(), pg_temp.seed_id('project', (n + k * 37) % :members + 1),
       pg_temp.seed_id('member', n), CASE WHEN k = 0 THEN 'manager' ELSE 'member' END, now() - interval '300 days'
FROM generate_series(1, :members) n, generate_series(0, 4) k
ON CONFLICT DO NOTHING;

INSERT INTO tasks (organization_id, id, project_id, number, name, status, created_at, updated_at)
SELECT :organization_id, pg_temp.seed_id('task', n), pg_temp.seed_id('project', n % :members + 1), n / :members + 1,
       'Task ' || n, CASE WHEN n % 3 = 0 THEN 'completed' ELSE 'open' END, made, made
FROM generate_series(1, :members * 20) n,
     LATERAL (SELECT now() - interval '300 days' + n * interval '1 second' AS made) m;

INSERT INTO task_members (organization_id, id, task_id, user_id, assigned_at)
SELECT :organization_id, gen_random_uuid(), pg_temp.seed_id('task', n), pg_temp.seed_id('member', n % :members + 1),
       now() - interval '200 days'
FROM generate_series(1, :members * 20) n;
