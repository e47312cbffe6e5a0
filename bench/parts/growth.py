"""Growth: the cost of a page with a thousand times as many rows, and of the thousandth page."""

import time
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlsplit

from bench.data import rows
from bench.http_requests import get, send
from bench.large_data import LARGE, MANY, PEOPLE_FEW, PEOPLE_MANY, SMALL, members, workdays
from bench.measure import Competitor
from bench.processes import Process
from bench.section import Bench, Section, at_most, table

FAR = 1_000
"""The number of the page that is reached by following `next`."""

DEEP = 20_000
"""The last page of a million rows, 50 a page, requested by its number."""

WALK_SECONDS = 120.0

FIRST_DAY = date(2025, 3, 1)
DAYS = 31


def measure(bench: Bench) -> Section:
    data, plan = bench.data, bench.plan
    print("Making an organization of 1,000,000 projects and one of 100,000 members ...", flush=True)
    data.run(rows(SMALL, SMALL, projects=1_000))
    data.run(rows(LARGE, LARGE, projects=MANY))
    for number, count in ((PEOPLE_FEW, 100), (PEOPLE_MANY, 100_000)):
        data.run(rows(number, number, projects=10))
        data.run(members(number, count))
        data.run(workdays(number, FIRST_DAY, DAYS))
    data.analyze()
    small, large, few_members, many_members = map(data.organization, (SMALL, LARGE, PEOPLE_FEW, PEOPLE_MANY))
    last = FIRST_DAY + timedelta(days=DAYS - 1)
    report = f"/v1/time_activity_reports/?start_date={FIRST_DAY}&end_date={last}&limit=20"
    with bench.service() as ours:
        page_2_of_small = follow(ours, "/v1/projects/?limit=100", small.key, 2)
        page_2_of_large = follow(ours, "/v1/projects/?limit=100", large.key, 2)
        page_1000 = follow(ours, "/v1/projects/?limit=100", large.key, FAR)
        requests = {
            "page 2 by `next`, 1,000 projects": (page_2_of_small, small.key),
            "page 2 by `next`, 1,000,000 projects": (page_2_of_large, large.key),
            "page 1,000 by `next`, 1,000,000 projects": (page_1000, large.key),
            "page 1, 1,000 projects (counts all)": ("/v1/projects/?limit=100", small.key),
            "page 1, 1,000,000 projects (counts all)": ("/v1/projects/?limit=100", large.key),
            f"page {DEEP:,} by its number, 1,000,000 projects": (f"/v1/projects/?limit=50&page={DEEP}", large.key),
            "time activity, page 1, 100 members (counts all)": (report, few_members.key),
            "time activity, page 1, 100,000 members (counts all)": (report, many_members.key),
            "time activity, page 2 by `next`, 100 members": (follow(ours, report, few_members.key, 2), few_members.key),
            "time activity, page 2 by `next`, 100,000 members": (
                follow(ours, report, many_members.key, 2),
                many_members.key,
            ),
        }
        results = plan.results(
            [Competitor(name, ours, [get(path, {"X-SERVICE-API-KEY": key})]) for name, (path, key) in requests.items()],
            connections=1,
        )
    cost = [row.cost for row in results]
    targets = [
        at_most("Page 1,000 by `next` compared with page 2", cost[2] / cost[1], 1.2, " x"),
        at_most("Page 2 of 1,000,000 rows compared with 1,000", cost[1] / cost[0], 1.2, " x"),
        at_most("Time activity of 100,000 members compared with 100, page 1", cost[7] / cost[6], 1.3, " x"),
        at_most(f"Page {DEEP:,} by its number, without `next`, p99", results[5].p99, 1000, " ms"),
        at_most("The same, page 2 by `next`", cost[9] / cost[8], 1.3, " x"),
    ]
    notes = [
        "The targets compare the CPU of the server process and of the database together.",
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
