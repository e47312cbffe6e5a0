"""`orgdata organizations`: create, list, show, suspend and resume.

Covers `db/admin/organizations.py`.
"""

import json
from uuid import UUID

import httpx2 as httpx

from tests.conftest import Connect
from tests.factories.rows import Rows
from tests.rest_facade.commands.conftest import CommandResult, Run, succeed


def test_create_prints_the_id_alone(operate: Run) -> None:
    given = ("--name", "Studio Zoë", "--timezone", "Europe/Berlin", "--currency", "EUR", "--country", "DE")
    id_ = UUID(succeed(operate("organizations", "create", *given, "--features", "leave,payroll")).removesuffix("\n"))
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


async def test_keys_of_a_suspended_organization_answer_401(
    operate: Run, own: str, organization: UUID, rows: Rows, http: httpx.AsyncClient, client: Connect
) -> None:
    assert operate("organizations", "suspend", own) == CommandResult(0, "", "")
    assert (await http.get("/v1/organization/")).status_code == 401
    assert operate("organizations", "resume", own) == CommandResult(0, "", "")
    assert (await client(rows.partner_key(organization)).get("/v1/organization/")).json()["status"] == "active"
