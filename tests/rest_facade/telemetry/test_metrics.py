"""Prometheus metrics: known requests give known numbers at /metrics of the internal listener."""

from collections.abc import Mapping
from unittest.mock import AsyncMock
from uuid import uuid4

import httpx2 as httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from db.reading.key_statements import ACTIVE_ORGANIZATION
from db.reading.query_stats import start_request_stats
from rest_facade.access.counting_store import CountingStore
from rest_facade.access.quota import Quota
from rest_facade.composition import Service
from rest_facade.errors.closed_connection import ClosedConnection
from rest_facade.errors.refusals import Code, GraphQLCode
from rest_facade.telemetry.metrics import DocumentKind
from rest_facade.v1 import ENDPOINTS
from tests.conftest import BASE_URL, Connect
from tests.factories.rows import Rows
from tests.helpers.waiting import becomes
from tests.rest_facade.graphql.client import connected

Samples = Mapping[tuple[str, frozenset[tuple[str, str]]], float]


async def samples(service: Service) -> Samples:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(service.internal), base_url=BASE_URL) as http:
        response = await http.get("/metrics")
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/plain; version=")
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(response.text)
        for sample in family.samples
    }


def value(found: Samples, name: str, **labels: str) -> float:
    return found[f"orgdata_{name}", frozenset(labels.items())]


def changes(before: Samples, after: Samples, name: str) -> dict[str, float]:
    """What was added to a counter, by the values of its labels in the order of their names."""
    found = {}
    for (sample, labels), number in after.items():
        added = number - before.get((sample, labels), 0)
        if sample == f"orgdata_{name}" and added:
            found[" ".join(given for _, given in sorted(labels))] = added
    return found


async def test_requests_are_counted_by_operation_status_and_tier(fresh: Service, client: Connect, key: str) -> None:
    before = await samples(fresh)
    http = client(key, of=fresh)
    for path in ("/v1/clients/", "/v1/clients/", "/v1/clients/?limit=0", "/v1/organization/", "/v1/app_reports/"):
        await http.get(path)
    await http.get(f"/v1/clients/{uuid4()}/")
    await http.get("/v1/timesheet_idle_times/?start_date=2026-01-01&end_date=2026-01-02")
    await http.get("/v1/nowhere/1/")
    await http.get("/v1/nowhere/2/")
    await http.options("/v1/clients/")
    await http.post("/v1/clients/")
    after = await samples(fresh)
    # The labels in their order: operation, status, tier.
    assert changes(before, after, "requests_total") == {
        "listClients 200 standard": 2,
        "listClients 400 standard": 1,
        "retrieveOrganization 200 single": 1,
        "listAppReports 400 report": 1,
        "retrieveClient 404 single": 1,
        "listTimesheetIdleTime 200 cursor": 1,
        "none 404 none": 2,
        "none 204 none": 1,
        "none 405 none": 1,
    }
    assert changes(before, after, "request_seconds_count") == {
        "listClients standard": 3,
        "retrieveOrganization single": 1,
        "listAppReports report": 1,
        "retrieveClient single": 1,
        "listTimesheetIdleTime cursor": 1,
        "none none": 4,
    }
    refusals = {"VALIDATION_ERROR": 2, "RESOURCE_NOT_FOUND": 1, "ROUTE_NOT_FOUND": 2, "METHOD_NOT_ALLOWED": 1}
    assert changes(before, after, "refusals_total") == refusals


async def test_statements_and_key_lookups_are_counted(fresh: Service, client: Connect, key: str) -> None:
    before = await samples(fresh)
    http = client(key, of=fresh)
    assert (await http.get("/v1/clients/")).status_code == 200
    looked_up = await samples(fresh)
    # The key, whether its organization is active, and its quotas; then its clients.
    assert changes(before, looked_up, "sql_statements_total") == {"keys": 3, "rest": 1}
    assert changes(before, looked_up, "sql_round_trips_total") == {"keys": 1, "rest": 1}
    assert changes(before, looked_up, "key_cache_misses_total") == {"rest": 1}
    assert changes(before, looked_up, "key_cache_hits_total") == {}
    for _ in range(2):
        assert (await http.get("/v1/clients/")).status_code == 200
    known = await samples(fresh)
    assert changes(looked_up, known, "sql_statements_total") == {"rest": 2}
    assert changes(looked_up, known, "sql_round_trips_total") == {"rest": 2}
    assert changes(looked_up, known, "key_cache_hits_total") == {"rest": 2}
    assert changes(looked_up, known, "key_cache_misses_total") == {}
    assert changes(looked_up, known, "sql_seconds_total")["rest"] > 0


async def test_each_request_has_its_own_query_stats(service: Service, rows: Rows, http: httpx.AsyncClient) -> None:
    outer = start_request_stats()
    await http.get("/v1/organization/")
    assert (outer.statements, outer.round_trips) == (0, 0)
    before = service.database.query_stats.statements
    tally = start_request_stats()
    await service.database.read_rows(rows.organization(), [(ACTIVE_ORGANIZATION, {}), (ACTIVE_ORGANIZATION, {})])
    assert (tally.statements, tally.round_trips, service.database.query_stats.statements) == (2, 1, before + 2)


