"""Memory: a worker's resident memory during many mixed requests, and its growth."""

from dataclasses import replace

from bench.data import project_id
from bench.http_requests import get
from bench.measure import loading
from bench.section import Bench, Section, at_most

REQUESTS = 50_000
STEP = 2_500

MOST_SECONDS = 240.0

ANSWERS = frozenset({"200", "400", "404", "405"})


def measure(bench: Bench) -> Section:
    with bench.service() as ours, loading(ours.port, _mixed(bench)) as load:
        start, samples = ours.rss(), []
        seconds, sent = 0.0, 0
        while sent < REQUESTS and seconds < MOST_SECONDS:
            result = load.run(seconds=MOST_SECONDS - seconds, connections=8, most=STEP, statuses=ANSWERS)
            seconds, sent = seconds + result["seconds"], sent + result["requests"]
            samples.append((sent, ours.rss()))
    last = samples[-1][1]
    slope = _slope([each for each in samples if each[0] > sent / 2]) * 10_000
    lines = ["| requests | resident MB |", "|---:|---:|", f"| 0 | {start:.1f} |"]
    lines += [f"| {count:,} | {rss:.1f} |" for count, rss in samples if count % (STEP * 4) == 0 or count == sent]
    targets = [
        at_most(f"Memory of a worker after {sent:,} mixed requests", last, 150, " MB"),
        at_most("Its slope in the second half, per 10,000 requests", slope, 1, " MB"),
    ]
    notes = []
    if sent < REQUESTS:
        notes.append(f"Of {REQUESTS:,} requests, {sent:,} were sent in {MOST_SECONDS:.0f} s.")
        targets = [replace(target, holds=None) for target in targets]
    return Section("one worker, 8 connections", lines, targets, notes)


def _mixed(bench: Bench) -> list[bytes]:
    """Of ten requests four are for one row, three for short pages, one is for a long page, and two are refused."""
    requests = []
    for at in range(200):
        for each in bench.data.organizations[at % 5 :: 5]:
            key = {"X-SERVICE-API-KEY": each.key}
            one = get(f"/v1/projects/{project_id(each.number, at * 5 + 1)}/", key)
            requests += [
                one,
                get(f"/v1/clients/?limit=10&page={at % 4 + 1}", key),
                one,
                get(f"/v1/projects/?limit=10&page={at % 100 + 1}", key),
                get(f"/v1/projects/{project_id(each.number, 999_999)}/", key),
                one,
                get(f"/v1/projects/?limit=10&is_active=true&search=Project%20{each.number}", key),
                one,
                get(f"/v1/projects/?limit=100&page={at % 10 + 1}", key),
                get("/v1/projects/?limit=1000", key),
            ]
    return requests


def _slope(samples: list[tuple[int, float]]) -> float:
    """MB per request, by least squares."""
    x = sum(count for count, _ in samples) / len(samples)
    y = sum(rss for _, rss in samples) / len(samples)
    spread = sum((count - x) ** 2 for count, _ in samples)
    return sum((count - x) * (rss - y) for count, rss in samples) / spread if spread else 0.0
