"""Each scalar of the schema has a type in the configurations of client generators, and in the guide."""

import re
import tomllib
from collections.abc import Callable

import pytest

from tests.helpers.repository import ROOT

SCALARS = set(re.findall(r"^scalar (\w+)", (ROOT / "schema" / "schema.graphql").read_text(), re.MULTILINE))
EXAMPLES = ROOT / "examples" / "graphql"


def of_python() -> list[str]:
    configuration = tomllib.loads((EXAMPLES / "python" / "pyproject.toml").read_text())
    return [*configuration["tool"]["ariadne-codegen"]["scalars"]]


def of_typescript() -> list[str]:
    scalars = (EXAMPLES / "typescript" / "codegen.ts").read_text().partition("scalars: {")[2].partition("}")[0]
    return re.findall(r"(\w+): \"", scalars)


def of_the_guide() -> list[str]:
    table = (ROOT / "docs" / "graphql-clients.md").read_text().partition("| scalar |")[2].partition("\n\n")[0]
    return [name for row in table.splitlines()[2:] for name in re.findall(r"`(\w+)`", row.split("|")[1])]


@pytest.mark.parametrize("mapped", [of_python, of_typescript, of_the_guide])
def test_every_scalar_is_mapped(mapped: Callable[[], list[str]]) -> None:
    assert sorted(mapped()) == sorted(SCALARS)
