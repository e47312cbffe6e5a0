"""Application and URL usage, screenshots and suspicious activity."""

from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.envelopes import ARRAY, REPORT, STANDARD

ENDPOINTS = [
    Endpoint(
        "listAppReports",
        "/v1/app_reports/",
        REPORT,
        "app_reports",
        """
        user { user_id email full_name } start_date end_date timezone
        total_seconds productive_seconds neutral_seconds unproductive_seconds unrated_seconds is_final
        updated_at
        days {
          date total_seconds
          apps {
            app_name category productivity duration_seconds active_seconds sessions_count
            first_used_at last_used_at
          }
        }
        """,
        scope="activity:read",
    ),
    Endpoint(
        "listUrlReports",
        "/v1/url_reports/",
        REPORT,
        "url_reports(with_pages: $detail_url)",
        """
        user { user_id email full_name } start_date end_date timezone
        total_seconds productive_seconds neutral_seconds unproductive_seconds unrated_seconds is_final
        updated_at
        days {
          date total_seconds
          sites {
            domain category productivity duration_seconds active_seconds visits_count
            first_visited_at last_visited_at
            pages @include(if: $detail_url) { url title duration_seconds visits_count }
            pages_truncated @include(if: $detail_url)
          }
        }
        """,
        scope="activity:read",
    ),
    Endpoint(
        "listScreenshots",
        "/v1/screenshots/",
        ARRAY,
        "screenshots",
        """
        id user_id timesheet_id project_id task_id captured_at date image_url thumbnail_url urls_expire_at
        content_type width height size_bytes screen_index is_blurred activity_percent app_name status
        deleted_by_user_id created_at
        """,
    ),
    Endpoint(
        "listSuspiciousActivityLogs",
        "/v1/suspicious_activity_logs/",
        STANDARD,
        "suspicious_activity_logs",
        """
        id user { user_id email full_name } type severity confidence_percent started_at ended_at duration_seconds date
        timesheet_id project_id
        evidence { keyboard_seconds mouse_seconds active_seconds tracked_seconds app_names screenshot_ids }
        status reviewed_by_user_id reviewed_at review_note deducted_seconds created_at updated_at deleted_at
        """,
        scope="security:read",
    ),
]
