"""Fairness: an organization's latency alone, beside one that sends reports, and beside large ad-hoc documents."""

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from threading import Event
from typing import Any

from bench.data import CLIENTS
from bench.graphql_requests import nested
from bench.hostile_documents import hostile_requests
from bench.large_data import FIRST_DAY, LAST_DAY
from bench.measure import LoadClient, loading_in_turns
from bench.section import Bench, Section, Target, at_most

SECONDS = 10.0
"""The length of each run; five times a round of the other parts."""

NOISE = 16
"""Connections of the organization that sends reports."""

MOST_LINES = 8
"""Kinds of hostile documents that the table shows."""

DOCUMENTS = 4
"""Connections that send ad-hoc documents: as many as a worker executes at a time."""

REPORT = f"/v1/time_activity_reports/?start_date={FIRST_DAY}&end_date={LAST_DAY}&limit=20"


def measure(bench: Bench) -> Section:
    noisy, neighbour = bench.large.few_members, bench.data.organizations[0]
    lists = [neighbour.get(f"/v1/projects/?limit=50&page={page}") for page in range(1, 5)]
    cheap = [neighbour.get("/v1/nothing/")]
    documents = [nested(bench.data.token(), bench.large.nested.id, CLIENTS)]
    seconds = SECONDS * bench.plan.seconds / 2
    hostile = dict(hostile_requests(bench.data.token(), bench.large.seeded))
    with ExitStack() as stack:
        enter = stack.enter_context
        public, internal = enter(bench.service_with_graphql("ours-shared"))
        load, refused = enter(loading_in_turns([(public.port, lists), (public.port, cheap)]))
        loads = [(public.port, [noisy.get(REPORT)]), (internal.port, documents)]
        loads += [(internal.port, requests) for requests in hostile.values()]
        reports, large, *others = enter(loading_in_turns(loads))
        _run(load, seconds / 5)
        results = {"list of 50, alone": _run(load, seconds)}
        with noise(reports, NOISE):
            results["the same, beside another organization that sends reports"] = _run(load, seconds)
        results["404, alone"] = _run(refused, seconds, "404")
        with noise(large, DOCUMENTS):
            results["404, beside large ad-hoc documents"] = _run(refused, seconds, "404")
        for what, other in zip(hostile, others, strict=True):
            with noise(other, 1):
                results[f"404, beside {what}"] = _run(refused, seconds / 5, "404")
    note = (
        f"{seconds:g} s each. Reports come over {NOISE} connections, large documents over {DOCUMENTS}, others over one,"
        f" each in forty versions; of these, the table has the {MOST_LINES} of {len(hostile)} that held a 404 longest."
        " The longest latency of a 404, which needs no database, shows how long the event loop was held."
    )
    shown = sorted(list(results)[-len(hostile) :], key=lambda what: results[what]["longest"], reverse=True)[:MOST_LINES]
    title = "an organization beside others, 1 connection"
    table = {what: results[what] for what in results if what in [*list(results)[: -len(hostile)], *shown]}
    return Section(title, _table(table), _targets(*results.values()), [note])


@contextmanager
def noise(load: LoadClient, connections: int) -> Iterator[None]:
    """Load that lasts as long as the block. A server that is full may answer 503."""
    statuses = frozenset({"200", "503"})
    over = Event()
    with ThreadPoolExecutor(1) as executor:
        # The first run proves that the requests are good.
        load.run(seconds=30.0, connections=1, most=1)

        def run() -> None:
            while not over.is_set():
                load.run(seconds=0.2, connections=connections, statuses=statuses)

        running = executor.submit(run)
        try:
            yield
        finally:
            over.set()
            running.result()


def _run(load: LoadClient, seconds: float, status: str = "200") -> dict[str, Any]:
    return load.run(seconds=seconds, connections=1, statuses=frozenset({status}))


def _targets(alone: dict[str, Any], beside: dict[str, Any], _: dict[str, Any], *held: dict[str, Any]) -> list[Target]:
    limit = 2 * alone["p99"] * 1e3 + 50
    longest = max(each["longest"] for each in held)
    return [
        Target(
            "p99 of a list beside an organization that sends reports: at most 2 x alone + 50 ms",
            f"{beside['p99'] * 1e3:,.2f} ms of {limit:,.2f} ms",
            beside["p99"] * 1e3 <= limit,
        ),
        at_most("An ad-hoc document holds the event loop", longest * 1e3, 50, " ms"),
    ]


def _table(results: Mapping[str, dict[str, Any]]) -> list[str]:
    lines = ["| what | requests / s | median ms | p99 ms | longest ms |", "|---|---:|---:|---:|---:|"]
    for what, result in results.items():
        times = " | ".join(f"{result[name] * 1e3:.2f}" for name in ("median", "p99", "longest"))
        lines.append(f"| {what} | {result['requests'] / result['seconds']:,.0f} | {times} |")
    return lines
