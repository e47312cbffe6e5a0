SELECT set_organization('01a00000-0000-7000-8000-000000000001');

INSERT INTO app_usages AS kept (organization_id, user_id, slot_at, app_id, timesheet_id, duration_seconds, active_seconds,
                                sessions_count, first_at, last_at)
SELECT organization_id, user_id, slot_at, '01a00000-0000-7000-8000-0000000000f1', timesheet_id, duration_seconds,
       active_seconds, sessions_count, first_at, last_at
FROM app_usages
WHERE organization_id = '01a00000-0000-7000-8000-000000000001' AND deleted_at IS NULL
  AND app_id = '01a00000-0000-7000-8000-0000000000f2'
ON CONFLICT (organization_id, user_id, slot_at, app_id, timesheet_id) DO UPDATE
SET duration_seconds = least(900, kept.duration_seconds + excluded.duration_seconds),
    active_seconds = least(900, kept.active_seconds + excluded.active_seconds),
    sessions_count = kept.sessions_count + excluded.sessions_count,
    first_at = least(kept.first_at, excluded.first_at), last_at = greatest(kept.last_at, excluded.last_at),
    deleted_at = NULL;

UPDATE app_usages SET deleted_at = now()
WHERE organization_id = '01a00000-0000-7000-8000-000000000001' AND deleted_at IS NULL
  AND app_id = '01a00000-0000-7000-8000-0000000000f2';
