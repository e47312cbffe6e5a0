SELECT set_organization('01a00000-0000-7000-8000-000000000001');

INSERT INTO timesheets AS stored (organization_id, id, user_id, started_at, ended_at, tracked_until, deleted_at)
SELECT member.organization_id, entry.id, member.user_id, date_trunc('second', entry.began_at),
       date_trunc('second', entry.finished_at), date_trunc('second', entry.finished_at),
       CASE WHEN entry.is_void THEN now() END
FROM source.time_entries entry
JOIN members member
  ON member.organization_id = '01a00000-0000-7000-8000-000000000001' AND lower(member.email) = lower(entry.person)
WHERE entry.finished_at IS NOT NULL
ON CONFLICT (organization_id, id) DO UPDATE
SET started_at = excluded.started_at, ended_at = excluded.ended_at, tracked_until = excluded.tracked_until,
    deleted_at = CASE WHEN excluded.deleted_at IS NULL THEN NULL
                      ELSE coalesce(stored.deleted_at, excluded.deleted_at) END
WHERE (stored.started_at, stored.ended_at, stored.deleted_at IS NULL)
      IS DISTINCT FROM (excluded.started_at, excluded.ended_at, excluded.deleted_at IS NULL);
