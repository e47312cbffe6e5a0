"""The command `orgdata`, each time a process of its own."""

import json
import multiprocessing
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import version
from pathlib import Path
from signal import SIGTERM
from typing import Any, NamedTuple
from uuid import uuid4

import httpx2 as httpx
import psycopg
import pytest
from psycopg import sql
from typer.main import get_command

from db.admin.key_format import generate_key, parse_key
from db.admin.migrate import connect, head
from db.embedded.database import OWNER, ensure_database
from db.embedded.server import Server
from db.tables.keys import Purpose
from rest_facade.__main__ import app, main
from rest_facade.server.sockets import bind
from schema.schema import schema_text
from tests.db.embedded.test_server import until
from tests.errors import assert_error
from tests.factories.rows import Rows
from tests.faults.service import serving
from tests.rest_facade.raw_client import Connection, request

PATIENCE = 60.0
"""Seconds after which a test fails instead of waiting on."""

SIGNING_KEYS = "a signing key of the tests"

# What takes a second of each start, the imports, is done once for all commands that end by themselves.
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["rest_facade.__main__", __name__])


class Ended(NamedTuple):
    """How a command ended."""

    code: int | None
    out: str
    err: str


Run = Callable[..., Ended]


def environment(**settings: str) -> dict[str, str]:
    """The variables of a command: its settings are those given, whatever they are outside."""
    kept = {name: value for name, value in os.environ.items() if not name.upper().startswith("ORGDATA_")}
    return kept | {f"ORGDATA_{name}": value for name, value in settings.items()}


