"""SECURITY.md: each sentence of what the service promises names the tests that try to falsify it."""

import ast
import re
from functools import cache

from tests.helpers.repository import ROOT

PROMISED = "What the service promises"

TESTS: dict[str, str] = {
    # The first words of each sentence, in order, and the tests: files below tests/, each with names of its functions.
    "Tenants are separate": "test_tenancy:test_each_check_alone_keeps_organizations_apart",
    "A key belongs to one": "faults/test_noisy_neighbours:test_no_row_of_another_organization_under_load",
    "Two independent checks": "test_tenancy:test_each_check_alone_keeps_organizations_apart",
    "First, each statement": "db/reading/test_statement:test_random_accepted_statements_need_no_row_level_security",
    "Second, row-level": "db/test_catalogue:test_row_level_security_is_enabled_and_forced",
    "tests/test_tenancy.py switches": "test_tenancy:test_each_check_alone_keeps_organizations_apart",
    "Foreign keys include": "db/test_catalogue:test_foreign_keys_include_the_organization",
    "An id of another": "test_contract:test_id_of_another_organization_is_404",
    "Row-level security shows": "db/reading/test_database:test_row_level_security_shows_one_organization_to_read_key",
    "The names of several": """db/figures/test_organization_list:test_bound_token_sees_only_its_own
        db/figures/test_organization_list:test_keys_that_are_no_valid_token_see_nothing
        db/figures/test_organization_list:test_only_the_service_may_call_the_function""",
    "It only reads": "db/admin/test_service_rights:test_every_object_is_only_read",
    "In each transaction": "db/reading/test_database:test_settings_end_with_the_transaction",
    "Let the service log in": "db/admin/test_service_rights:test_role_of_the_script_reads_and_little_else",
    "SQL that runs": "db/admin/test_service_rights:test_role_of_the_script_reads_and_little_else",
    "Without the script": "db/admin/test_service_rights:test_role_of_a_migration_alone_has_some_functions_more",
    "tests/db/admin/test_service_rights.py tries": "db/admin/test_service_rights:test_every_object_is_only_read",
    "With pg_read_all_stats": "",  # what a role of PostgreSQL allows, to which the service adds nothing
    "Keys.": "",
    "A key has 190": """db/admin/test_keys:test_generated_key_matches_format_and_parses
        db/admin/test_keys:test_new_key_is_stored_without_its_secret db/admin/test_keys:test_new_keys_differ
        rest_facade/commands/test_keys:test_list_shows_keys_without_secrets
        timing/test_secrets:test_wrong_secret_takes_as_long_as_right_one""",
    "A malformed key": "rest_facade/access/test_authentication:test_malformed_key_is_401_without_lookup",
    "A revoked key": """rest_facade/access/test_authentication:test_invalidated_key_works_at_most_120_seconds
        rest_facade/graphql/test_trusted_documents:test_documents_are_cached_120_seconds_absent_ones_10
        rest_facade/access/test_primary_keys:test_revoked_key_that_the_replica_still_has_is_401""",
    "If a key cannot": "rest_facade/access/test_authentication:test_key_without_database_is_500_not_401",
    "Scopes of MCP": """test_contract:test_mcp_key_needs_the_scope
        rest_facade/mcp/summaries/test_tracked_time:test_wrong_arguments_and_scope_are_refused""",
    "The log removes": """rest_facade/telemetry/test_logging:test_key_in_any_text_is_redacted
        rest_facade/rest/test_request_log:test_line_has_no_key_and_no_path""",
    "Failed keys block": "rest_facade/access/test_throttle:test_every_path_and_method_is_blocked",
    "After ten failures": """rest_facade/access/test_failure_window:test_memory_window_equals_a_slow_reference
        rest_facade/access/test_failure_window:test_window_moves_over_the_minute
        rest_facade/access/test_client_address:test_client_cannot_hide_its_address""",
    "Keys that are sent": """rest_facade/access/test_failure_window:test_workers_look_up_ten_forged_keys
        rest_facade/access/test_throttle:test_failing_lookups_are_at_most_ten
        faults/test_noisy_neighbours:test_forged_keys_at_once_do_not_fail_others""",
    "While the quota store is down, each": "faults/test_store:test_key_guesses_are_429_without_the_store",
    "No request is answered": "faults/test_store:test_failing_store_is_503_until_it_recovers",
    "While the quota store is down, requests": """
        rest_facade/access/test_quota:test_failed_store_is_503_until_it_recovers""",
    "Input is bounded": "faults/test_hostile:test_damaged_requests_get_json_and_no_5xx",
    "Malformed HTTP": """rest_facade/server/test_http_protocol:test_malformed
        rest_facade/server/test_http_protocol:test_arbitrary_bytes_get_known_statuses""",
    "Heads, bodies": """rest_facade/server/test_http_protocol:test_too_large
        rest_facade/server/test_http_protocol:test_too_many_pipelined_requests
        rest_facade/server/test_http_protocol:test_slow_head_byte_by_byte
        faults/test_clients:test_connections_beyond_descriptors_are_refused
        rest_facade/server/test_listener_protocols:test_slow_body_is_closed
        faults/test_internal_listener:test_idle_internal_connections_take_no_public_descriptors""",
    "Every error": """rest_facade/errors/test_refusals:test_codes_are_the_specified_ones
        rest_facade/errors/test_refusals:test_unexpected_exception_is_500_without_details""",
    "Internal GraphQL": """rest_facade/graphql/test_limits:test_exceeded_limit_is_refused_before_reads
        schema/execution/test_state:test_execution_stops_beyond_its_objects
        schema/execution/test_state:test_execution_stops_beyond_its_bytes
        schema/execution/test_state:test_execution_stops_after_a_hundred_errors""",
    "An internal token": "rest_facade/graphql/test_trusted_documents:test_limited_token_sends_no_document",
    "One caller does not": "faults/test_noisy_neighbours:test_documents_do_not_fail_rest",
    "Waiting reads": """db/reading/test_fair_queue:test_tenants_that_wait_are_served_in_turn
        db/reading/test_fair_queue:test_tenant_at_its_share_yields_to_others
        db/reading/test_fair_queue:test_heavy_reads_leave_slots_for_cheap_ones""",
    "Long results": """db/values/test_time_slices:test_one_part_of_all_tasks_runs_per_pass
        schema/execution/test_state:test_long_list_becomes_json_while_it_is_read""",
    "GraphQL operations": """rest_facade/graphql/test_concurrency_limit:test_tokens_take_turns_and_organizations_within
        schema/documents/test_cache:test_tokens_take_turns_in_the_thread
        faults/test_internal_listener:test_unread_graphql_responses_are_bounded""",
    "A request whose client": """rest_facade/server/test_connection_limit:test_request_of_a_departed_client_is_cancelled
        db/reading/test_database:test_read_that_is_left_keeps_its_place_until_it_is_drained
        rest_facade/access/test_quota:test_requests_above_the_concurrency_are_429
        rest_facade/server/test_connection_limit:test_address_has_a_bound_of_its_own_unless_it_is_a_proxy""",
    "Each key has a quota": """rest_facade/access/test_quota:test_31st_request_is_429
        rest_facade/mcp/test_refusals:test_every_message_counts_for_the_key
        rest_facade/graphql/test_limits:test_token_has_its_own_quota""",
    "Requests of other callers": """faults/test_noisy_neighbours:test_reports_of_one_tenant_do_not_fail_others
        faults/test_noisy_neighbours:test_sums_of_one_token_do_not_delay_another""",
    "Dependencies and pages": "",
    "requirements.txt pins": "test_security:test_requirements_are_exact_versions",
    "The browser pages": """rest_facade/internal/test_pages:test_content_security_policy_allows_only_this_listener
        rest_facade/internal/test_pages:test_assets_of_a_page_exist""",
}


