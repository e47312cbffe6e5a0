r"""Files in the shapes that time trackers and companies write, with the hours that reports have: `import_corpus.txt`.

Covers `db/jobs/importing/detailed_reports/mapping.py` and `db/jobs/importing/detailed_reports/proposing/proposal.py`.

A case is its name, options of the command, the lines of the file, and what it has: person, day, project or `break`, and
time in it. The sums were computed by hand, and headers and formats are those of the programs.
"""

import re
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Connect
from tests.factories.rows import Rows
from tests.rest_facade.commands.conftest import Run
from tests.rest_facade.commands.import_corpus import CASES

PATH = "/v1/time_activity_reports/?start_date=2026-03-01&end_date=2026-03-31"

READ_AGAIN = {tuple(case.options): name for name, case in CASES.items() if case.options[1] != "own"}
"""A case of each mapping that does not come from the columns of its file."""


def hours(report: Any) -> list[str]:
    """Person, day, project or `break`, and time, as the corpus has them."""
    seconds: Counter[tuple[str, str, str]] = Counter()
    for row in report["results"]:
        for day in row["days"]:
            place = row["user"]["full_name"], day["date"]
            for entry in day["entries"]:
                seconds[*place, entry["project_name"] or "-"] += entry["tracked_seconds"]
            seconds[*place, "break"] += day["break_seconds"]
    return [" ".join([*key, str(timedelta(seconds=each))]) for key, each in sorted(seconds.items()) if each]


@pytest.mark.usefixtures("one_connection")
@pytest.mark.parametrize("name", CASES)
async def test_reports_have_the_hours_of_a_file(name: str, run: Run, rows: Rows, client: Connect, folder: Path) -> None:
    case, organization_id = CASES[name], rows.organization(timezone="Europe/Berlin")
    with rows.transaction(organization_id):
        rows.member(organization_id, full_name="Ann Lee", email="ann@example.com")
        rows.member(organization_id, full_name="Bob Ray", email="bob@example.com")
    key = rows.partner_key(organization_id)
    (folder / "Report 2026-03 (1).csv").write_text(case.content)
    command = ("import", "--organization", str(organization_id), *case.options, "Report 2026-03 (1).csv")
    assert run(*command, "--save").code == 0
    assert hours((await client(key).get(PATH)).json()) == case.hours
    if READ_AGAIN.get(tuple(case.options), name) == name:
        # With the mapping that was saved.
        assert {*re.findall(r"(\d+) new\t(\d+) changed\t(\d+) deleted\t", run(*command).out)} == {("0", "0", "0")}
