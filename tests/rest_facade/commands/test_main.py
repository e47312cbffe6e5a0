"""The command line as a whole: version, help, settings errors, refusals; each of `refused_commands.txt`.

Covers `rest_facade/__main__.py`, `rest_facade/commands/options.py`, `rest_facade/commands/owner.py`,
`rest_facade/commands/docs.py`, `rest_facade/commands/database.py`
and `rest_facade/commands/mcp/stdio.py`.
"""

import inspect
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from errno import EACCES
from pathlib import Path
from signal import SIGTERM
from typing import Any
from uuid import UUID, uuid4

import orjson
import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict
from typer import Context
from typer.core import TyperGroup
from typer.main import get_command
from typer.testing import CliRunner

from db.admin.migrate import head
from db.errors import OperatorError
from db.sample.embedded.server import Server
from db.tables.people import FEATURES
from rest_facade import __main__ as main
from rest_facade.access.scope_families import FAMILIES
from rest_facade.commands.options import load_with_ports
from rest_facade.commands.owner import owner_engine
from rest_facade.openapi.document import openapi
from rest_facade.v1 import ENDPOINTS
from rest_facade.version import service_version
from schema.schema import schema_text
from tests.rest_facade.commands.conftest import SIGNING_KEYS, TIMEOUT, CommandResult, Run, assert_refused, succeed


@pytest.mark.process
def test_version_names_build_and_revision() -> None:
    command = [sys.executable, "-m", "rest_facade", "--version"]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=True)
    assert shown.stdout == f"orgdata {service_version()} (needs the tables of revision {head()})\n"
    assert shown.stderr == ""


@pytest.mark.process
@pytest.mark.parametrize(
    ("words", "completed"), [("orgdata ke", "keys\n"), ("orgdata keys create --pur", "--purpose\n")]
)
def test_shell_completes_commands_and_options(words: str, completed: str) -> None:
    asked = {"_ORGDATA_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
    command = [Path(sys.executable).with_name("orgdata")]
    shown = subprocess.run(command, env=os.environ | asked, capture_output=True, text=True, timeout=TIMEOUT, check=True)
    assert shown.stdout == completed


@pytest.mark.parametrize(
    ("words", "others", "limit"),
    [
        ("--version", {"rich", "structlog", "sqlalchemy", "pydantic_settings"}, 300),
        ("--help", {"structlog", "sqlalchemy", "pydantic_settings"}, 360),
        ("keys --help", {"strawberry", "uvicorn", "psycopg_pool", "rest_facade.composition"}, 780),
    ],
)
def test_help_and_version_import_few_modules(words: str, others: set[str], limit: int) -> None:
    """A count of modules stands for the time of the start, which depends on the machine."""
    program = "import atexit, sys; from rest_facade.__main__ import main; names = lambda: print(*sys.modules); "
    command = [sys.executable, "-c", f"{program}atexit.register(names); main()", *words.split()]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=True)
    imported = shown.stdout.splitlines()[-1].split()
    assert others.isdisjoint(imported)
    assert len(imported) < limit


def test_list_of_commands_shows_the_help_of_each() -> None:
    """The summaries that are shown without an import are those of the commands."""
    for name, path in main.COMMANDS.items():
        assert inspect.cleandoc(COMMANDS[name].help).split("\n\n")[0].replace("\n", " ") == main._summary(path)


def test_misspelt_command_names_the_nearest_one(orgdata: Run) -> None:
    result = orgdata("kyes", "list")
    assert result.code == 2
    assert "No such command 'kyes'. Did you mean 'keys'?" in result.err


def test_no_command_lists_the_commands(orgdata: Run) -> None:
    result = orgdata()
    assert result.code == 2
    for command in ("demo", "keys"):
        assert re.search(rf"^\W*{command}\s+[A-Z]", result.out + result.err, re.MULTILINE), command


