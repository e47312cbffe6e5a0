-- An organization, its members with a tree of managers, and teams of about twenty members.
INSERT INTO organizations (organization_id, name, timezone, currency, features, data_retention_days)
VALUES (:organization_id, :name, 'Europe/Berlin', 'EUR',
        '{"screenshots": true, "app_tracking": true, "url_tracking": true, "clock_in_out": true,
          "invoicing": true, "payroll": true, "leave": true}',
        '{"screenshots": 180, "app_usage": 365, "url_usage": 365}');

INSERT INTO members (organization_id, user_id, membership_id, email, full_name, manager_user_id, first_joined_at,
                     joined_at, created_at, updated_at)
SELECT :organization_id, pg_temp.seed_id('member', n), gen_random_uuid(), 'member' || n || '@example.com',
       'Member ' || n, CASE WHEN n > 1 THEN pg_temp.seed_id('member', (n + 8) / 10) END, made, made, made, made
FROM generate_series(1, :members) n, LATERAL (SELECT now() - interval '400 days' + n * interval '1 second' AS made) m;

INSERT INTO teams (organization_id, id, name, created_at, updated_at)
SELECT :organization_id, pg_temp.seed_id('team', n), 'Team ' || n, now() - interval '400 days', now()
FROM generate_series(1, :members / 20 + 1) n;

INSERT INTO team_members (organization_id, id, team_id, user_id, role)
SELECT :organization_id, gen_random_uuid(), pg_temp.seed_id('team', n % (:members / 20 + 1) + 1),
       pg_temp.seed_id('member', n), CASE WHEN n % 20 = 0 THEN 'lead' ELSE 'member' END
FROM generate_series(1, :members) n;
