"""`examples/python`, and `payroll.py` of docs/quickstart.md, unmodified, with a client made from the document.

The people that `payroll.py` pays have time, leave and settings unlike the demo's.
"""

from collections.abc import Iterator
from pathlib import Path

import httpx2 as httpx
import pytest

from db.admin.engine import connect
from tests.clients.payroll_company import Company, fill
from tests.clients.python_client import generate_python
from tests.clients.saved_files import saved_files
from tests.clients.tools import PYTHON, run
from tests.factories.rows import Rows
from tests.rest_facade.commands.demo_process import Demo

pytestmark = pytest.mark.clients

EXPECTED = """\
2025-09-01 to 2025-09-30: hours and pay; * is not final
Two halves: work 8.00  breaks 0.00  overtime 0.00  leave 8.00  pay 320.00 EUR
Taken twice: work 0.00  breaks 0.00  overtime 0.00  leave 12.00  pay 240.00 EUR  (ask: 1.50 days of leave on 2025-09-10)
Plus hours: work 0.00  breaks 0.00  overtime 0.00  leave 12.00  pay 240.00 EUR  (ask: 1.50 days of leave on 2025-09-10)
No days: work 0.00  breaks 0.00  overtime 0.00  leave 16.00  pay 320.00 EUR  (ask: 2.00 days of leave on 2025-09-10)
Over the month: work 0.00  breaks 0.00  overtime 0.00  leave 20.00  pay 400.00 EUR
Zero threshold: work 10.00  breaks 0.00  overtime 10.00  leave 0.00  pay 300.00 EUR
Zero daily: work 10.00  breaks 0.00  overtime 10.00  leave 0.00  pay 300.00 EUR
Zero multiplier: work 50.00  breaks 0.00  overtime 10.00  leave 0.00  pay 800.00 EUR
No multiplier: work 50.00  breaks 0.00  overtime 10.00  leave 0.00  pay 1000.00 EUR  \
(not paid: 10.00 h overtime without multiplier)
No threshold: work 50.00  breaks 0.00  overtime 0.00  leave 0.00  pay 1000.00 EUR
Both thresholds: work 45.00  breaks 0.00  overtime 5.00  leave 0.00  pay 950.00 EUR
No rate: work 0.00  breaks 0.00  overtime 0.00  leave 0.00  pay nothing  (not paid: 3.00 h without pay_rate)
Two rates: work 8.00  breaks 0.00  overtime 0.00  leave 0.00  pay 160.00 EUR  \
(not paid: 8.00 h with two payment settings)
Zero rate: work 3.00  breaks 0.00  overtime 0.00  leave 0.00  pay 0.00 EUR
First week: work 30.00  breaks 0.00  overtime 5.00  leave 0.00  pay 650.00 EUR
Last week: work 30.00  breaks 0.00  overtime 0.00  leave 0.00  pay 600.00 EUR
Nights: work 3.00  breaks 0.00  overtime 0.00  leave 0.00  pay 60.00 EUR
Ends in a week: work 45.00  breaks 0.00  overtime 5.00  leave 0.00  pay 950.00 EUR  \
(not paid: 30.00 h without payment settings)
New rate in a week: work 75.00  breaks 0.00  overtime 35.00  leave 0.00  pay 2300.00 EUR
New threshold in a week: work 75.00  breaks 0.00  overtime 20.00  leave 0.00  pay 2300.00 EUR
Then overtime: work 50.00  breaks 0.00  overtime 10.00  leave 0.00  pay 1100.00 EUR
Then a salary: work 45.00  breaks 0.00  overtime 5.00  leave 0.00  pay 950.00 EUR
Two currencies: work 5.00  breaks 0.00  overtime 0.00  leave 0.00  pay 60.00 EUR + 2000 JPY
Nothing agreed: work 0.00  breaks 0.00  overtime 0.00  leave 0.00  pay nothing  \
(not paid: 2.00 h without payment settings)
Approval: work 3.75  breaks 0.50  overtime 0.00  leave 0.00  pay 85.00 EUR  (not paid: 2.75 h not approved)
Krona: work 4.33  breaks 0.00  overtime 0.00  leave 0.00  pay 14444 ISK
Franc: work 4.33  breaks 0.00  overtime 0.00  leave 0.00  pay 5350 XAF
Dinar: work 4.33  breaks 0.00  overtime 0.00  leave 0.00  pay 33.703 TND
Unidad: work 4.33  breaks 0.00  overtime 0.00  leave 0.00  pay 5.3499 CLF
Thirds: work 1.00  breaks 0.00  overtime 0.00  leave 0.00  pay 20.01 EUR
Suspended: work 0.00  breaks 0.00  overtime 0.00  leave 0.00  pay nothing  \
(not paid: 13.00 h left or suspended, see payables)
Left: work 0.00  breaks 0.00  overtime 0.00  leave 0.00  pay nothing  \
(not paid: 6.00 h left or suspended, see payables)
Removed: work 0.00  breaks 0.00  overtime 0.00  leave 0.00  pay nothing  \
(not paid: 7.00 h left or suspended, see payables)
Timer *: work 1.00  breaks 0.00  overtime 0.00  leave 0.00  pay 20.00 EUR
"""


@pytest.fixture(scope="module")
def company(running: Demo) -> Iterator[Company]:
    rows = Rows(connect(running.details["database_url"]))
    company = Company(rows)
    fill(company)
    yield company
    rows.connection.close()


@pytest.fixture
def folder(tmp_path: Path, running: Demo, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the generated client and the examples, for the demo's organization."""
    monkeypatch.setenv("ORGDATA_URL", running.details["public"])
    monkeypatch.setenv("ORGDATA_KEY", running.details["partner_key"])
    with httpx.Client(base_url=running.details["internal"]) as http:
        (tmp_path / "openapi.json").write_bytes(http.get("/openapi.json").content)
    generate_python(tmp_path)
    return tmp_path


def test_payroll_pays_each_person_by_the_steps_of_the_page(
    folder: Path, company: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORGDATA_KEY", company.rows.partner_key(company.own))
    for name, code in saved_files().items():
        (folder / name).write_text(code)
    heading, *lines = run(PYTHON / "python", "payroll.py", "2025-09", folder=folder).splitlines()
    expected_heading, *expected = EXPECTED.splitlines()
    assert heading == expected_heading
    assert sorted(lines) == sorted(expected)


POLLS = """
from os import environ
from orgdata import connect, poll, rows
from orgdata_client.api.people import list_members
from orgdata_client.api.timesheets import list_timesheet_idle_time

client = connect(environ["ORGDATA_URL"], environ["ORGDATA_KEY"])
everybody, since = poll(list_members, client, None, include_deleted=True, limit=7)
again, later = poll(list_members, client, since, include_deleted=True)
print(len(everybody), len({each.user_id for each in everybody}), len(again), later > since)
print(len({each.user.user_id for each in rows(list_timesheet_idle_time, client, limit=5)}))
for number in range(40):
    everybody = list(rows(list_members, client, limit=100))
print(len(everybody))
"""
"""All pages, a poll without changes, a cursor, and more requests than the quota."""


def test_python_example_polls_and_waits_for_the_quota(folder: Path, running: Demo) -> None:
    (folder / "polls.py").write_text(POLLS)
    polled, walked, everybody = run(PYTHON / "python", "polls.py", folder=folder).splitlines()
    members = len(running.members())
    assert polled.split()[2:] == ["0", "True"]
    assert int(polled.split()[0]) == int(polled.split()[1]) >= members
    assert int(walked) >= members
    assert int(everybody) == members
