"""`orgdata organizations`: create, list, show, suspend and resume.

Covers `db/admin/organizations.py`.
"""

import json
from uuid import UUID

from tests.conftest import Connect
from tests.factories.rows import Rows
from tests.rest_facade.commands.conftest import CommandResult, Run


def test_create_prints_the_id_alone(operate: Run) -> None:
    given = ("--name", "Studio Zoë", "--timezone", "Europe/Berlin", "--currency", "EUR", "--country", "DE")
    result = operate("organizations", "create", *given, "--features", "leave,payroll")
    assert (result.code, result.err) == (0, "")
    id_ = UUID(result.out.removesuffix("\n"))
    assert id_.version == 7
    shown = json.loads(operate("organizations", "show", str(id_)).out)
    assert shown["organization_id"] == str(id_)
    assert (shown["name"], shown["timezone"], shown["currency"], shown["country"]) == given[1::2]
    assert (shown["week_start_day"], shown["status"]) == ("monday", "active")
    assert [name for name, is_on in shown["features"].items() if is_on] == ["leave", "payroll"]
    assert shown["data_retention_days"] == {"app_usage": 365, "url_usage": 365, "screenshots": 180}


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
