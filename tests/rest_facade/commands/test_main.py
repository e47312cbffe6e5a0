"""The command line as a whole: version, help, settings errors, expected errors.

Covers `rest_facade/__main__.py`, `rest_facade/commands/options.py` and `rest_facade/commands/owner.py`.
"""

import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

import pytest
from typer import Context
from typer.core import TyperGroup
from typer.main import get_command

from rest_facade import __main__ as main
from tests.rest_facade.commands.conftest import TIMEOUT, Run


@pytest.mark.process
def test_version_is_that_of_the_distribution() -> None:
    command = [sys.executable, "-m", "rest_facade", "--version"]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=True)
    assert shown.stdout == f"orgdata {version('orgdata-service')}\n"
    assert shown.stderr == ""


@pytest.mark.parametrize(
    ("words", "others", "limit"),
    [
        ("--version", {"rich", "structlog", "sqlalchemy", "pydantic_settings"}, 300),
        ("--help", {"structlog", "sqlalchemy", "pydantic_settings"}, 360),
        ("keys --help", {"strawberry", "uvicorn", "psycopg_pool", "rest_facade.composition"}, 780),
        ("documents --help", {"strawberry", "uvicorn", "psycopg_pool", "rest_facade.composition"}, 780),
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
    for name, subcommand in main.COMMANDS.items():
        assert inspect.cleandoc(COMMANDS[name].help).split("\n\n")[0].replace("\n", " ") == subcommand.summary


def test_no_command_lists_the_commands(orgdata: Run) -> None:
    result = orgdata()
    assert result.code == 2
    shown = result.out + result.err
    assert "Usage: orgdata [OPTIONS] COMMAND [ARGS]..." in shown
    for command in ("demo", "serve", "migrate", "seed", "keys", "quotas"):
        assert re.search(rf"^\W*{command}\s+[A-Z]", shown, re.MULTILINE), command


def commands(command: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    yield name, command
    if isinstance(command, TyperGroup):
        context = Context(command)
        for word in command.list_commands(context):
            yield from commands(command.get_command(context, word), f"{name} {word}".strip())


COMMANDS = dict(commands(get_command(main.app)))


@pytest.mark.parametrize("name", COMMANDS)
def test_help_describes_command_and_parameters(name: str, orgdata: Run) -> None:
    result = orgdata(*name.split(), "--help")
    assert (result.code, result.err) == (0, "")
    assert f"Usage: {f'orgdata {name}'.strip()} " in result.out
    assert COMMANDS[name].help
    for parameter in COMMANDS[name].params:
        assert parameter.help, parameter.name


WRONG = (
    *("keys create --purpose boss --organization {own}", "keys create --purpose partner --organization x"),
    *("keys create --purpose partner --organization {own} --days 0", "keys create", "keys rotate", "keys steal"),
    *("quotas set --organization {own} --limit 0", "quotas set --limit 5", "seed --organizations 0"),
    *("serve --port 65536", "serve --workers 0", "demo --members 0", "demo --nonsense"),
)


@pytest.mark.parametrize("options", WRONG)
def test_wrong_usage_exits_2(options: str, operate: Run, own: str) -> None:
    result = operate(*options.format(own=own).split())
    assert (result.code, result.out) == (2, "")
    assert "Usage: orgdata " in result.err
    assert "Traceback" not in result.err


@pytest.mark.parametrize(
    ("command", "name", "message"),
    [
        *(
            (command, "FOO", " is not a setting. Settings are: ORGDATA_CORS_ORIGINS, ORGDATA_")
            for command in ("serve", "migrate", "seed", "demo", "keys list")
        ),
        ("serve", "PORT", ": Input should be a valid integer"),
        ("migrate", "DATABASE_URL", ": Value error, should "),
    ],
)
def test_wrong_setting_is_named_without_its_value(command: str, name: str, message: str, operate: Run) -> None:
    result = operate(*command.split(), **{name: "hunter2"})
    assert result.code == 1
    assert result.err.startswith(f"orgdata: ORGDATA_{name}{message}")
    assert result.err.count("\n") == 1
    assert "hunter2" not in result.err


def test_unreachable_database_is_one_sentence(orgdata: Run) -> None:
    for command in ("migrate", "seed", "keys list"):
        result = orgdata(*command.split(), DATABASE_URL="postgresql://someone:hunter2@127.0.0.1:1/name")
        assert result.code == 1
        assert result.err.startswith("orgdata: The database refused: ")
        assert "Connection refused" in result.err
        assert result.err.count("\n") == 1
        assert "hunter2" not in result.err