def _orgdata(arguments: list[str], variables: dict[str, str], folder: Path, out: Path, err: Path) -> None:
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variables)
    for number, path in ((1, out), (2, err)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    sys.argv = ["orgdata", *arguments]
    main()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the command runs: a folder in which there is no `.env` yet."""
    folder = tmp_path / "folder"
    folder.mkdir()
    return folder


@pytest.fixture
def orgdata(tmp_path: Path, folder: Path) -> Run:
    """`orgdata("keys", "list", DATABASE_URL=url)` runs the command until it ends."""

    def run(*arguments: str, **settings: str) -> Ended:
        out, err = tmp_path / "out", tmp_path / "err"
        process = FORKS.Process(target=_orgdata, args=(arguments, environment(**settings), folder, out, err))
        process.start()
        process.join(PATIENCE)
        if process.is_alive():
            process.kill()
            process.join()
        return Ended(process.exitcode, out.read_text(), err.read_text())

    return run


@pytest.fixture
def operate(orgdata: Run, owner_url: str) -> Run:
    """`operate("keys", "list")` runs the command on the shared database, with all that `serve` needs."""
    return partial(orgdata, DATABASE_URL=owner_url, SIGNING_KEYS=SIGNING_KEYS, PORT="0", INTERNAL_PORT="0")


@pytest.fixture
def own(rows: Rows) -> str:
    """The id of an organization in the shared database."""
    return str(rows.organization())


def assert_refused(ended: Ended, sentence: str) -> None:
    """One line for the operator, and the exit code for a failure."""
    assert ended == Ended(1, "", f"orgdata: {sentence}\n")


# The command itself.


def test_the_version_is_that_of_the_distribution() -> None:
    command = [sys.executable, "-m", "rest_facade", "--version"]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert shown.stdout == f"orgdata {version('orgdata-service')}\n"
    assert shown.stderr == ""


def test_the_graphql_schema_is_printed(orgdata: Run) -> None:
    assert orgdata("graphql-schema") == Ended(0, schema_text(), "")


def test_without_a_command_the_commands_are_listed(orgdata: Run) -> None:
    ended = orgdata()
    assert ended.code == 2
    shown = ended.out + ended.err
    assert "Usage: orgdata [OPTIONS] COMMAND [ARGS]..." in shown
    for command in ("demo", "serve", "migrate", "seed", "keys", "quotas"):
        assert re.search(rf"^\W*{command}\s+[A-Z]", shown, re.MULTILINE), command


def commands(command: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    yield name, command
    for word, part in getattr(command, "commands", {}).items():
        yield from commands(part, f"{name} {word}".strip())


COMMANDS = dict(commands(get_command(app)))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself_and_what_it_takes(name: str, orgdata: Run) -> None:
    ended = orgdata(*name.split(), "--help")
    assert (ended.code, ended.err) == (0, "")
    assert f"Usage: {f'orgdata {name}'.strip()} " in ended.out
    assert COMMANDS[name].help
    for parameter in COMMANDS[name].params:
        assert parameter.help, parameter.name


# Settings.


@pytest.mark.parametrize("command", ["serve", "migrate", "seed", "demo", "keys list", "quotas list"])
def test_an_unknown_setting_stops_the_start_and_is_named(command: str, operate: Run) -> None:
    ended = operate(*command.split(), FOO="hunter2")
    assert ended.code == 1
    assert ended.err.startswith("orgdata: ORGDATA_FOO is not a setting. Settings are: ORGDATA_CORS_ORIGINS, ORGDATA_")
    assert ended.err.count("\n") == 1
    assert "hunter2" not in ended.err


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("PORT", "hunter2", "integer"),
        ("SIGNING_KEYS", f"{SIGNING_KEYS},hunter2", "at least 16 characters"),
        ("DATABASE_URL", "hunter2", "postgresql://user:password@host/name"),
        ("DATABASE_URL", "mysql://someone:hunter2@localhost/name", "postgresql://user:password@host/name"),
        ("DATABASE_URL", "postgresql://someone:hunter2@localhost:port/name", "postgresql://user:password@host/name"),
    ],
)
@pytest.mark.parametrize("command", ["serve", "migrate"])
def test_a_malformed_setting_is_named_with_what_it_should_be_but_never_shown(
    command: str, name: str, value: str, expected: str, operate: Run
) -> None:
    ended = operate(command, **{name: value})
    assert ended.code == 1
    assert ended.err.startswith(f"orgdata: ORGDATA_{name}: ")
    assert expected in ended.err
    assert ended.err.count("\n") == 1
    assert "hunter2" not in ended.err


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({}, "ORGDATA_DATABASE_URL"),
        ({"DATABASE_URL": ""}, "ORGDATA_DATABASE_URL"),
        ({"DATABASE_URL": "postgresql://localhost/name"}, "ORGDATA_SIGNING_KEYS"),
        ({"DATABASE_URL": "postgresql://localhost/name", "SIGNING_KEYS": " , "}, "ORGDATA_SIGNING_KEYS"),
    ],
)
def test_serve_needs_a_database_and_signing_keys(settings: dict[str, str], name: str, orgdata: Run) -> None:
    ended = orgdata("serve", **settings)
    assert ended.code == 1
    assert ended.err.startswith(f"orgdata: {name} is not set. ")
    assert ended.err.count("\n") == 1


def test_settings_may_stand_in_a_file(orgdata: Run, operate: Run, folder: Path, owner_url: str) -> None:
    file = folder / ".env"
    file.write_text(f"# of the tests\nORGDATA_DATABASE_URL='{owner_url}'\n")
    assert orgdata("keys", "list").code == 0
    file.write_text("ORGDATA_DATABASE_URL=postgresql://127.0.0.1:1/name\n")
    assert orgdata("keys", "list").code == 1
    assert operate("keys", "list").code == 0


def test_the_file_may_hold_what_is_for_other_programs_but_no_unknown_setting(operate: Run, folder: Path) -> None:
    file = folder / ".env"
    file.write_text("COMPOSE_PROJECT_NAME=payroll\nPORT=hunter2\n")
    assert operate("keys", "list").code == 0
    file.write_text("ORGDATA_FOO=hunter2\n")
    ended = operate("keys", "list")
    assert ended.code == 1
    assert ended.err.startswith("orgdata: ORGDATA_FOO")
    assert "hunter2" not in ended.err


def test_several_workers_are_refused_while_each_would_count_for_itself(operate: Run) -> None:
    assert_refused(
        operate("serve", "--workers", "2"),
        "2 workers would each count requests for themselves, and so allow 2 times the quota: "
        "the store `memory` serves one worker. Set ORGDATA_QUOTA_STORE to a Redis or Valkey for several.",
    )


def test_a_port_that_is_taken_is_named(operate: Run) -> None:
    with bind("127.0.0.1", 0) as taken:
        port = str(taken.getsockname()[1])
        for listener in ("PORT", "INTERNAL_PORT"):
            assert_refused(
                operate("serve", **{listener: port}),
                f"Can't listen on 127.0.0.1 port {port}: Address already in use. Choose another port.",
            )


# What an operator does.


def test_migrate_brings_an_empty_database_up_to_date_and_may_be_repeated(orgdata: Run, server: Server) -> None:
    url = ensure_database(server, f"empty_{uuid4().hex}")
    assert_refused(
        orgdata("keys", "list", DATABASE_URL=url), 'The database refused: relation "api_keys" does not exist'
    )
    for _ in range(2):
        assert orgdata("migrate", DATABASE_URL=url) == Ended(0, f"The database is at revision {head()}.\n", "")
    assert orgdata("keys", "list", DATABASE_URL=url) == Ended(0, "", "")


def test_a_database_that_cannot_be_reached_is_told_in_a_sentence(orgdata: Run) -> None:
    for command in ("migrate", "seed", "keys list"):
        ended = orgdata(*command.split(), DATABASE_URL="postgresql://someone:hunter2@127.0.0.1:1/name")
        assert ended.code == 1
        assert ended.err.startswith("orgdata: The database refused: ")
        assert "Connection refused" in ended.err
        assert ended.err.count("\n") == 1
        assert "hunter2" not in ended.err


def test_a_key_is_shown_once_and_listed_without_its_secret(orgdata: Run, own_url: str) -> None:
    database = Rows(connect(own_url))
    own, other = (str(database.organization()) for _ in range(2))
    database.connection.close()

    def create(purpose: str, *options: str) -> tuple[str, str]:
        ended = orgdata("keys", "create", "--purpose", purpose, *options, DATABASE_URL=own_url)
        assert (ended.code, ended.err) == (0, "")
        key = parse_key(ended.out.removesuffix("\n"))
        assert key is not None
        assert key.purpose == purpose
        return key.public_id, ended.out[-39:-1]

    ids, secrets = zip(
        create("partner", "--organization", own, "--label", "Payroll"),
        create("mcp", "--organization", own, "--scope", "tasks:read", "--scope", "members:read"),
        create("internal", "--organization", own, "--organization", other, "--label", "BI"),
        create("internal", "--days", "1"),
        strict=True,
    )
    ended = orgdata("keys", "list", DATABASE_URL=own_url)
    assert (ended.code, ended.err) == (0, "")
    partner, mcp, internal, everywhere = (line.split("\t") for line in ended.out.splitlines())
    assert partner == [ids[0], "partner", own, "all scopes", "live", "no expiry", "Payroll"]
    assert mcp == [ids[1], "mcp", own, "tasks:read,members:read", "live", "no expiry", ""]
    assert internal[:3] == [ids[2], "internal", f"{own},{other}"]
    assert everywhere[:3] == [ids[3], "internal", "all organizations"]
    assert re.fullmatch(r"expires \d{4}-\d{2}-\d{2}", everywhere[5])
    assert not any(secret in ended.out for secret in secrets)
    assert orgdata("keys", "list", "--organization", other, DATABASE_URL=own_url) == Ended(0, "", "")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("partner", "A partner key belongs to one organization: name it."),
        ("partner --organization {own} --organization {own}", "A partner key belongs to one organization, not to 2."),
        ("partner --organization {own} --scope members:read", "A partner key has no scopes: it reads everything."),
        ("partner --organization {absent}", "There is no organization {absent}."),
        ("internal --scope members:read", "An internal token has neither one organization nor scopes."),
        ("internal --days 91", "An internal token expires within 90 days."),
    ],
)
def test_a_key_that_contradicts_itself_is_refused(options: str, sentence: str, operate: Run, own: str) -> None:
    names = {"own": own, "absent": str(uuid4())}
    ended = operate("keys", "create", "--purpose", *options.format_map(names).split())
    assert_refused(ended, sentence.format_map(names))
    assert operate("keys", "list", "--organization", own).out == ""


@pytest.mark.parametrize("scope", ["members:write", "members", "everything:read", "*", ""])
def test_a_scope_that_no_endpoint_needs_is_refused(scope: str, operate: Run, own: str) -> None:
    options = ("--purpose", "mcp", "--organization", own, "--scope", "tasks:read", "--scope", scope)
    ended = operate("keys", "create", *options)
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith(f"orgdata: {scope} is not a scope. Scopes are <family>:read with activity, ")


@pytest.mark.parametrize("days", ["3000000", "99999999999"])
def test_a_life_that_no_calendar_holds_is_refused(days: str, operate: Run, own: str) -> None:
    ended = operate("keys", "create", "--purpose", "partner", "--organization", own, "--days", days)
    assert ended.code in (1, 2)
    assert ended.out == ""
    assert "OverflowError" not in ended.err


@pytest.mark.parametrize(
    "options",
    [
        "keys create --purpose boss --organization {own}",
        "keys create --purpose partner --organization x",
        "keys create --purpose partner --organization {own} --days 0",
        "keys create",
        "keys rotate",
        "keys steal",
        "quotas set --organization {own} --limit 0",
        "quotas set --limit 5",
        "seed --organizations 0",
        "serve --port 65536",
        "serve --workers 0",
        "demo --members 0",
        "demo --nonsense",
    ],
)
def test_a_wrong_usage_is_2_and_starts_nothing(options: str, operate: Run, own: str) -> None:
    ended = operate(*options.format(own=own).split())
    assert (ended.code, ended.out) == (2, "")
    assert "Usage: orgdata " in ended.err
    assert "Traceback" not in ended.err


def test_rotation_replaces_a_key_by_one_with_the_same_rights(operate: Run, own: str) -> None:
    options = ("--purpose", "mcp", "--organization", own, "--scope", "tasks:read", "--label", "bot", "--days", "5")
    old = operate("keys", "create", *options).out.split("_")[2]
    rotated = operate("keys", "rotate", old)
    assert (rotated.code, rotated.err) == (0, "")
    fresh = parse_key(rotated.out.removesuffix("\n"))
    assert fresh is not None
    listed = operate("keys", "list", "--organization", own).out
    before, after = (line.split("\t") for line in listed.splitlines())
    assert (before[0], after[0]) == (old, fresh.public_id)
    assert before[4].startswith("revoked ")
    assert after[4] == "live"
    assert before[1:4] + before[5:] == after[1:4] + after[5:]
    assert_refused(operate("keys", "rotate", old), f"There is no live key {old}.")


def test_a_key_is_revoked_once_and_stays_listed(operate: Run, own: str) -> None:
    public_id = operate("keys", "create", "--purpose", "partner", "--organization", own).out.split("_")[2]
    assert operate("keys", "revoke", public_id) == Ended(0, "", "")
    listed = operate("keys", "list", "--organization", own).out
    assert re.match(rf"{public_id}\t.*\trevoked \d{{4}}-\d\d-\d\d \d\d:\d\dZ\t", listed)
    assert operate("keys", "revoke", public_id) == Ended(0, "", "")
    assert operate("keys", "list", "--organization", own).out == listed
    assert_refused(operate("keys", "revoke", "unknown0"), "There is no key unknown0.")


@pytest.mark.parametrize("command", ["revoke", "rotate"])
def test_a_whole_key_given_for_its_id_is_not_repeated(command: str, operate: Run) -> None:
    key, _ = generate_key(Purpose.partner)
    ended = operate("keys", command, key)
    assert key[-38:] not in ended.out + ended.err


def test_quotas_are_set_listed_and_cleared(operate: Run, rows: Rows) -> None:
    own, other = (str(rows.organization()) for _ in range(2))

    def quotas(*options: str) -> str:
        ended = operate("quotas", *options)
        assert (ended.code, ended.err) == (0, "")
        return ended.out

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


def test_quotas_of_an_unknown_organization_are_refused(operate: Run) -> None:
    absent = str(uuid4())
    ended = operate("quotas", "set", "--organization", absent, "--limit", "5")
    assert_refused(ended, f"There is no organization {absent}.")


def test_seed_makes_whole_organizations_and_prints_their_ids(operate: Run, owner_url: str) -> None:
    ended = operate("seed", "--organizations", "2", "--members", "40", "--days", "1")
    assert (ended.code, ended.err) == (0, "")
    made = ended.out.split()
    assert len(set(made)) == 2
    expected = {"organizations": 1, "members": 40, "teams": 3, "clients": 2, "projects": 40, "tasks": 800}
    with psycopg.connect(owner_url) as connection:
        for organization in made:
            connection.execute("SELECT set_config('app.organization_id', %s, true)", [organization])
            for table, number in expected.items():
                counting = sql.SQL("SELECT count(*) FROM {} WHERE organization_id = %s").format(sql.Identifier(table))
                assert connection.execute(counting, [organization]).fetchone() == (number,), table


# Serving.


def test_serves_until_it_is_told_to_stop_and_then_finishes_what_it_began(
    operate: Run, folder: Path, own: str, owner_url: str
) -> None:
    key = operate("keys", "create", "--purpose", "partner", "--organization", own).out.strip()
    with serving(folder, database_url=owner_url, drain="0") as service:
        process, public, internal = service.process, service.public, service.internal
        members = httpx.get(f"{public}/v1/members/", headers={"X-SERVICE-API-KEY": key})
        assert members.json() == {"count": 0, "next": None, "previous": None, "results": []}
        assert httpx.get(f"{internal}/live").status_code == 200
        ready = {"status": "ready", "database": "reachable", "quota_store": "reachable"}
        assert httpx.get(f"{internal}/ready").json() == ready

        peer = httpx.URL(public)
        with psycopg.connect(owner_url) as lock, Connection((peer.host, peer.port or 0)) as connection:
            lock.execute("LOCK TABLE clients")
            connection.send(request("/v1/clients/", key=key))
            until(lambda: is_waiting(owner_url), PATIENCE)
            process.send_signal(SIGTERM)
            until(lambda: is_refused(public), PATIENCE)
            assert httpx.get(f"{internal}/ready").json()["status"] == "stopping"
            assert "orgdata_requests_total" in httpx.get(f"{internal}/metrics").text
            lock.rollback()
            assert connection.read().status_code == 200
            assert connection.rest() == b""
        assert process.wait(PATIENCE) == 0
        assert process.stdout
        assert process.stdout.read() == ""
    told = [json.loads(line) for line in service.said().splitlines()]
    assert [(line["event"], line["operation"], line["status"]) for line in told if line["operation"]] == [
        ("request", "listMembers", 200),
        ("request", "listClients", 200),
    ]
    assert {line["status"] for line in told if not line["operation"]} <= {404}


def is_waiting(url: str) -> bool:
    with psycopg.connect(url) as connection:
        return connection.execute("SELECT 1 FROM pg_locks WHERE NOT granted").fetchone() is not None


def is_refused(public: str) -> bool:
    try:
        httpx.get(public)
    except httpx.TransportError:
        return True
    return False


def test_starts_without_its_database_and_is_ready_once_that_is_there(
    folder: Path, server: Server, template: str
) -> None:
    name = f"late_{uuid4().hex}"
    key, _ = generate_key(Purpose.partner)
    with serving(folder, database_url=server.url(OWNER, name), pool_wait="0.1", drain="0") as service:
        process, public, internal = service.process, service.public, service.internal

        def ask(given: str) -> httpx.Response:
            return httpx.get(f"{public}/v1/members/", headers={"X-SERVICE-API-KEY": given})

        assert httpx.get(f"{internal}/live").json() == {"status": "live"}
        ready = httpx.get(f"{internal}/ready")
        told = {"status": "unready", "database": "unreachable", "quota_store": "reachable"}
        assert (ready.status_code, ready.json()) == (503, told)
        assert_error(ask(key), 500, "INTERNAL_ERROR", "An unexpected error occurred.")
        assert_error(ask("malformed"), 401, "INVALID_API_KEY", "Invalid API key.")

        with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
            names = map(sql.Identifier, (name, template, OWNER))
            connection.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {} OWNER {}").format(*names))
        until(lambda: httpx.get(f"{internal}/ready").status_code == 200, PATIENCE)
        assert_error(ask(key), 401, "INVALID_API_KEY", "Invalid API key.")
        process.send_signal(SIGTERM)
        assert process.wait(PATIENCE) == 0
    log = service.said()
    assert f'database "{name}" does not exist' in json.loads(log.splitlines()[0])["event"]
    assert key[-38:] not in log
