"""Idle time, time activity, manual timesheets and attendance."""

from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.envelopes import CURSOR, REPORT

TIME_ACTIVITY = """
fragment time_activity on TimeActivity {
  user { user_id email full_name } start_date end_date timezone
  tracked_seconds manual_seconds billable_seconds idle_seconds discarded_idle_seconds break_seconds
  paid_break_seconds input_seconds active_seconds keyboard_seconds mouse_seconds activity_percent timesheets_count
  locked_seconds days_worked first_started_at last_ended_at is_final updated_at days { ...day }
}
fragment day on TimeActivityDay {
  date day_length_seconds
  tracked_seconds manual_seconds billable_seconds idle_seconds discarded_idle_seconds break_seconds
  paid_break_seconds input_seconds active_seconds keyboard_seconds mouse_seconds activity_percent timesheets_count
  locked_seconds first_started_at last_ended_at entries { ...entry }
}
fragment entry on TimeActivityEntry {
  project_id project_name client_id client_name task_id task_name
  tracked_seconds manual_seconds billable_seconds idle_seconds discarded_idle_seconds break_seconds
  paid_break_seconds input_seconds active_seconds keyboard_seconds mouse_seconds activity_percent timesheets_count
  locked_seconds
}
"""

CLOCK_RECORD = """
fragment clock_record on ClockRecord {
  id user { user_id email full_name } date clock_in_at clock_out_at status elapsed_seconds break_seconds worked_seconds
  breaks { id started_at ended_at duration_seconds is_paid } clock_in_source clock_out_source auto_clock_out_reason
  clock_in_note clock_out_note clock_in_location { ...place } clock_out_location { ...place }
  scheduled_start_at scheduled_end_at late_seconds early_leave_seconds is_edited edited_by_user_id project_id
  created_at updated_at deleted_at
}
fragment place on Place { latitude longitude accuracy_meters label }
"""

ENDPOINTS = [
    Endpoint(
        "listTimesheetIdleTime",
        "/v1/timesheet_idle_times/",
        CURSOR,
        "timesheet_idle_times",
        """
        user { user_id email }
        timesheets {
          id
          idle_times {
            id started_at ended_at duration_seconds action reassigned_project_id reassigned_task_id reason updated_at
          }
        }
        """,
        scope="time:read",
    ),
    Endpoint(
        "listTimeActivityReport",
        "/v1/time_activity_reports/",
        REPORT,
        "time_activity_reports",
        "...time_activity",
        TIME_ACTIVITY,
        scope="time:read",
    ),
    Endpoint(
        "listManualTimesheetReports",
        "/v1/manual_timesheet_reports/",
        REPORT,
        "manual_timesheet_reports",
        """
        id user { user_id email full_name } date project_id project_name client_id task_id task_name started_at
        ended_at duration_seconds action original_started_at original_ended_at original_project_id delta_seconds
        is_billable reason note status requested_by_user_id requested_at reviewed_by_user_id reviewed_at
        review_note timesheet_id created_at updated_at deleted_at
        """,
        scope="time:read",
    ),
    Endpoint(
        "listClockInOut",
        "/v1/clockinouts/",
        REPORT,
        "clockinouts",
        "...clock_record",
        CLOCK_RECORD,
        scope="attendance:read",
    ),
]
