"""`orgdata keys`: create, list, rotate and revoke."""

import re
import subprocess
import sys
from uuid import UUID

import pytest
from sqlalchemy import update

from db.admin.key_format import generate_key, parse_key
from db.tables.keys import api_keys
from db.values.purpose import Purpose
from tests.factories.base import THEN
from tests.factories.rows import Rows
from tests.rest_facade.commands.conftest import CommandResult, Run, assert_refused, environment, succeed


def test_list_shows_keys_without_secrets(run: Run, own_url: str, database: Rows) -> None:
    own, other = (str(database.organization()) for _ in range(2))

    def create(purpose: str, *options: str) -> tuple[str, str]:
        out = succeed(run("keys", "create", "--purpose", purpose, *options, url=own_url))
        key = parse_key(out.removesuffix("\n"))
        assert key is not None
        assert key.purpose == purpose
        return key.public_id, out[-39:-1]

    ids, secrets = zip(
        create("partner", "--organization", own, "--label", "Payroll"),
        create("mcp", "--organization", own, "--scope", "tasks:read", "--scope", "members:read"),
        create("internal", "--organization", own, "--organization", other, "--label", "BI"),
        create("internal", "--days", "1"),
        create("internal", "--organization", own),
        strict=True,
    )
    with database.connection.begin():
        # As after the deletion of its organization.
        database.connection.execute(update(api_keys).where(api_keys.c.public_id == ids[4]).values(organization_ids=[]))
    out = succeed(run("keys", "list", url=own_url))
    partner, mcp, internal, everywhere, nowhere = (line.split("\t") for line in out.splitlines())
    assert partner == [ids[0], "partner", own, "all scopes", "live", "no expiry", "Payroll"]
    assert mcp == [ids[1], "mcp", own, "tasks:read,members:read", "live", "no expiry", ""]
    assert internal[:3] == [ids[2], "internal", f"{own},{other}"]
    assert everywhere[:3] == [ids[3], "internal", "all organizations"]
    assert nowhere[:3] == [ids[4], "internal", "no organization"]
    assert re.fullmatch(r"expires \d{4}-\d{2}-\d{2}", everywhere[5])
    assert not any(secret in out for secret in secrets)
    assert run("keys", "list", "--organization", other, url=own_url) == CommandResult(0, "", "")


@pytest.fixture
def public_id(key: str) -> str:
    return key.split("_")[2]


@pytest.mark.process
@pytest.mark.parametrize("command", ["create --purpose partner --organization {own}", "rotate {public_id}"])
def test_key_not_shown_is_not_stored(command: str, run: Run, own: str, public_id: str, owner_url: str) -> None:
    listed = run("keys", "list", "--organization", own)
    words = f"{sys.executable} -m rest_facade keys {command.format(own=own, public_id=public_id)} >&-"
    variables = environment(DATABASE_URL=owner_url)
    ended = subprocess.run(["sh", "-c", words], env=variables, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (
        1,
        "orgdata: Standard output is closed, and nothing else shows the key: nothing was changed.\n",
    )
    assert run("keys", "list", "--organization", own) == listed


def test_rotated_key_has_the_same_rights(run: Run, own: str) -> None:
    options = ("--purpose", "mcp", "--organization", own, "--scope", "tasks:read", "--label", "bot", "--days", "5")
    old = run("keys", "create", *options).out.split("_")[2]
    fresh = parse_key(succeed(run("keys", "rotate", old)).removesuffix("\n"))
    assert fresh is not None
    listed = run("keys", "list", "--organization", own).out
    before, after = (line.split("\t") for line in listed.splitlines())
    assert (before[0], after[0]) == (old, fresh.public_id)
    assert before[4].startswith("revoked ")
    assert after[4] == "live"
    assert before[1:4] + before[5:] == after[1:4] + after[5:]
    assert_refused(run("keys", "rotate", old), f"There is no live key {old}.")


def test_revoked_key_stays_listed(run: Run, own: str, public_id: str) -> None:
    assert run("keys", "revoke", public_id) == CommandResult(0, "", "")
    listed = run("keys", "list", "--organization", own).out
    assert re.match(rf"{public_id}\t.*\trevoked \d{{4}}-\d\d-\d\d \d\d:\d\dZ\t", listed)
    assert run("keys", "revoke", public_id) == CommandResult(0, "", "")
    assert run("keys", "list", "--organization", own).out == listed


def test_times_are_listed_in_utc(
    run: Run, organization: UUID, public_id: str, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = {"revoked_at": "2026-03-01T11:30:00Z", "expires_at": "2026-04-01T11:30:00Z"}
    with rows.connection.begin():
        rows.connection.execute(update(api_keys).where(api_keys.c.public_id == public_id).values(times))
    monkeypatch.setenv("PGTZ", "Pacific/Kiritimati")
    rows.partner_key(organization, expires_at=THEN)
    line, expired = run("keys", "list", "--organization", str(organization)).out.splitlines()
    assert expired.split("\t")[4] == "expired"
    assert line.split("\t")[4:6] == ["revoked 2026-03-01 11:30Z", "expires 2026-04-01"]


@pytest.mark.parametrize("command", ["revoke", "rotate"])
def test_key_given_as_public_id_is_not_repeated(command: str, run: Run) -> None:
    key, _ = generate_key(Purpose.partner)
    result = run("keys", command, key)
    assert key[-38:] not in result.out + result.err
