"""graphql-eslint passes the schema, the example queries and the documents of the guide, and finds planted faults."""

import re
import shutil
from pathlib import Path

import pytest

from tests.clients.tools import NODE, run, tool
from tests.schema.documents.documented import DOCUMENTS

pytestmark = pytest.mark.clients

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "rest_facade" / "internal" / "assets" / "examples"

FAULTY_SCHEMA = """
"The query."
type Query { teams: String "The name." teamName: String "Old." names: String @deprecated(reason: "Use `teams`.") }
"A team."
type Team { "Its day." day: String @deprecated }
"""
FAULTY_DOCUMENT = "query Faults($size: Int) { names team }"
FAULTS = set(
    "require-description naming-convention no-unreachable-types require-deprecation-reason no-deprecated"
    " no-unused-variables fields-on-correct-type".split()
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the configuration, and the tools that it imports."""
    shutil.copy(Path(__file__).parent / "eslint.config.mjs", tmp_path)
    (tmp_path / "node_modules").symlink_to(tool(NODE, "eslint").parents[1])
    (tmp_path / "examples").mkdir()
    (tmp_path / "documented").mkdir()
    return tmp_path


def lint(folder: Path) -> str:
    """What the linter prints; its exit status is asserted."""
    return run(tool(NODE, "eslint"), "--max-warnings", "0", ".", folder=folder)


def test_linter_passes_schema_and_documents(folder: Path) -> None:
    shutil.copy(ROOT / "schema" / "schema.graphql", folder)
    shutil.copytree(EXAMPLES, folder / "examples", dirs_exist_ok=True)
    assert len(list(folder.glob("examples/*.graphql"))) >= 8
    assert len(DOCUMENTS) >= 8
    for number, document in enumerate(DOCUMENTS):
        (folder / "documented" / f"{number}.graphql").write_text(document)
    assert lint(folder) == ""


def test_linter_finds_planted_faults(folder: Path) -> None:
    (folder / "schema.graphql").write_text(FAULTY_SCHEMA)
    (folder / "examples" / "faults.graphql").write_text(FAULTY_DOCUMENT)
    with pytest.raises(AssertionError) as failure:
        lint(folder)
    assert set(re.findall(r"@graphql-eslint/([\w-]+)", str(failure.value))) >= FAULTS