def commands(command: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    yield name, command
    if isinstance(command, TyperGroup):
        context = Context(command)
        for word in command.list_commands(context):
            yield from commands(command.get_command(context, word), f"{name} {word}".strip())


COMMANDS = dict(commands(get_command(main.app)))


def test_help_describes_command_and_parameters() -> None:
    for name, described in COMMANDS.items():
        result = CliRunner().invoke(main.app, [*name.split(), "--help"], prog_name="orgdata")
        assert (result.exit_code, result.stderr) == (0, "")
        assert f"Usage: {f'orgdata {name}'.strip()} " in result.stdout
        assert "<bool>" not in result.stdout
        assert described.help, name
        for parameter in described.params:
            assert parameter.help, parameter.name


@pytest.mark.parametrize(
    ("command", "name", "message"),
    [
        *(
            (command, "FOO", " is not a setting. Settings are: ORGDATA_CONCURRENCY, ORGDATA_")
            for command in ("serve", "demo", "keys list")
        ),
        ("serve", "PORT", ": Input should be a valid integer"),
        ("migrate", "DATABASE_URL", ": should "),
    ],
)
def test_wrong_setting_is_named_without_its_value(command: str, name: str, message: str, operate: Run) -> None:
    result = operate(*command.split(), **{name: "hunter2"})
    assert result.code == 1
    assert result.err.startswith(f"orgdata: ORGDATA_{name}{message}")
    assert result.err.count("\n") == 1
    assert "hunter2" not in result.err


def test_unreachable_database_is_one_sentence(orgdata: Run) -> None:
    result = orgdata("keys", "list", DATABASE_URL="postgresql://someone:hunter2@127.0.0.1:1/name")
    assert result.code == 1
    assert result.err.startswith("orgdata: The database refused: ")
    assert result.err.endswith(
        "Connection refused. Check ORGDATA_DATABASE_URL, and whether the server runs and has free connections.\n"
    )
    assert result.err.count("\n") == 1
    assert "hunter2" not in result.err


def test_openapi_prints_document_with_configured_address(orgdata: Run) -> None:
    assert json.loads(succeed(orgdata("openapi", PORT="9000"))) == openapi(ENDPOINTS, base_url="http://127.0.0.1:9000")
    result = orgdata("openapi", PUBLIC_URL="https://api.example.com/")
    assert json.loads(result.out)["servers"] == [{"url": "https://api.example.com"}]


@pytest.mark.process
def test_full_device_is_one_sentence() -> None:
    command = [sys.executable, "-m", "rest_facade", "openapi"]
    with Path("/dev/full").open("w") as full:
        result = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=TIMEOUT, check=False)
    assert (result.returncode, result.stderr) == (
        1,
        "orgdata: The output is not complete: no space is left on the device that it is written to.\n",
    )


@pytest.mark.process
def test_closed_standard_error_stops_no_command() -> None:
    command = f"exec {sys.executable} -m rest_facade keys --help 2>&-"
    result = subprocess.run(["sh", "-c", command], stdout=subprocess.PIPE, text=True, timeout=TIMEOUT, check=False)
    assert result.returncode == 0
    assert "Revoke a key" in result.stdout


def test_error_of_the_system_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise PermissionError(EACCES, "Permission denied", "/run/orgdata")

    monkeypatch.setattr(main, "app", refuse)
    with pytest.raises(SystemExit, match=r"^orgdata: The system refused: /run/orgdata: Permission denied\.$"):
        main.main()


@pytest.mark.parametrize("name", ["DEADLINE", "GRAPHQL_DEADLINE"])
def test_statement_timeout_beyond_a_deadline_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"ORGDATA_{name}", "5")
    with pytest.raises(OperatorError, match=f"ORGDATA_STATEMENT_TIMEOUT is 5, and ORGDATA_{name} is 5, which ends"):
        load_with_ports(None, None)


