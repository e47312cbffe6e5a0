"""First requests: some on a new database connection, of every operation, beside hot ones and the earlier version."""

from contextlib import ExitStack
from dataclasses import replace
from time import sleep

import psycopg

from bench.before import EarlierVersion
from bench.large_data import SEEDED_DAYS
from bench.measure import Competitor
from bench.parts.operations import SHARE, largest_pages, size_of, table
from bench.section import Bench, Section, at_most

# The connections of the service are the only other ones.
END_CONNECTIONS = """
SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
"""

MOST_ROUNDS = 7

LOOK_SECONDS, MOST_LOOKS = 0.002, 5_000
"""The pause between two looks whether all connections have ended, and the number of looks."""


def measure(bench: Bench) -> Section:
    seeded, count = bench.large.seeded, bench.scale.first_requests
    paths = largest_pages(seeded.values)
    notes: list[str] = []
    plan = replace(bench.plan, rounds=min(MOST_ROUNDS, bench.plan.rounds))
    with ExitStack() as stack:
        services = {"ours": stack.enter_context(bench.service())}
        urls = {"ours": bench.data.url}
        before = stack.enter_context(bench.service_before(notes))
        if before is not None:
            assert isinstance(bench.before, EarlierVersion)
            services["before"], urls["before"] = before, bench.before.url
        sizes = {operation: size_of(services["ours"], path, seeded.organization) for operation, path in paths.items()}
        competitors = [
            Competitor(service, process, [seeded.organization.get(path)])
            for path in paths.values()
            for service, process in services.items()
        ]
        first = plan.first_results(competitors, lambda each: _end_connections(urls[each.name]), count)
        columns = {service: [row for row in first if row.name == service] for service in services}
        hot = [
            Competitor(operation, services["ours"], [seeded.organization.get(path)])
            for operation, path in paths.items()
        ]
        columns["hot"] = plan.results(hot, connections=1, share=SHARE)
    notes.append(
        f"The figures are CPU us of a request, totals where nothing else is said, of the first {count} on a"
        " new connection. Those of the database include the start of the backend, its log-in, its caches and the plans."
    )
    members = bench.scale.seeded_members
    title = f"the first {count} of all {len(paths)} on a new connection, {members} members x {SEEDED_DAYS} days"
    sums = [sum(row.database_cpu for row in columns[name]) for name in ("ours", "hot")]
    target = at_most(f"Database CPU of the first {count} compared with hot", sums[0] / sums[1], 1.5, " x")
    return Section(title, table(sizes, columns), [target], notes)


def _end_connections(url: str) -> None:
    # Within a transaction, the view would show the connections of its first look.
    with psycopg.connect(url, autocommit=True) as connection:
        for _ in range(MOST_LOOKS):
            if connection.execute(END_CONNECTIONS).fetchone() == (0,):
                return
            sleep(LOOK_SECONDS)
    raise SystemExit("bench: the connections of the service do not end.")
