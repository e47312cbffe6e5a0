"""`orgdata organizations`: create, list, show, suspend and resume; `orgdata quotas`: set, list and clear.

Covers `db/admin/organizations.py` and `rest_facade/commands/quotas.py`.
"""

import json
from uuid import UUID

import httpx2 as httpx
import pytest
from structlog.testing import capture_logs

from db.admin.quotas import PRESETS
from rest_facade.access.quota import DEFAULT_GROUP
from rest_facade.v1 import ENDPOINTS
from tests.conftest import Connect
from tests.factories.rows import Rows
from tests.rest_facade.commands.conftest import CommandResult, Run, succeed


def test_create_prints_the_id_alone(run: Run) -> None:
    given = ("--name", "Studio Zoë", "--timezone", "Europe/Berlin", "--currency", "EUR", "--country", "DE")
    id_ = UUID(succeed(run("organizations", "create", *given, "--features", "leave,payroll")).removesuffix("\n"))
    assert id_.version == 7
    shown = json.loads(run("organizations", "show", str(id_)).out)
    assert shown["organization_id"] == str(id_)
    assert (shown["name"], shown["timezone"], shown["currency"], shown["country"]) == given[1::2]
    assert (shown["week_start_day"], shown["status"]) == ("monday", "active")
    assert [name for name, is_on in shown["features"].items() if is_on] == ["leave", "payroll"]
    assert shown["data_retention_days"] == {"app_usage": 365, "url_usage": 365, "screenshots": 180}


def test_list_shows_all_organizations(run: Run, own_url: str, database: Rows) -> None:
    first = database.organization(name="First", currency="USD")
    second = database.organization(name="Second", status="suspended")
    lines = {f"{first}\tactive\tUTC\tUSD\tFirst", f"{second}\tsuspended\tUTC\tEUR\tSecond"}
    assert run("organizations", "list", url=own_url).out.splitlines() == sorted(lines)


async def test_keys_of_a_suspended_organization_answer_401(
    run: Run, own: str, organization: UUID, rows: Rows, http: httpx.AsyncClient, client: Connect
) -> None:
    assert run("organizations", "suspend", own) == CommandResult(0, "", "")
    assert (await http.get("/v1/organization/")).status_code == 401
    assert run("organizations", "resume", own) == CommandResult(0, "", "")
    assert (await client(rows.partner_key(organization)).get("/v1/organization/")).json()["status"] == "active"


def test_quotas_are_set_listed_and_cleared(run: Run, rows: Rows) -> None:
    own, other = (str(rows.organization()) for _ in range(2))

    def quotas(*options: str) -> str:
        return succeed(run("quotas", *options))

    assert quotas("set", "--organization", own, "--limit", "50") == ""
    assert quotas("set", "--organization", own, "--limit", "60") == ""
    assert quotas("set", "--organization", own, "--limit", "100", "--group", "members") == ""
    assert quotas("set", "--organization", other, "--limit", "5") == ""
    kept = f"{own}\tall other groups\t60\n{own}\tmembers\t100\n"
    assert quotas("list", "--organization", own) == kept
    assert kept in quotas("list")
    assert f"{other}\tall other groups\t5\n" in quotas("list")
    assert quotas("clear", "--organization", own, "--group", "members") == "Removed 1.\n"
    assert quotas("clear", "--organization", own) == "Removed 1.\n"
    assert quotas("clear", "--organization", own) == "Removed 0.\n"
    assert quotas("list", "--organization", other) == f"{other}\tall other groups\t5\n"


def test_preset_replaces_all_limits(run: Run, own: str) -> None:
    for options in (["--limit", "5", "--group", "tasks"], ["--limit", "6"], ["--preset", "sync"], ["--preset", "sync"]):
        assert run("quotas", "set", "--organization", own, *options).code == 0
    assert run("quotas", "list", "--organization", own).out == (
        f"{own}\tall other groups\t120\n{own}\tpayroll\t600\n{own}\tscreenshots\t600\n"
    )


def test_groups_of_presets_exist() -> None:
    groups = {endpoint.group for endpoint in ENDPOINTS}
    assert {group for limits in PRESETS.values() for group in limits} <= groups | {DEFAULT_GROUP}


def test_deletion_that_ends_early_prints_what_it_deleted(run: Run, own: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def delete(*_: object, counts: dict[str, int], **__: object) -> None:
        counts |= {"screenshots": 0, "members": 3}
        raise KeyboardInterrupt

    monkeypatch.setattr("db.jobs.retention.delete_organization.delete_organization", delete)
    with capture_logs() as logged:
        ended = run("organizations", "delete", own, "--name", "Studio", "--objects", "objects.ndjson", "--yes")
    told = "orgdata: Interrupted. What was deleted stays deleted; run the command again.\n"
    assert ended == CommandResult(130, "members\t3 deleted\n", told)
    event = {
        "event": "organization partly deleted",
        "organization_id": own,
        "rows": {"members": 3},
        "log_level": "info",
    }
    assert logged == [event]
