"""Growth: the cost of a page with a thousand times as many rows, of the thousandth page, and of nested rows."""

import time
from typing import Any
from urllib.parse import urlsplit

from bench.data import CLIENTS
from bench.graphql_requests import PROJECTS_OF_CLIENT, nested
from bench.http_requests import get, send
from bench.large_data import FIRST_DAY, LAST_DAY
from bench.measure import Competitor
from bench.processes import Process
from bench.section import Bench, Section, at_most, table

TENTH = CLIENTS // 10

WALK_SECONDS = 600.0


def measure(bench: Bench) -> Section:
    (small, large), (few_members, many_members) = bench.large.projects, bench.large.members
    organization, token = bench.large.nested, bench.data.token()
    projects, members, far = f"{bench.scale.projects:,}", f"{bench.scale.members:,}", bench.scale.far_page
    # The last page of the many rows, 50 a page, is requested by its number.
    deep = bench.scale.projects // 50
    report = f"/v1/time_activity_reports/?start_date={FIRST_DAY}&end_date={LAST_DAY}&limit=20"
    with bench.service_with_graphql("ours-with-graphql") as (ours, internal):
        page_2_of_small = follow(ours, "/v1/projects/?limit=100", small.key, 2)
        page_2_of_large = follow(ours, "/v1/projects/?limit=100", large.key, 2)
        page_far = follow(ours, "/v1/projects/?limit=100", large.key, far)
        requests = {
            "page 2 by `next`, 1,000 projects": small.get(page_2_of_small),
            f"page 2 by `next`, {projects} projects": large.get(page_2_of_large),
            f"page {far:,} by `next`, {projects} projects": large.get(page_far),
            "page 1, 1,000 projects (counts all)": small.get("/v1/projects/?limit=100"),
            f"page 1, {projects} projects (counts all)": large.get("/v1/projects/?limit=100"),
            f"page {deep:,} by its number, {projects} projects": large.get(f"/v1/projects/?limit=50&page={deep}"),
            "time activity, page 1, 100 members (counts all)": few_members.get(report),
            f"time activity, page 1, {members} members (counts all)": many_members.get(report),
            "time activity, page 2 by `next`, 100 members": few_members.get(follow(ours, report, few_members.key, 2)),
            f"time activity, page 2 by `next`, {members} members": many_members.get(
                follow(ours, report, many_members.key, 2)
            ),
        }
        documents = {
            f"GraphQL, {clients} clients with {clients * PROJECTS_OF_CLIENT:,} projects": nested(
                token, organization.id, clients
            )
            for clients in (TENTH, CLIENTS)
        }
        results = bench.plan.results(
            [
                *(Competitor(name, ours, [request]) for name, request in requests.items()),
                *(Competitor(name, internal, [request]) for name, request in documents.items()),
            ],
            connections=1,
            share=0.5,
        )
    cost = [row.total_cpu for row in results]
    targets = [
        at_most(f"Page {far:,} by `next` compared with page 2", cost[2] / cost[1], 1.2, " x"),
        at_most(f"Page 2 of {projects} rows compared with 1,000", cost[1] / cost[0], 1.2, " x"),
        at_most(f"Time activity of {members} members compared with 100, page 1", cost[7] / cost[6], 1.3, " x"),
        at_most(f"Page {deep:,} by its number, without `next`, p99", results[5].p99, 1000, " ms"),
        at_most(
            f"Time activity of {members} members compared with 100, page 2 by `next`", cost[9] / cost[8], 1.3, " x"
        ),
        at_most("GraphQL with ten times as many rows, cost of a row compared", cost[11] / cost[10] / 10, 1.2, " x"),
    ]
    notes = [
        "The targets compare total CPU.",
        "The first page of a list counts all rows that match; `next` carries the total, so that later pages do not.",
    ]
    return Section("large organizations and late pages, 1 connection", table(results), targets, notes)


def follow(ours: Process, path: str, key: str, page: int) -> str:
    """The path of a page, reached by following `next` from page 1."""
    until = time.monotonic() + WALK_SECONDS
    for at in range(1, page):
        status, answer = send(ours.port, get(path, {"X-SERVICE-API-KEY": key}))
        if status != 200 or answer["next"] is None or time.monotonic() > until:
            raise SystemExit(f"bench: page {page} was not reached: {status} at page {at} of {path}.")
        path = _path(answer)
    return path


def _path(answer: Any) -> str:
    parts = urlsplit(answer["next"])
    return f"{parts.path}?{parts.query}"
