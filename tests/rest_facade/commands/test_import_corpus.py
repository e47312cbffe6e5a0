r"""Files in the shapes that time trackers and companies write, with the hours that reports have: `import_corpus.txt`.

Covers `db/jobs/importing/detailed_reports/mapping.py` and `db/jobs/importing/detailed_reports/mapping_choice.py`.

A case is its name, options of the command, the lines of the file, and what it has: person, day, project or `break`, and
time in it. The sums were computed by hand, and headers and formats are those of the programs.
"""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.pool import QueuePool

from db.admin import engine
from db.admin.engine import connect
from rest_facade.commands.imports import import_rows
from rest_facade.composition import Service
from tests.conftest import Connect
from tests.factories.rows import Rows
from tests.rest_facade.commands.conftest import Run
from tests.rest_facade.commands.import_corpus import CASES, Case
from tests.rest_facade.graphql.client import GraphQLClient, token

PATH = "/v1/time_activity_reports/?start_date=2026-03-01&end_date=2026-03-31"
DOCUMENT = """{ time_activity_reports(start_date: "2026-03-01", end_date: "2026-03-31", limit: 20) {
  results { user { full_name } days { date break_seconds entries { project_name tracked_seconds } } }
} }"""


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


@pytest.fixture(scope="module")
def _one_connection(owner_url: str) -> Iterator[None]:
    """All commands use one connection: a new one reads the catalogue of the database anew."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "NullPool", QueuePool)
        owner = connect(owner_url)
        patch.setattr(import_rows, "owner_engine", lambda: owner)
        yield
    owner.dispose()


@pytest.mark.usefixtures("_one_connection")
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
async def test_reports_have_the_hours_of_the_file(
    case: Case, run: Run, rows: Rows, client: Connect, service: Service, folder: Path
) -> None:
    organization_id = rows.organization(timezone="Europe/Berlin")
    with rows.transaction(organization_id):
        rows.member(organization_id, full_name="Ann Lee", email="ann@example.com")
        rows.member(organization_id, full_name="Bob Ray", email="bob@example.com")
    key = rows.partner_key(organization_id)
    own = str(organization_id)
    (folder / "Report 2026-03 (1).csv").write_text(case.content)
    command = ("import", "--organization", own, *case.options, "Report 2026-03 (1).csv")
    assert run(*command, "--save").code == 0
    async with client(key) as http:
        assert hours((await http.get(PATH)).json()) == case.hours
    graphql = GraphQLClient(service, {"X-SERVICE-API-KEY": token(rows), "X-Organization-Id": own})
    assert hours((await graphql(DOCUMENT)).json()["data"]["time_activity_reports"]) == case.hours
    # With the mapping that was saved.
    changes = re.findall(r"(\d+) new\t(\d+) changed\t(\d+) deleted\t", run(*command).out)
    assert {*changes} == {("0", "0", "0")}


def test_there_are_sixty_of_sixteen_programs() -> None:
    assert len(CASES) >= 60
    assert len({case.options[1] for case in CASES.values()}) >= 16
