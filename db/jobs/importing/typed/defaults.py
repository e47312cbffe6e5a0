"""Values of columns that a file leaves out, where the table has no default.

`{name}` stands for the value of another column of the same row. FOLLOWS replaces the stored value as well, when a file
has one of the columns that it is derived from.
"""

from collections.abc import Mapping

_TIMEZONE = "(SELECT timezone FROM import_organization)"
_CURRENCY = "(SELECT currency FROM import_organization)"
_NOW = "date_trunc('second', statement_timestamp())"

FOLLOWS: Mapping[str, Mapping[str, str]] = {
    "members": {"full_name": "nullif(concat_ws(' ', {first_name}, {last_name}), '')"},
    "timesheets": {"tracked_until": "{ended_at}"},
    "clock_records": {"status": "CASE WHEN {clock_out_at} IS NULL THEN 'open' ELSE 'closed' END"},
}

DEFAULTS: Mapping[str, Mapping[str, str]] = {
    "members": {
        "membership_id": "pg_temp.import_id('memberships', {user_id}::text)",
        "joined_at": f"CASE WHEN {{status}} <> 'invited' THEN"
        f" coalesce({{hired_on}}::timestamp AT TIME ZONE {_TIMEZONE}, {_NOW}) END",
        "first_joined_at": "{joined_at}",
        "removed_at": f"CASE WHEN {{status}} = 'removed' THEN"
        f" coalesce(({{left_on}} + 1)::timestamp AT TIME ZONE {_TIMEZONE}, {_NOW}) END",
    },
    "clients": {"currency": _CURRENCY},
    "projects": {"currency": _CURRENCY},
    "project_members": {"joined_at": _NOW},
    "task_members": {"assigned_at": _NOW},
    "manual_requests": {"requested_by_user_id": "{user_id}", "requested_at": "{ended_at}"},
    "leave_applications": {"timezone": _TIMEZONE, "applied_at": _NOW},
    **{
        table: {"currency": _CURRENCY}
        for table in ("invoices", "payment_settings", "payables", "hourly_payment_logs", "one_time_payment_logs")
    },
}
