"""bench/parts/page.py: the targets and the summary, from measurements."""

from bench.measure import Measurement, Sample
from bench.parts import page


def measured(name: str, cpu: float, database_cpu: float) -> Measurement:
    """A measurement of one round of one request. CPU in microseconds."""
    sample = Sample(1, 1.0, cpu / 1e6, database_cpu / 1e6, 0.001, 0.002, 0.003)
    return Measurement(name, [sample])


def rows(*, without: str = "") -> dict[str, Measurement]:
    costs = {
        page.OURS: (600, 300),
        page.FLOOR: (400, 400),
        page.PLAIN: (12_000, 500),
        page.POSTGRAPHILE: (1_000, 1_000),
        page.MERCURIUS: (1_500, 300),
        page.BEFORE: (1_200, 600),
        page.PUBLISHED: (700, 500),
        page.PUBLISHED_BEFORE: (1_400, 600),
    }
    return {name: measured(name, *cost) for name, cost in costs.items() if name != without}


def test_targets_compare_service_and_total_cpu() -> None:
    assert [(target.measured, target.holds) for target in page.targets(rows())] == [
        ("1.12 x", True),
        ("1.50 x", True),
        ("0.45 x", True),
        ("0.60 x", False),
        ("20.00 x", True),
        ("0.50 x", True),
        ("0.60 x", True),
    ]


def test_skipped_competitor_is_not_measured() -> None:
    verdicts = [target.holds for target in page.targets(rows(without=page.POSTGRAPHILE))]
    assert verdicts == [True, True, None, None, True, True, True]


def test_summary_names_figures_and_ratios() -> None:
    assert page.summary(rows(without=page.MERCURIUS)) == (
        "A page of 100 projects with their clients takes 600 us of service CPU and 300 us of database CPU: in total"
        " 1.12 x code written by hand, 0.45 x PostGraphile, 0.50 x before."
    )
