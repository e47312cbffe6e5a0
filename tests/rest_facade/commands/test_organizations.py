"""`orgdata organizations`: create, list, show, suspend and resume.

Covers `db/admin/organizations.py`.
"""

import json
from uuid import UUID, uuid4

import pytest

from db.tables.people import FEATURES
from tests.conftest import Connect
from tests.factories.rows import Rows
from tests.rest_facade.commands.conftest import CommandResult, Run, assert_refused

OPTIONS = {"--name": "Studio Zoë", "--timezone": "Europe/Berlin", "--currency": "EUR"}


def create(run: Run, **options: str) -> CommandResult:
    chosen = OPTIONS | {f"--{name}": value for name, value in options.items()}
    return run("organizations", "create", *(word for pair in chosen.items() for word in pair))


def test_create_prints_the_id_alone(operate: Run) -> None:
    result = create(operate, country="DE", features="leave,payroll")
    assert (result.code, result.err) == (0, "")
    id_ = UUID(result.out.removesuffix("\n"))
    assert id_.version == 7
    shown = json.loads(operate("organizations", "show", str(id_)).out)
    assert shown["organization_id"] == str(id_)
    assert (shown["name"], shown["timezone"], shown["currency"], shown["country"]) == (*OPTIONS.values(), "DE")
    assert (shown["week_start_day"], shown["status"]) == ("monday", "active")
    assert [name for name, is_on in shown["features"].items() if is_on] == ["leave", "payroll"]
    assert shown["data_retention_days"] == {"app_usage": 365, "url_usage": 365, "screenshots": 180}


@pytest.mark.parametrize(
    ("option", "value", "sentence"),
    [
        ("timezone", "Berlin", "'Berlin' is not a time zone: give an IANA name, such as Europe/Berlin."),
        ("timezone", "europe/berlin", "'europe/berlin' is not a time zone: give an IANA name, such as Europe/Berlin."),
        ("currency", "EURO", "'EURO' is not a currency: give an ISO 4217 code, such as EUR."),
        ("currency", "eur", "'eur' is not a currency: give an ISO 4217 code, such as EUR."),
        ("country", "Germany", "'Germany' is not a country: give an ISO 3166-1 code, such as DE."),
        ("name", "  ", "The name is empty."),
        ("features", "leave,games", "'games' is not a feature. Features are " + ", ".join(FEATURES) + "."),
    ],
)
def test_invalid_option_is_one_line_and_code_2(option: str, value: str, sentence: str, operate: Run) -> None:
    assert create(operate, **{option: value}) == CommandResult(2, "", f"orgdata: {sentence}\n")


def test_list_shows_all_organizations(orgdata: Run, own_url: str, database: Rows) -> None:
    first = database.organization(name="First", currency="USD")
    second = database.organization(name="Second", status="suspended")
    lines = {f"{first}\tactive\tUTC\tUSD\tFirst", f"{second}\tsuspended\tUTC\tEUR\tSecond"}
    assert orgdata("organizations", "list", DATABASE_URL=own_url).out.splitlines() == sorted(lines)


async def test_keys_of_a_suspended_organization_answer_401(operate: Run, rows: Rows, client: Connect) -> None:
    own = str(rows.organization())
    assert operate("organizations", "suspend", own) == CommandResult(0, "", "")
    async with client(rows.partner_key(UUID(own))) as http:
        assert (await http.get("/v1/organization/")).status_code == 401
    assert operate("organizations", "resume", own) == CommandResult(0, "", "")
    async with client(rows.partner_key(UUID(own))) as http:
        assert (await http.get("/v1/organization/")).json()["status"] == "active"


@pytest.mark.parametrize("command", ["show", "suspend", "resume"])
def test_unknown_organization_is_refused(command: str, operate: Run) -> None:
    absent = str(uuid4())
    assert_refused(operate("organizations", command, absent), f"There is no organization {absent}.")
