"""Reports: time activity of 20 members and 31 days, compared with the earlier version, and late pages."""

from contextlib import ExitStack

from bench.large_data import DAYS, FIRST_DAY, LAST_DAY
from bench.measure import Competitor
from bench.section import Bench, Section, table, total_at_most

LIMIT = 20
OURS = f"ours: time activity, {LIMIT} members x {DAYS} days"
BEFORE = f"before: time activity, {LIMIT} members x {DAYS} days"
FIRST = "ours: the same of many members, page 1"
LATE = "ours: the same of many members, the last page by its number"

PATH = f"/v1/time_activity_reports/?start_date={FIRST_DAY}&end_date={LAST_DAY}&limit={LIMIT}"


def measure(bench: Bench) -> Section:
    few, many = bench.large.few_members, bench.large.busy_members
    last = bench.scale.busy_members // LIMIT
    notes: list[str] = []
    with ExitStack() as stack:
        service = stack.enter_context(bench.service())
        competitors = [
            Competitor(OURS, service, [few.get(PATH)]),
            Competitor(FIRST, service, [many.get(PATH)]),
            Competitor(LATE, service, [many.get(f"{PATH}&page={last}")]),
        ]
        before = stack.enter_context(bench.service_before(notes))
        if before is not None:
            competitors.append(Competitor(BEFORE, before, [few.get(PATH)]))
        rows = {row.name: row for row in bench.plan.results(competitors, connections=1)}
    ours, earlier = rows[OURS], rows.get(BEFORE)
    what = f"Time activity, {LIMIT} members x {DAYS} days"
    targets = [total_at_most(f"{what}, page {last} by its number compared with page 1", rows[LATE], rows[FIRST], 2)]
    summary = (
        f"Time activity of {LIMIT} members on {DAYS} days takes {ours.cpu / 1000:.1f} ms of service CPU and"
        f" {ours.database_cpu / 1000:.1f} ms of database CPU"
    )
    if earlier:
        summary += f": in total {ours.total_cpu / earlier.total_cpu:.2f} x before"
    return Section("time activity, 1 connection", table(list(rows.values())), targets, notes, f"{summary}.")