def test_commands_prepare_nothing_where_threshold_is_empty(own_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORGDATA_DATABASE_URL", own_url)
    monkeypatch.setenv("ORGDATA_PREPARE_THRESHOLD", "")
    with owner_engine().connect() as connection:
        driver = connection.connection.driver_connection
        assert isinstance(driver, psycopg.Connection)
        assert driver.prepare_threshold is None


def test_graphql_schema_is_printed(orgdata: Run) -> None:
    assert orgdata("graphql-schema") == CommandResult(0, schema_text(), "")


@pytest.mark.parametrize("name", ["MCP_KEY", "DATABASE_URL", "SIGNING_KEYS"])
def test_mcp_requires_key_database_and_signing_keys(name: str, orgdata: Run) -> None:
    settings = {"MCP_KEY": "orgd_mcp_00000000_", "DATABASE_URL": "postgresql://localhost/name"}
    result = orgdata("mcp", **{**settings, "SIGNING_KEYS": SIGNING_KEYS, name: ""})
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith(f"orgdata: ORGDATA_{name} is not set. ")


@pytest.mark.parametrize(
    ("command", "place", "outcome"),
    [
        ("seed --organizations 2 --members 1 --days 0", "db.sample.seed.build.uuid4", "Nothing was added."),
        ("distribute", "db.jobs.distribution.distribute.plan", "Nothing was distributed."),
    ],
)
def test_interrupted_command_adds_and_prints_nothing(
    command: str, place: str, outcome: str, run: Run, own_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first_of_two = [uuid4()] if command.startswith("seed") else []

    def interrupted(*_: object) -> UUID:
        if not first_of_two:
            os.kill(os.getpid(), SIGTERM)
        return first_of_two.pop()

    monkeypatch.setattr(place, interrupted)
    assert run(*command.split(), url=own_url) == CommandResult(143, "", f"orgdata: Interrupted. {outcome}\n")


def test_seed_prints_ids_of_whole_organizations(operate: Run, owner_url: str) -> None:
    made = succeed(operate("seed", "--organizations", "2", "--members", "40", "--days", "1")).split()
    assert len(set(made)) == 2
    expected = {"organizations": 1, "members": 40, "teams": 3, "clients": 2, "projects": 40, "tasks": 800}
    with psycopg.connect(owner_url) as connection:
        for organization in made:
            connection.execute("SELECT set_config('app.organization_id', %s, true)", [organization])
            for table, number in expected.items():
                counting = sql.SQL("SELECT count(*) FROM {} WHERE organization_id = %s").format(sql.Identifier(table))
                assert connection.execute(counting, [organization]).fetchone() == (number,), table


def test_address_of_the_service_is_refused_by_operators_commands(run: Run, server: Server, owner_url: str) -> None:
    own = str(uuid4())
    url = server.url("orgdata_service", str(conninfo_to_dict(owner_url)["dbname"]))
    for words in (
        *("keys list", "quotas list", "organizations list", "documents list", "migrate", "doctor", "seed"),
        *("retain --all --dry-run", f"erase --organization {own} --user {own}", "distribute --dry-run"),
        *(
            f"keys create --purpose partner --organization {own}",
            "keys revoke 00000000",
            f"organizations suspend {own}",
        ),
        f"organizations delete {own} --name Studio --objects gone.ndjson --yes",
        f"export --organization {own} --to files",
        f"quotas set --organization {own} --limit 5",
    ):
        assert_refused(
            run(*words.split(), url=url),
            "ORGDATA_DATABASE_URL is the address of orgdata_service, which does not own the tables. Use that of their"
            " owner, orgdata_owner.",
        )


def test_command_is_a_line_of_audit_trail(run: Run, server: Server, own: str, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("quotas", "set", "--organization", own, "--limit", "5")
    monkeypatch.setattr(sys, "argv", ["orgdata", *words])
    run(*words)
    lines = (server.folder / "postgres.log").read_text().splitlines()
    (line,) = (line for line in lines if "LOG:  orgdata audit " in line and own in line)
    assert f'"role" : "orgdata_owner", "command" : "{" ".join(words)}"' in line


def test_docs_writes_the_site_with_the_configured_address(orgdata: Run, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "site"
    assert orgdata("docs", "--html", str(folder), PUBLIC_URL="https://api.example.com").out == ""
    assert "https://api.example.com/v1/teams/" in (folder / "reference-people.html").read_text()
    assert (folder / "quickstart.html").exists()
    assert not (folder / "operating.html").exists()
    assert orjson.loads((folder / "openapi.json").read_bytes())["servers"] == [{"url": "https://api.example.com"}]


def test_docs_with_all_has_the_pages_of_operators(orgdata: Run, tmp_path: Path) -> None:
    orgdata("docs", "--html", str(tmp_path), "--all")
    assert {"quickstart.html", "operating.html", "data-money.html"} <= {file.name for file in tmp_path.iterdir()}


def test_folder_that_cannot_be_written_is_one_sentence(orgdata: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    failed = orgdata("docs", "--html", str(tmp_path / "file"))
    assert failed.code == 1
    assert failed.err == f"orgdata: The site cannot be written to {tmp_path / 'file'}: File exists.\n"


REFUSED = [case.splitlines() for case in Path(__file__).with_name("refused_commands.txt").read_text().split("\n\n")]


def test_command_is_refused_in_a_sentence(run: Run, own: str, folder: Path) -> None:
    """Code 1 and the sentence alone are of the command; code 2, and how it is used, are of its arguments."""
    for command, refusal in REFUSED:
        values = {"own": own, "absent": str(uuid4())}
        values |= {"families": ", ".join(sorted(FAMILIES)), "features": ", ".join(FEATURES)}
        code, sentence = refusal.format_map(values).split(" ", 1)
        result = run(*shlex.split(command.format_map(values))[1:])
        assert (result.code, result.out) == (int(code), "")
        if result.code == 1:
            assert result.err == f"orgdata: {sentence}\n"
        else:
            assert sentence in result.err
    assert list(folder.iterdir()) == []
