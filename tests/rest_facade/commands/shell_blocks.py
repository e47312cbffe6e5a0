"""Blocks of shell lines in README, docs, deploy and examples."""

import re
from collections.abc import Iterator, Mapping
from textwrap import dedent
from typing import NamedTuple

from tests.helpers.repository import ROOT

BLOCK = re.compile(r"(?<=\n\n)(?: {4}.*\n(?: {4}.*\n|\n(?= {4}))*)")

COMMAND = re.compile(
    r"(?:(?:export )?[A-Za-z_]+=\S* *)*"
    r"(?:orgdata|curl|make|echo|cat|python3|npm|npx|docker|kubectl|\.venv/bin/\w+|\w+=\"?\$\(|\Z)"
)

ELSEWHERE: Mapping[tuple[str, str], str] = {
    ("README.md", "make demo  "): "tests/rest_facade/commands/test_demo.py; make test runs this test",
    ("README.md", "make demo ARGS"): "tests/rest_facade/commands/test_demo.py",
    ("README.md", "export PATH"): "tests/rest_facade/commands/test_demo.py",
    ("README.md", "orgdata report"): "tests/rest_facade/commands/test_demo.py",
    ("docs/agents.md", "python3"): "tests/clients/test_quickstart.py",
    ("docs/citus.md", "orgdata migrate"): "tests/citus/test_commands.py",
    ("docs/exporting.md", "orgdata "): "tests/rest_facade/commands/test_export.py",
    ("docs/offboarding.md", "orgdata organizations"): "tests/db/jobs/retention/test_delete_organization.py",
    ("docs/offboarding.md", "orgdata export"): "tests/rest_facade/commands/test_export.py",
    ("docs/operating.md", "orgdata demo"): "no lines but forms of them: tests/test_documented_commands.py",
    ("docs/operating.md", "ORGDATA_QUOTA_STORE"): "tests/faults/test_workers.py",
    ("docs/quickstart.md", ""): "tests/clients/test_quickstart.py",
    ("docs/recipes.md", "export"): "tests/rest_facade/commands/test_recipes_page.py",
    ("docs/releases.md", "version="): "needs Docker",
    ("docs/replicas.md", "ORGDATA_DATABASE_URL"): "settings: tests/replicas",
    ("deploy/README.md", "cat"): "needs Docker",
    ("deploy/README.md", "docker compose"): "needs Docker",
    ("deploy/README.md", "docker build"): "needs Docker and Kubernetes",
    ("examples/dlt/README.md", "python3"): "tests/clients/test_dlt.py",
}
"""Where blocks run that do not run here, by page and beginning."""

# curl fails for an error of the service.
PRELUDE = """set -eu
curl() { case $1 in -f*) command curl -sS "$@" ;; *) command curl --fail-with-body -sS "$@" ;; esac; echo; }
"""


class ShellBlock(NamedTuple):
    page: str
    text: str

    @property
    def elsewhere(self) -> str | None:
        """Where the block runs; None: here."""
        found = [
            where for (page, start), where in ELSEWHERE.items() if page == self.page and self.text.startswith(start)
        ]
        return found[0] if found else None


def shell_blocks() -> Iterator[ShellBlock]:
    """The indented blocks that begin with a command."""
    for pattern in ("README.md", "SECURITY.md", "docs/*.md", "deploy/*.md", "examples/*/README.md"):
        for page in sorted(ROOT.glob(pattern)):
            for block in BLOCK.findall(page.read_text()):
                text = dedent(block)
                if COMMAND.match(text.partition("\n")[0]):
                    yield ShellBlock(str(page.relative_to(ROOT)), text)
