"""The number of rows and requests of a run: those of a measurement, or few, for a test that every part runs."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """Sizes of the large organizations, and numbers of requests. The defaults are those of a measurement."""

    projects: int = 1_000_000
    members: int = 100_000
    busy_members: int = 1_000
    """Members with eight timesheets a working day."""
    seeded_members: int = 200
    usage_members: int = 1_000
    usage_days: int = 46
    """With `usage_members`: five million rows of application and URL usage."""
    far_page: int = 1_000
    """The number of the page that is reached by following `next`."""
    first_requests: int = 10
    """Requests on a new connection to the database."""
    organizations: int = 300
    """Organizations that send a first request."""
    mixed_requests: int = 50_000
    """Requests during which the memory is watched."""
    report_lines: int = 20_000
    """Lines of the smallest report of a time tracker; three others have twice as many each."""
    large_report_lines: int = 1_000_000


MINIATURE = Scale(
    projects=2_000,
    members=200,
    busy_members=40,
    seeded_members=20,
    usage_members=20,
    usage_days=31,
    far_page=5,
    first_requests=1,
    organizations=3,
    mixed_requests=500,
    report_lines=200,
    large_report_lines=2_000,
)
