"""Operations: every endpoint at its largest limit, alone and as one of several workers, beside the earlier version."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import date, timedelta
from statistics import fmean
from urllib.parse import urlencode

import orjson

from bench.data import BenchOrganization
from bench.http_requests import receive
from bench.large_data import SEEDED_DAYS
from bench.measure import Competitor, Measurement
from bench.processes import Process
from bench.section import Bench, Section
from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.envelopes import Unpaged
from rest_facade.v1 import ENDPOINTS

DAYS = 31
"""The length of the longest range of days."""

SHARE = 0.2
"""Of the seconds of a round of the other parts, because there are many operations."""

MOST_LINES = 10
"""Operations that the table shows one by one."""


def measure(bench: Bench) -> Section:
    seeded = bench.large.seeded
    paths = largest_pages(seeded.values)
    notes: list[str] = []
    with ExitStack() as stack:
        services = {
            "Redis": stack.enter_context(bench.service_with_store("ours-with-store")),
            "memory store": stack.enter_context(bench.service()),
        }
        before = stack.enter_context(bench.service_before(notes))
        if before is not None:
            services["before"] = before
        sizes = {
            operation: size_of(services["memory store"], path, seeded.organization) for operation, path in paths.items()
        }
        competitors = [
            Competitor(f"{operation} {service}", process, [seeded.organization.get(path)])
            for operation, path in paths.items()
            for service, process in services.items()
        ]
        results = {row.name: row for row in bench.plan.results(competitors, share=SHARE)}
    notes.append(
        f"The figures are CPU us of a request, totals where nothing else is said; that of Redis itself is not counted."
        f" A round takes {SHARE} of the time of other parts."
    )
    columns = {service: [results[f"{operation} {service}"] for operation in paths] for service in services}
    members = bench.scale.seeded_members
    title = f"all {len(paths)} at their largest limit, {members} members x {SEEDED_DAYS} days, 8 connections"
    return Section(title, table(sizes, columns), notes=[*notes, *_compared_with_before(list(paths), columns)])


def _compared_with_before(operations: Sequence[str], columns: Mapping[str, Sequence[Measurement]]) -> list[str]:
    """A note on the CPU of the database, compared with before; none if that was skipped."""
    if "before" not in columns:
        return []
    costs = {
        operation: (ours.database_cpu, before.database_cpu)
        for operation, ours, before in zip(operations, columns["memory store"], columns["before"], strict=True)
    }
    sums = [sum(pair) for pair in zip(*costs.values(), strict=True)]
    worst = max(operations, key=lambda operation: costs[operation][0] / costs[operation][1])
    total, grown = sums[0] / sums[1], costs[worst][0] / costs[worst][1]
    note = f"Database CPU compared with before: all operations {total:.2f} x, {worst}, which grew most, {grown:.2f} x."
    return [note]


def largest_pages(values: Mapping[str, str]) -> dict[str, str]:
    """The path of the largest page of each operation, with the longest range of days.

    Without those of a row that the seeded organization does not have, because its table is new.
    """
    values = longest_range(values)
    return {each.operation: largest(each, values) for each in ENDPOINTS if values.keys() >= set(each.ids)}


def longest_range(values: Mapping[str, str]) -> dict[str, str]:
    """The values with the longest range of days that ends on the same day."""
    first = date.fromisoformat(values["end_date"]) - timedelta(days=DAYS - 1)
    return {**values, "start_date": str(first)}


def largest(endpoint: Endpoint, values: Mapping[str, str]) -> str:
    """The path of the largest page of an operation, with its required parameters."""
    query = {each.name: values[each.name] for each in endpoint.query_parameters if each.is_required}
    if not isinstance(endpoint.envelope, Unpaged):
        query["limit"] = str(endpoint.envelope.maximum)
    path = endpoint.path.format_map(values)
    return f"{path}?{urlencode(query)}" if query else path


def size_of(service: Process, path: str, organization: BenchOrganization) -> tuple[int, int]:
    """Rows and bytes of a response. SystemExit if it is refused."""
    status, body = receive(service.port, organization.get(path))
    if status != 200:
        raise SystemExit(f"bench: {path} answered {status}: {body[:300]!r}")
    data = orjson.loads(body)
    rows = data if isinstance(data, list) else data.get("results", [data])
    return len(rows), len(body)


def table(sizes: Mapping[str, tuple[int, int]], columns: Mapping[str, Sequence[Measurement]]) -> list[str]:
    """The operations that cost most, and the mean of the others: rows, bytes, parts of the first service, totals."""
    first, *others = columns
    head = ["operation", "rows", "bytes", f"{first}: service", f"{first}: database", *others]
    lines = [f"| {' | '.join(head)} |", "|---" + "|---:" * (len(head) - 1) + "|"]
    dearest = sorted(range(len(sizes)), key=lambda at: columns[first][at].total_cpu, reverse=True)
    groups = [(list(sizes)[at], [at]) for at in dearest[:MOST_LINES]]
    groups.append((f"mean of the other {len(dearest) - MOST_LINES}", dearest[MOST_LINES:]))
    for name, members in groups:
        figures = [
            *(fmean(list(sizes.values())[at][column] for at in members) for column in (0, 1)),
            fmean(columns[first][at].cpu for at in members),
            fmean(columns[first][at].database_cpu for at in members),
            *(fmean(columns[service][at].total_cpu for at in members) for service in others),
        ]
        lines.append(f"| {name} | {' | '.join(f'{figure:,.0f}' for figure in figures)} |")
    return lines
