"""Usage: reports of applications and URLs over five million rows, polled with `updated_since`, and late pages."""

from datetime import UTC, date, datetime, timedelta

from bench.measure import Competitor
from bench.section import Bench, Section, table, total_at_most

PATHS = {"applications": "/v1/app_reports/", "URLs": "/v1/url_reports/"}

LIMIT, DAYS, FAR = 20, 31, 50

ROWS = "SELECT (SELECT count(*) FROM app_usages) + (SELECT count(*) FROM url_usages)"


def measure(bench: Bench) -> Section:
    seeded = bench.large.usage
    last = date.fromisoformat(seeded.values["end_date"])
    period = f"start_date={last - timedelta(days=DAYS - 1)}&end_date={last}&limit={LIMIT}"
    changes = {
        "since long ago": datetime(2000, 1, 1, tzinfo=UTC),
        "since the last day": datetime.combine(last, datetime.min.time(), UTC),
    }
    with bench.service() as ours:
        competitors = []
        for name, path in PATHS.items():
            every = f"{path}?{period}"
            pages = {"page 1": every, f"page {FAR} by its number": f"{every}&page={FAR}"}
            for since, moment in changes.items():
                pages[f"changed {since}"] = f"{every}&updated_since={moment:%Y-%m-%dT%H:%M:%SZ}"
            competitors += [
                Competitor(f"{name}, {what}", ours, [seeded.organization.get(page)]) for what, page in pages.items()
            ]
        results = bench.plan.results(competitors, connections=1)
    rows = {row.name: row for row in results}
    targets = [
        total_at_most(
            f"Usage of {name}, {what} compared with page 1", rows[f"{name}, {what}"], rows[f"{name}, page 1"], 2
        )
        for name in PATHS
        for what in (*(f"changed {since}" for since in changes), f"page {FAR} by its number")
    ]
    size = f"{bench.scale.usage_members:,} members, {bench.scale.usage_days} days"
    title = f"{size}, {bench.data.count(ROWS):,} rows, 1 connection"
    return Section(title, table(results), targets)
