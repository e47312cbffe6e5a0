r"""Files in the shapes that time trackers and companies write, with the hours that each has: `corpus.txt`.

Covers `db/jobs/importing/detailed_reports/mapping.py` and `db/jobs/importing/detailed_reports/mapping_choice.py`.

A case is its name, the options, the lines of the file, and what it has: person, day, project or `break`, and time. The
sums were computed by hand, and headers and formats are those of the programs.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection

from db.admin.keys import set_organization
from db.jobs.importing.detailed_reports.detailed_report import DetailedReport
from db.jobs.importing.detailed_reports.mapping import ColumnMapping
from db.jobs.importing.detailed_reports.mapping_choice import chosen_mapping
from db.jobs.importing.import_run import import_rows
from resolvers.day_bounds import zone_info
from tests.db.jobs.importing.conftest import counts
from tests.db.jobs.importing.detailed_reports.corpus import CASES, Case
from tests.db.jobs.importing.detailed_reports.reports import BERLIN
from tests.factories.rows import Rows

HOURS = """
m.full_name, (started_at AT TIME ZONE 'Europe/Berlin')::date::text, coalesce(pause, p.name, '-'),
to_char(make_interval(secs => extract(epoch FROM sum(ended_at - started_at))), 'FMHH24:MI:SS')
FROM (
  SELECT user_id, project_id, started_at, ended_at, deleted_at, NULL AS pause FROM timesheets
  UNION ALL SELECT user_id, NULL, started_at, ended_at, deleted_at, 'break' FROM break_times
) e JOIN members m USING (user_id) LEFT JOIN (SELECT id, name FROM projects) p ON p.id = project_id
WHERE e.deleted_at IS NULL GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
"""


FIRST_OF_PROGRAM = list({case.options[1]: case for case in reversed(CASES.values())}.values())
"""One case of each program. It is imported twice: how entries are found again does not depend on the columns."""


def chosen(options: list[str], paths: list[Path]) -> ColumnMapping:
    """The mapping that the options of a command choose."""
    given: dict[str, list[str]] = {}
    flags = [option for option in options if option == "--trust-durations"]
    pairs = iter(option for option in options if option not in flags)
    for option, value in zip(pairs, pairs, strict=True):
        given.setdefault(option.removeprefix("--"), []).append(value)
    (name,), columns = given.pop("from"), given.pop("map", [])
    settings = {option: values[0] for option, values in given.items()}
    return chosen_mapping(name, columns, paths, **settings, trusts_durations=bool(flags))


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_file_has_its_hours(
    case: Case, owner: Connection, own: UUID, rows: Rows, tmp_path: Path, select: Callable[[str], list[tuple[Any, ...]]]
) -> None:
    with rows.transaction(own):
        rows.member(own, full_name="Ann Lee", email="ann@example.com")
        rows.member(own, full_name="Bob Ray", email="bob@example.com")
    path = tmp_path / "Report 2026-03 (1).csv"
    path.write_text(case.content)

    def load() -> list[tuple[int, int, int]]:
        mapping = chosen(case.options, [path])
        report = DetailedReport([path], mapping, zone_info(mapping.timezone or BERLIN))
        with owner.begin():
            set_organization(owner, own)
            return [counts(change) for change in import_rows(owner, own, report.rows(owner, own)).tables]

    load()
    assert [" ".join(row) for row in select(HOURS)] == case.hours
    if case in FIRST_OF_PROGRAM:
        assert {change for change in load() if any(change)} == set()


def test_there_are_sixty_of_sixteen_programs() -> None:
    assert len(CASES) >= 60
    assert len({case.options[1] for case in CASES.values()}) >= 16
