"""README: its tables are those that the code and the last benchmark give. `python -m tests.test_readme` writes them."""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from pydantic import SecretStr

from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.envelopes import Offset
from rest_facade.settings import PREFIX, Settings
from rest_facade.v1 import ENDPOINTS

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"

# RESULTS.md has a column for the part in front of the target; SOAK.md has none.
MISSED_TARGET = re.compile(r"^\| (?:\w+ \| )?([^|]+) \| ([^|]+) \| \*\*no\*\* \|$", re.MULTILINE)


def endpoints() -> str:
    """The table of endpoints."""
    lines = ["| operation | path | scope | query |", "|---|---|---|---|"]
    return "\n".join([*lines, *map(_endpoint, ENDPOINTS)])


def settings() -> str:
    """The table of settings."""
    lines = ["| variable | default | what it is |", "|---|---|---|"]
    for name, field in Settings.model_fields.items():
        lines.append(f"| `{PREFIX}{name.upper()}` | {_default(field.default)} | {field.description} |")
    return "\n".join(lines)


def missed() -> str:
    """The table of performance targets that the last runs missed."""
    return "\n".join(["| target | measured | run |", "|---|---:|---|", *_missed()])


TABLES: Mapping[str, Callable[[], str]] = {"endpoints": endpoints, "settings": settings, "missed": missed}
"""The tables of the README by the names of their markers."""


def updated(text: str) -> str:
    """The text of the README with all its tables as they should be."""
    for name, table in TABLES.items():
        marked = re.compile(rf"(?<=<!-- {name} -->\n).*?(?=<!-- /{name} -->)", re.DOTALL)
        assert marked.search(text), f"README.md has no section {name}"
        text = marked.sub(lambda _, table=table: f"{table()}\n", text)  # type: ignore[misc]
    return text


@pytest.mark.parametrize("name", TABLES)
def test_tables_are_up_to_date(name: str) -> None:
    table = re.search(rf"<!-- {name} -->\n(.*?)\n?<!-- /{name} -->", README.read_text(), re.DOTALL)
    assert table, f"README.md has no section {name}"
    assert table[1] == TABLES[name](), f"the table {name} of README.md is out of date: run make generated"


def test_updated_tables_replace_old_ones() -> None:
    text = "\n".join(f"before\n<!-- {name} -->\nold\n<!-- /{name} -->" for name in TABLES)
    assert updated(text) == "\n".join(f"before\n<!-- {name} -->\n{TABLES[name]()}\n<!-- /{name} -->" for name in TABLES)


def _endpoint(endpoint: Endpoint) -> str:
    own = endpoint.envelope.paging_parameters if isinstance(endpoint.envelope, Offset) else ()
    names = " ".join(f"`{name}`" for name in endpoint.query_names if name not in own)
    return f"| {endpoint.operation} | `{endpoint.path}` | `{endpoint.scope}` | {names} |"


def _default(value: object) -> str:
    if isinstance(value, tuple):
        value = ",".join(map(str, value))
    if isinstance(value, SecretStr):
        value = value.get_secret_value()
    return "" if value in (None, "") else f"`{value}`"


def _missed() -> Iterator[str]:
    for run, file in {"bench": "RESULTS.md", "soak": "SOAK.md"}.items():
        for target, measured in MISSED_TARGET.findall((ROOT / "bench" / file).read_text()):
            yield f"| {target} | {measured} | {run} |"