def promises() -> list[str]:
    """The sentences, without marks."""
    section = (ROOT / "SECURITY.md").read_text().partition(f"## {PROMISED}\n")[2].partition("\n## ")[0]
    text = " ".join(re.sub(r"[*`]|\[|\]\([^)]*\)", "", section).split())
    return re.split(r"(?<=[.])\s+(?=[A-Z]|tests/|requirements)", text)


@cache
def functions_of(name: str) -> frozenset[str]:
    tree = ast.parse((ROOT / "tests" / f"{name}.py").read_text())
    return frozenset(each.name for each in tree.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef))


def test_every_promise_of_security_md_is_listed() -> None:
    begun = [next((words for words in TESTS if each.startswith(words)), each) for each in promises()]
    assert begun == list(TESTS)


def test_named_test_exists() -> None:
    for named in sorted({test for tests in TESTS.values() for test in tests.split()}):
        file, _, name = named.partition(":")
        assert name in functions_of(file)


def test_requirements_are_exact_versions() -> None:
    exact = re.compile(r"[\w.\-]+(\[[\w,]+\])?==[\w.+!]+( *;.*)?( *#.*)?")
    for path in sorted(ROOT.glob("requirements*.txt")):
        kept = [line for line in path.read_text().splitlines() if line and not line.startswith(("#", "-r "))]
        assert [line for line in kept if not exact.fullmatch(line)] == [], path
