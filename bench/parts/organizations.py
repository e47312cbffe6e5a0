"""Organizations: the first request of many, one after the other, compared with one that sends the same again.

The service does not know their keys; what it keeps of an operation, and the connections to the database, are hot.
"""

from dataclasses import replace

from bench.large_data import DAYS, MANY_MEMBERS
from bench.measure import Competitor
from bench.parts.reports import PATH
from bench.section import Bench, Section, table, total_at_most

PROJECTS = "list: 100 projects"
REPORT = f"report: time activity, {MANY_MEMBERS} members x {DAYS} days"

PATHS = {PROJECTS: "/v1/projects/?limit=100", REPORT: PATH}
MOST = {PROJECTS: 3.0, REPORT: 5.0}
"""The most that a first request costs, compared with a hot one."""

MOST_ROUNDS = 5


def measure(bench: Bench) -> Section:
    ids = bench.large.many
    plan = replace(bench.plan, rounds=min(MOST_ROUNDS, bench.plan.rounds))
    with bench.service() as service:
        # A round has keys of its own; `first_results` sends one round more, before the first.
        first = [
            Competitor(
                f"{name}, first", service, [each.get(path) for each in bench.data.with_keys(ids * (plan.rounds + 1))]
            )
            for name, path in PATHS.items()
        ]
        [known] = bench.data.with_keys(ids[:1])
        hot = [Competitor(f"{name}, hot", service, [known.get(path)]) for name, path in PATHS.items()]
        results = [*plan.first_results(first, lambda _: None, len(ids)), *plan.results(hot, connections=1)]
    rows = {row.name: row for row in results}
    targets = [
        total_at_most(
            f"First request of an organization compared with hot, {name}",
            rows[f"{name}, first"],
            rows[f"{name}, hot"],
            MOST[name],
        )
        for name in PATHS
    ]
    return Section(f"the first request of {len(ids)}, 1 connection", table(results), targets)
