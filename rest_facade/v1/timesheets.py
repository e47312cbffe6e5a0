"""Idle time, time activity, manual time, and clock-in and clock-out records."""

from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.envelopes import CURSOR, REPORT

ENDPOINTS = [
    Endpoint(
        "listTimesheetIdleTime",
        "/v1/timesheet_idle_times/",
        CURSOR,
        "timesheet_idle_times",
        "user timesheets { ...fields idle_times }",
        scope="time:read",
    ),
    Endpoint(
        "listTimeActivityReport",
        "/v1/time_activity_reports/",
        REPORT,
        "time_activity_reports",
        """
        user start_date end_date timezone ...fields days {
          date day_length_seconds ...fields
          entries { project_id project_name client_id client_name task_id task_name ...fields }
        }
        """,
        scope="time:read",
    ),
    Endpoint(
        "listManualTimesheetReports",
        "/v1/manual_timesheet_reports/",
        REPORT,
        "manual_timesheet_reports",
        "...fields user",
        scope="time:read",
    ),
    Endpoint(
        "listClockInOut",
        "/v1/clockinouts/",
        REPORT,
        "clockinouts",
        "...fields user breaks clock_in_location clock_out_location",
        scope="attendance:read",
    ),
]
