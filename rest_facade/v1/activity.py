"""Application and URL usage, screenshots and suspicious activity."""

from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.envelopes import ARRAY, REPORT, STANDARD

ENDPOINTS = [
    Endpoint(
        "listAppReports",
        "/v1/app_reports/",
        REPORT,
        """
        query listAppReports(
          $page: Int!, $limit: Int!, $after: String, $start_date: Date!, $end_date: Date!, $timezone: Timezone,
          $user_id: UUID, $team_id: UUID, $project_id: UUID, $app_name: String, $productivity: [Productivity!],
          $updated_since: DateTime
        ) {
          app_reports(
            page: $page, limit: $limit, after: $after, start_date: $start_date, end_date: $end_date,
            timezone: $timezone, user_id: $user_id, team_id: $team_id, project_id: $project_id, app_name: $app_name,
            productivity: $productivity, updated_since: $updated_since
          ) {
            count next
            results {
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
            }
          }
        }
        """,
        scope="activity:read",
    ),
    Endpoint(
        "listUrlReports",
        "/v1/url_reports/",
        REPORT,
        """
        query listUrlReports(
          $page: Int!, $limit: Int!, $after: String, $start_date: Date!, $end_date: Date!, $timezone: Timezone,
          $user_id: UUID, $team_id: UUID, $project_id: UUID, $domain: String, $productivity: [Productivity!],
          $updated_since: DateTime, $detail_url: Boolean! = false
        ) {
          url_reports(
            page: $page, limit: $limit, after: $after, start_date: $start_date, end_date: $end_date,
            timezone: $timezone, user_id: $user_id, team_id: $team_id, project_id: $project_id, domain: $domain,
            productivity: $productivity, updated_since: $updated_since, with_pages: $detail_url
          ) {
            count next
            results {
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
            }
          }
        }
        """,
        scope="activity:read",
    ),
    Endpoint(
        "listScreenshots",
        "/v1/screenshots/",
        ARRAY,
        """
        query listScreenshots($user_id: UUID!, $date: Date!, $timezone: Timezone, $project_id: UUID) {
          screenshots(user_id: $user_id, date: $date, timezone: $timezone, project_id: $project_id) {
            id user_id timesheet_id project_id task_id captured_at date image_url thumbnail_url urls_expire_at
            content_type width height size_bytes screen_index is_blurred activity_percent app_name status
            deleted_by_user_id created_at
          }
        }
        """,
    ),
    Endpoint(
        "listSuspiciousActivityLogs",
        "/v1/suspicious_activity_logs/",
        STANDARD,
        """
        query listSuspiciousActivityLogs(
          $page: Int!, $limit: Int!, $after: String, $start_date: Date, $end_date: Date, $timezone: Timezone,
          $id: [UUID!], $user_id: UUID, $team_id: UUID, $type: [SuspicionType!], $severity: [SuspicionSeverity!],
          $status: [SuspicionStatus!], $project_id: UUID, $updated_since: DateTime,
          $include_deleted: Boolean! = false
        ) {
          suspicious_activity_logs(
            page: $page, limit: $limit, after: $after, start_date: $start_date, end_date: $end_date,
            timezone: $timezone, id: $id, user_id: $user_id, team_id: $team_id, type: $type, severity: $severity,
            status: $status, project_id: $project_id, updated_since: $updated_since,
            include_deleted: $include_deleted
          ) {
            count next
            results {
              id user { user_id email full_name } type severity confidence_percent started_at ended_at
              duration_seconds date timesheet_id project_id
              evidence { keyboard_seconds mouse_seconds active_seconds tracked_seconds app_names screenshot_ids }
              status reviewed_by_user_id reviewed_at review_note deducted_seconds created_at updated_at deleted_at
            }
          }
        }
        """,
        scope="security:read",
    ),
]