async def test_failures_are_counted(fresh: Service, client: Connect, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = await samples(fresh)
    gone = CountingStore("redis://127.0.0.1:1/0").counter("quota", 60)
    http = client(key, of=fresh)
    with monkeypatch.context() as patched:
        patched.setattr(fresh.public, "quota", Quota(gone, 30))
        assert (await http.get("/v1/teams/")).status_code == 503
    monkeypatch.setattr(fresh.database, "read_rows", AsyncMock(side_effect=RuntimeError("broken")))
    assert (await http.get("/v1/clients/")).status_code == 500
    after = await samples(fresh)
    assert changes(before, after, "refusals_total") == {"INTERNAL_ERROR": 1, "SERVICE_UNAVAILABLE": 1}
    assert changes(before, after, "requests_total") == {"listClients 500 standard": 1, "listTeams 503 standard": 1}


async def test_each_cause_of_a_closed_connection_is_counted(fresh: Service) -> None:
    for why in ClosedConnection:
        fresh.public.on_closed(why)
    found = await samples(fresh)
    assert [value(found, "connections_cut_total", why=why) for why in ClosedConnection] == [1] * len(ClosedConnection)


async def test_pool_use_is_exported(fresh: Service) -> None:
    pool = fresh.database.pool
    # The first connection is opened in the background, and is in use until it is open.
    await becomes(lambda: pool.idle and not pool.queue.in_use)
    assert value(await samples(fresh), "pool_connections_max", api="rest") == 8
    assert value(await samples(fresh), "pool_in_use", api="rest") == 0
    connection = await pool.acquire()
    found = await samples(fresh)
    assert value(found, "pool_in_use", api="rest") == 1
    assert value(found, "pool_connections", api="rest") >= 1
    assert value(found, "pool_waiting", api="rest") == 0
    assert value(found, "pool_timeouts_total", api="rest") == 0
    assert value(found, "pool_connections_max", api="graphql") == 3
    assert value(found, "pool_connections_max", api="keys") == 2
    pool.release(connection)


async def test_database_hosts_are_exported(fresh: Service) -> None:
    await fresh.database.read_rows(uuid4(), [])
    host = fresh.database.hosts.all[0].label
    found = await samples(fresh)
    assert value(found, "database_host_up", api="rest", host=host) == 1
    assert value(found, "database_host_connections", api="rest", host=host) >= 1
    assert value(found, "database_host_lag_seconds", api="keys", host=host) == 0
    for api in ("rest", "graphql", "keys"):
        for cause in ("lost_connection", "recovery_conflict"):
            assert value(found, "sql_repeated_total", api=api, cause=cause) == 0
    fresh.database.hosts.all[0].failed("Connection refused")
    assert value(await samples(fresh), "database_host_up", api="keys", host=host) == 0


async def test_graphql_requests_are_one_operation(fresh: Service, rows: Rows) -> None:
    before, graphql = await samples(fresh), connected(fresh, rows, rows.organization())
    for name in ("mine", "yours"):
        query = f"query {name} {{ clients(page: 1, limit: 20) {{ count results {{ id }} }} }}"
        assert (await graphql.send({"query": query})).json()["data"]["clients"]["count"] == 0
    assert (await graphql.request("PUT")).status_code == 405
    assert (await graphql.request(json={}, headers={"X-SERVICE-API-KEY": ""})).status_code == 401
    after = await samples(fresh)
    counted = {"graphql 200 graphql": 2, "graphql 405 graphql": 1, "graphql 401 graphql": 1}
    assert changes(before, after, "requests_total") == counted
    assert changes(before, after, "refusals_total") == {"METHOD_NOT_ALLOWED": 1, "INVALID_API_KEY": 1}
    assert changes(before, after, "graphql_rows_count") == {"": 2}
    assert changes(before, after, "graphql_rows_sum") == {"": 40}
    assert changes(before, after, "key_cache_misses_total") == {"graphql": 1}
    # The token; then, for each call, whether the organization exists, and its clients.
    assert changes(before, after, "sql_statements_total") == {"keys": 3, "graphql": 4}


async def test_all_series_exist_before_the_first_request(fresh: Service) -> None:
    found = await samples(fresh)
    for endpoint in ENDPOINTS:
        labels = {"operation": endpoint.operation, "tier": endpoint.envelope.tier}
        assert value(found, "requests_total", **labels, status="200") == 0
    assert {endpoint.envelope.tier for endpoint in ENDPOINTS} == {"standard", "report", "cursor", "array", "single"}
    assert all(value(found, "refusals_total", code=code) == 0 for code in (*Code, *GraphQLCode))
    assert all(value(found, "graphql_documents_total", kind=kind) == 0 for kind in DocumentKind)


async def test_services_have_separate_metrics(fresh: Service, service: Service, client: Connect) -> None:
    before = await samples(fresh)
    await client(of=service).get("/v1/nowhere/")
    assert changes(before, await samples(fresh), "requests_total") == {}


async def test_client_text_never_becomes_a_label(fresh: Service, client: Connect) -> None:
    before = await samples(fresh)
    http = client("a key of mine", of=fresh)
    for number in range(5):
        await http.get(f"/v1/clients/{number}/?page={number}")
        await http.get(f"/v1/secret{number}/")
        await http.request(f"METHOD{number}", "/v1/clients/")
    new = {labels for name, labels in (await samples(fresh)).keys() - before.keys() if name == "orgdata_requests_total"}
    assert new == {
        frozenset({("operation", "retrieveClient"), ("tier", "single"), ("status", "401")}),
        frozenset({("operation", "none"), ("tier", "none"), ("status", "404")}),
        frozenset({("operation", "none"), ("tier", "none"), ("status", "405")}),
    }
