"""Documented commands: each exists with the options that the documents give it, and a test runs it."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from typer import Context
from typer.core import TyperGroup
from typer.main import get_command

from rest_facade.__main__ import app

ROOT = Path(__file__).parents[1]

DOCUMENTS = [ROOT / "README.md", *ROOT.glob("docs/*.md"), *ROOT.glob("deploy/*.md"), *ROOT.glob("examples/*/README.md")]

LINE = re.compile(r"^ {4}(?:.*\$\()?(?:[A-Z_]+=\S+ )*orgdata ((?:.*\\\n)*.*)$", re.MULTILINE)
EXPLANATION = re.compile(r"\s{2,}\S.*|\s#.*")
OPTION = re.compile(r"--[a-z][a-z-]*")
LONGEST_NAME = 2
"""Words of a command's name."""

RUNNING = ("rest_facade/commands", "citus", "browser")
"""The folders of tests that run commands; those of the README's own section run in test_demo.py as they stand."""


def documented() -> Iterator[tuple[str, str]]:
    """The words after `orgdata` in each indented line, with the document."""
    for document in DOCUMENTS:
        for words in LINE.findall(document.read_text()):
            yield str(document.relative_to(ROOT)), EXPLANATION.sub("", words.replace("\\\n", " ")).strip()


def command(words: str) -> Any:
    """The command that the words begin with. Fails for a name that none has."""
    found: Any = get_command(app)
    for word in words.split()[:LONGEST_NAME]:
        if not isinstance(found, TyperGroup):
            break
        alternative = found.get_command(Context(found), word)
        assert alternative is not None, f"{words!r}: there is no command {word}"
        found = alternative
    return found


LINES = sorted(set(documented()))


def test_documented_line_names_a_command_and_its_options() -> None:
    for document, words in LINES:
        known = {option for each in command(words).params for option in (*each.opts, *each.secondary_opts)}
        # A line may list the actions of a group, such as `keys list | rotate ID`, each with options of its own.
        group = words.split(maxsplit=1)[0]
        for action in re.findall(r"\| (\w+)", words):
            known |= {option for each in command(f"{group} {action}").params for option in each.opts}
        assert set(OPTION.findall(words)) <= known | {"--help"}, document


def test_each_documented_command_is_run_by_a_test() -> None:
    run = "".join(path.read_text() for folder in RUNNING for path in (ROOT / "tests" / folder).rglob("test_*.py"))
    names = {words.split()[0] for _, words in LINES}
    assert len(names) > 10
    assert [name for name in names if not re.search(rf'(orgdata |"){re.escape(name)}[ "]', run)] == []
