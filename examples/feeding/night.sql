SELECT set_organization('01a00000-0000-7000-8000-000000000001');

CREATE TEMP TABLE night (LIKE timesheets INCLUDING DEFAULTS) ON COMMIT DROP;

INSERT INTO night (organization_id, id, user_id, project_id, started_at, ended_at, tracked_until)
VALUES ('01a00000-0000-7000-8000-000000000001', '01a00000-0000-7000-8000-0000000000c1',
        '01a00000-0000-7000-8000-00000000000a', '01a00000-0000-7000-8000-0000000000b1',
        '2026-01-05T08:00:00Z', '2026-01-05T12:00:00Z', '2026-01-05T12:00:00Z'),
       ('01a00000-0000-7000-8000-000000000001', '01a00000-0000-7000-8000-0000000000c3',
        '01a00000-0000-7000-8000-00000000000a', NULL,
        '2026-01-05T18:00:00Z', '2026-01-05T19:00:00Z', '2026-01-05T19:00:00Z');

-- What the copy no longer has: a tombstone that pollers see.
UPDATE timesheets stored SET deleted_at = now()
WHERE stored.organization_id = '01a00000-0000-7000-8000-000000000001' AND stored.deleted_at IS NULL
  AND stored.started_at >= '2026-01-05T00:00:00Z' AND stored.started_at < '2026-01-06T00:00:00Z'
  AND NOT EXISTS (SELECT 1 FROM night WHERE night.id = stored.id);

INSERT INTO timesheets AS stored (organization_id, id, user_id, project_id, started_at, ended_at, tracked_until)
SELECT organization_id, id, user_id, project_id, started_at, ended_at, tracked_until FROM night
ON CONFLICT (organization_id, id) DO UPDATE
SET project_id = excluded.project_id, started_at = excluded.started_at, ended_at = excluded.ended_at,
    tracked_until = excluded.tracked_until, deleted_at = NULL
WHERE (stored.project_id, stored.started_at, stored.ended_at, stored.tracked_until, stored.deleted_at)
      IS DISTINCT FROM
      (excluded.project_id, excluded.started_at, excluded.ended_at, excluded.tracked_until, NULL);
