"""Fixtures of reports that are imported."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import Connection

from db.jobs.importing.detailed_reports.detailed_report import DetailedReport
from db.jobs.importing.import_run import ImportRefused, import_rows
from db.jobs.importing.time_summary import TimeSummary
from resolvers.reports.tracked_seconds import tracked_seconds
from tests.db.jobs.importing.conftest import counts
from tests.db.jobs.importing.detailed_reports.reports import BERLIN, FORMATS, Tracker
from tests.factories.rows import Rows


class Imported(NamedTuple):
    """What an import said: (inserted, updated, deleted) of each table, and time; or problems."""

    changes: Mapping[str, tuple[int, int, int]]
    time: TimeSummary | None
    notes: list[str]
    problems: list[str]


Files = Mapping[str, Sequence[str]]
ImportFiles = Callable[..., Imported]


@pytest.fixture
def import_files(owner: Connection, own: UUID, tmp_path: Path) -> ImportFiles:
    """`import_files(Tracker.toggl, {"a.csv": [HEADER, LINE]})` imports files, and commits unless it is refused."""

    def run(tracker: Tracker, files: Files, *, zone: str = BERLIN, dry: bool = False, **options: Any) -> Imported:
        for name, lines in files.items():
            (tmp_path / name).write_text("\n".join(lines))
        report = DetailedReport([tmp_path / name for name in files], FORMATS[tracker], ZoneInfo(zone), **options)
        try:
            with owner.begin():
                result = import_rows(owner, own, report.rows(owner, own), dry_run=dry, tracked_seconds=tracked_seconds)
        except ImportRefused as refused:
            return Imported({}, None, [], refused.log.lines())
        return Imported({each.table: counts(each) for each in result.tables}, result.time, report.notes(), [])

    return run


@pytest.fixture
def ann(rows: Rows, own: UUID) -> None:
    """A member, whom reports of some trackers know by name."""
    with rows.transaction(own):
        rows.member(own, full_name="Ann Lee", email="ann@example.com")
