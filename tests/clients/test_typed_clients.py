"""The typed clients of docs/graphql-clients.md, made and checked as it says: they print rows of a demo organization."""

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from graphql import build_schema, introspection_from_schema

from tests.clients.tools import HERE, NODE, TSC, run, tool
from tests.rest_facade.commands.demo_process import Demo

pytestmark = pytest.mark.clients

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "rest_facade" / "internal" / "assets" / "examples"
PROGRAMS = ROOT / "examples" / "graphql"
GUIDE = (ROOT / "docs" / "graphql-clients.md").read_text().partition("## Typed clients\n")[2].partition("\n## ")[0]
BLOCKS = [
    re.sub("^ {4}", "", block, flags=re.MULTILINE)
    for block in re.findall(r"(?:^ {4}.*\n|^\n(?= {4}))+", GUIDE, re.MULTILINE)
]
PYTHON = ROOT / ".venv" / "ariadne" / "bin"

# Types that the checkers must infer, and a call that they must refuse.
PYTHON_TYPES = """
from datetime import date
from decimal import Decimal

amount: Decimal = payable.amount_due
day: date = payable.period_start
status: bool = payable.is_final
client.teams_now(today=day)
client.teams_now(today=1)  # type: ignore[arg-type]
"""
TYPESCRIPT_TYPES = """
import { TeamsNowDocument } from "./generated/graphql.js";

export async function types(): Promise<unknown[]> {
  await call(TeamsNowDocument, { today: "2026-11-22" });
  // @ts-expect-error a day is a string
  await call(TeamsNowDocument, { today: 1 });
  // @ts-expect-error an amount is a string
  const amount: number | undefined = payables?.results[0]?.amount_due;
  return [amount];
}
"""


def block(beginning: str) -> str:
    """The code of the guide that begins with this text."""
    (found,) = [each for each in BLOCKS if each.lstrip().startswith(beginning)]
    return found.strip() + "\n"


@pytest.fixture
def folder(tmp_path: Path, running: Demo, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the schema and the example queries; the environment names the demo."""
    shutil.copy(ROOT / "schema" / "schema.graphql", tmp_path)
    shutil.copytree(EXAMPLES, tmp_path / "queries")
    details = running.details
    monkeypatch.setenv("ORGDATA_URL", details["internal"])
    monkeypatch.setenv("ORGDATA_TOKEN", details["internal_token"])
    monkeypatch.setenv("ORGDATA_ORGANIZATION", details["organization_id"])
    return tmp_path


def python_lines(folder: Path) -> list[str]:
    shutil.copytree(PROGRAMS / "python", folder, dirs_exist_ok=True)
    run(tool(PYTHON, "ariadne-codegen"), folder=folder)
    (folder / "checked.py").write_text((folder / "report.py").read_text() + PYTHON_TYPES)
    run(tool(PYTHON, "mypy"), "--strict", "orgdata_graphql", "report.py", "checked.py", folder=folder)
    return run(PYTHON / "python", "report.py", folder=folder).splitlines()


def typescript_lines(folder: Path) -> list[str]:
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "node_modules").symlink_to(NODE.parent)
    shutil.copytree(PROGRAMS / "typescript", folder, dirs_exist_ok=True)
    run(tool(NODE, "graphql-codegen"), "--config", "codegen.ts", folder=folder)
    with (folder / "report.ts").open("a") as report:
        report.write(TYPESCRIPT_TYPES)
    run(tool(NODE, "tsc"), *TSC, "report.ts", folder=folder)
    return run("node", "report.js", folder=folder).splitlines()


def expected_lines() -> list[str]:
    """The same rows, from the response of the service itself."""
    examples = "".join(file.read_text() for file in sorted(EXAMPLES.glob("*.graphql")))
    response = httpx.post(
        f"{os.environ['ORGDATA_URL']}/graphql",
        headers={
            "X-SERVICE-API-KEY": os.environ["ORGDATA_TOKEN"],
            "X-Organization-Id": os.environ["ORGDATA_ORGANIZATION"],
        },
        json={"query": re.findall(r"query UnpaidPayables \{.*?\n\}\n", examples, re.DOTALL)[0]},
    )
    payables: list[dict[str, Any]] = response.json()["data"]["payables"]["results"]
    return [
        f"{payable['user']['full_name']} {payable['period_start']} {payable['amount_due']} {payable['currency']}"
        for payable in payables
    ]


@pytest.mark.parametrize("lines", [python_lines, typescript_lines])
def test_generated_client_prints_rows(lines: Callable[[Path], list[str]], folder: Path) -> None:
    expected = expected_lines()
    assert expected
    assert lines(folder) == expected


CACHED = """
{ members(limit: 5) { results { __typename id full_name payable_totals { __typename amount_due } } __typename } }

{ members(limit: 5) { results { __typename id job_title manager { __typename id } } __typename } }

{ projects { results { __typename id budget { __typename amount } managers { __typename id } } __typename } }
"""
"""Documents that show the same people, and types without an id."""


def test_caches_of_the_guide_know_objects_by_their_ids(folder: Path) -> None:
    if not (NODE.parent / "@urql" / "exchange-graphcache").exists():
        pytest.skip("@urql/exchange-graphcache is not installed: `make test-clients` installs it where node is.")
    (folder / "node_modules").symlink_to(NODE.parent)
    (folder / "documents.graphql").write_text(CACHED)
    schema = introspection_from_schema(build_schema((folder / "schema.graphql").read_text()))
    (folder / "schema.json").write_text(json.dumps(schema))
    guide = block("const parts") + block("new InMemoryCache")
    script = (HERE / "caches.mjs").read_text().replace("/* GUIDE */", guide.replace("(type: string)", "(type)"))
    (folder / "caches.mjs").write_text(script)
    names = ("ORGDATA_URL", "ORGDATA_TOKEN", "ORGDATA_ORGANIZATION")
    found = json.loads(run("node", "caches.mjs", *(os.environ[name] for name in names), folder=folder))
    assert found.pop("people") >= 5
    # Each person is one object with the fields of both documents, and parts are inside the objects around them.
    assert found == {"warnings": [], "cached": [True] * 3, "complete": 5, "unnamed": [], "rows": 5}
