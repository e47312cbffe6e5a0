SELECT set_organization('01a00000-0000-7000-8000-000000000001');

INSERT INTO timesheets AS stored (organization_id, id, user_id, project_id, started_at, ended_at, tracked_until)
VALUES ('01a00000-0000-7000-8000-000000000001', '01a00000-0000-7000-8000-0000000000c2',
        '01a00000-0000-7000-8000-00000000000a', '01a00000-0000-7000-8000-0000000000b1',
        '2026-01-05T13:00:00Z', '2026-01-05T17:30:00Z', '2026-01-05T17:30:00Z')
ON CONFLICT (organization_id, id) DO UPDATE
SET project_id = excluded.project_id, started_at = excluded.started_at, ended_at = excluded.ended_at,
    tracked_until = excluded.tracked_until, deleted_at = NULL
WHERE (stored.project_id, stored.started_at, stored.ended_at, stored.tracked_until, stored.deleted_at)
      IS DISTINCT FROM
      (excluded.project_id, excluded.started_at, excluded.ended_at, excluded.tracked_until, NULL);
