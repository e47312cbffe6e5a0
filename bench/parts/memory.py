"""Memory: a worker's resident memory during many mixed requests, and its growth."""

from dataclasses import replace

from bench.data import project_id
from bench.graphql_requests import selections
from bench.measure import loading
from bench.section import Bench, Section, at_most

SELECTIONS = 0.4
"""The share of GraphQL in the requests. Each has another selection."""

STEPS = 20
GRAPHQL_CONNECTIONS = 4

MOST_SECONDS = 1200.0

ANSWERS = frozenset({"200", "400", "404", "405"})


def measure(bench: Bench) -> Section:
    requests = bench.scale.mixed_requests
    documents = int(SELECTIONS * requests)
    graphql = selections(bench.data.token(), bench.data.organizations[0].id, documents)
    with (
        bench.service_with_graphql("ours-with-graphql") as (public, internal),
        loading(public.port, _mixed(bench)) as rest_load,
        loading(internal.port, graphql) as graphql_load,
    ):
        start, samples = public.rss(), []
        seconds, sent = 0.0, 0
        while sent < requests and seconds < MOST_SECONDS:
            for load, connections, most in (
                (rest_load, 8, (requests - documents) // STEPS),
                (graphql_load, GRAPHQL_CONNECTIONS, documents // STEPS),
            ):
                left = max(1.0, MOST_SECONDS - seconds)
                result = load.run(seconds=left, connections=connections, most=most, statuses=ANSWERS)
                seconds, sent = seconds + result["seconds"], sent + result["requests"]
            samples.append((sent, public.rss()))
    last = samples[-1][1]
    slope = _slope([each for each in samples if each[0] > sent / 2]) * 10_000
    lines = ["| requests | resident MB |", "|---:|---:|", f"| 0 | {start:.1f} |"]
    lines += [f"| {count:,} | {rss:.1f} |" for count, rss in samples if count % 10_000 == 0 or count == sent]
    targets = [
        at_most(f"Memory of a worker after {sent:,} mixed requests", last, 150, " MB"),
        at_most("Its slope in the second half, per 10,000 requests", slope, 1, " MB"),
    ]
    notes = [f"{documents:,} of the {requests:,} requests are GraphQL documents, no two alike."]
    if sent < requests:
        notes.append(f"Of {requests:,} requests, {sent:,} were sent in {MOST_SECONDS:.0f} s.")
        targets = [replace(target, holds=None) for target in targets]
    return Section("one worker", lines, targets, notes)


def _mixed(bench: Bench) -> list[bytes]:
    """Of ten requests four are for one row, three for short pages, one is for a long page, and two are refused."""
    requests = []
    for at in range(200):
        for each in bench.data.organizations[at % 5 :: 5]:
            one = each.get(f"/v1/projects/{project_id(each.id, at * 5 + 1)}/")
            requests += [
                one,
                each.get(f"/v1/clients/?limit=10&page={at % 4 + 1}"),
                one,
                each.get(f"/v1/projects/?limit=10&page={at % 100 + 1}"),
                each.get(f"/v1/projects/{project_id(each.id, 999_999)}/"),
                one,
                each.get(f"/v1/projects/?limit=10&is_active=true&search=Project%20{at % 50 + 1}"),
                one,
                each.get(f"/v1/projects/?limit=100&page={at % 10 + 1}"),
                each.get("/v1/projects/?limit=1000"),
            ]
    return requests


def _slope(samples: list[tuple[int, float]]) -> float:
    """MB per request, by least squares."""
    x = sum(count for count, _ in samples) / len(samples)
    y = sum(rss for _, rss in samples) / len(samples)
    spread = sum((count - x) ** 2 for count, _ in samples)
    return sum((count - x) * (rss - y) for count, rss in samples) / spread if spread else 0.0
