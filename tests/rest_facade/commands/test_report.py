"""`orgdata report`: what it refuses. tests/browser/test_hours.py reads what it writes."""

from pathlib import Path
from uuid import UUID

import pytest

from tests.factories.rows import Rows
from tests.rest_facade.commands.conftest import Run

MARCH = {"--start": "2026-03-01", "--end": "2026-03-31"}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"--organization": str(UUID(int=1))}, "Organization not found."),
        ({"--end": "2026-02-01"}, "end_date must be on or after start_date."),
        ({"--end": "2029-02-01"}, "Date range cannot exceed 366 days."),
        ({"--timezone": "Mars/Olympus"}, "'Mars/Olympus' is not a time zone"),
        ({"--html": "/nowhere/hours.html"}, "/nowhere/hours.html cannot be written: No such file or directory."),
    ],
)
def test_report_that_cannot_be_made_is_a_sentence(
    options: dict[str, str], sentence: str, operate: Run, rows: Rows, tmp_path: Path
) -> None:
    own = str(rows.organization())
    given = {"--organization": own, **MARCH, "--html": str(tmp_path / "hours.html"), **options}
    result = operate("report", *(word for pair in given.items() for word in pair))
    assert result.code == 1
    assert sentence in result.err
    assert not (tmp_path / "hours.html").exists()
