"""Refusals: the cost of responses 401, 404, 405 and 429."""

from bench.data import rows
from bench.http_requests import get, send
from bench.measure import Competitor
from bench.section import Bench, Section, Target, at_most, table

LIMIT = 8
"""A refusal's cost at most, as a multiple of that of a bare application."""

BARE = "bare ASGI app, constant body"
USED_UP = "429, quota used up"
ADDRESS_BLOCKED = "429, address blocked, behind a proxy"

ADDRESSES = 20_000
"""The throttle allows ten 401 a minute per address; these addresses allow 200,000."""

BLOCKED = "192.0.2.1"
"""An address that is blocked after these tries."""

TRIES = 12

SHARED = ", counted in Redis"
"""The set-up of several workers."""

LIMITED = 900
"""The organization whose quota is used up."""


def measure(bench: Bench) -> Section:
    bad = {"X-SERVICE-API-KEY": "orgd_live_not_a_key"}
    elsewhere = [f"10.{at >> 16}.{at >> 8 & 255}.{at & 255}" for at in range(ADDRESSES)]
    malformed = [get("/v1/projects/", {**bad, "X-Forwarded-For": address}) for address in elsewhere]
    blocked = get("/v1/projects/", {**bad, "X-Forwarded-For": BLOCKED})
    bench.data.run(rows(LIMITED, LIMITED, projects=1))
    limited = bench.data.organization(LIMITED, quota=1)
    used_up = get("/v1/projects/?limit=1", {"X-SERVICE-API-KEY": limited.key})
    good = {"X-SERVICE-API-KEY": bench.data.organizations[0].key}
    settings = {"ORGDATA_QUOTA_WINDOW": "86400", "ORGDATA_TRUSTED_PROXIES": "127.0.0.0/8"}
    with (
        bench.service("ours", **settings) as ours,
        bench.service_with_store("ours-with-store", **settings) as shared,
        bench.peer("bare") as bare,
    ):
        for _ in range(TRIES):
            for each in (ours, shared):
                send(each.port, blocked)
                send(each.port, used_up)
        before = sum(bench.data.cpu().values())
        results = bench.plan.results(
            [
                Competitor("401, malformed key, behind a proxy", ours, malformed, frozenset({"401"})),
                Competitor("404, no such route", ours, [get("/v1/nothing/", good)], frozenset({"404"})),
                Competitor("405, method", ours, [get("/v1/projects/", good, "PUT")], frozenset({"405"})),
                # After the window of the throttle, ten requests are 401 again.
                Competitor(ADDRESS_BLOCKED, ours, [blocked], frozenset({"429", "401"})),
                Competitor(USED_UP, ours, [used_up], frozenset({"429"})),
                Competitor(f"{ADDRESS_BLOCKED}{SHARED}", shared, [blocked], frozenset({"429", "401"})),
                Competitor(f"{USED_UP}{SHARED}", shared, [used_up], frozenset({"429"})),
                Competitor(BARE, bare, [get("/")]),
            ],
            share=0.5,
        )
        database_cpu = sum(bench.data.cpu().values()) - before
    *refusals, bare_row = results
    count = sum(sample.requests for row in refusals for sample in row.rounds)
    rows_by_name = {row.name: row for row in refusals}
    targets = [
        at_most(
            f"Refusal {row.name}, service CPU compared with the bare application", row.cpu / bare_row.cpu, LIMIT, " x"
        )
        for row in refusals
        if not row.name.endswith(SHARED)
    ]
    ratio = rows_by_name[f"{USED_UP}{SHARED}"].cpu / rows_by_name[USED_UP].cpu
    targets.append(at_most("A quota that is used up, with Redis compared with memory", ratio, 1.2, " x"))
    share = database_cpu / count * 1e6
    targets.append(Target("Refusals: no database", f"{share:,.2f} us of its CPU a request", share < 2))
    return Section("responses without data, 8 connections", table(results), targets)
