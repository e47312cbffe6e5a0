"""README: its tables are those that the code and the last benchmark give."""

import re

import pytest

from tests.generate.readme import README, TABLES, updated


@pytest.mark.parametrize("name", TABLES)
def test_tables_are_up_to_date(name: str) -> None:
    table = re.search(rf"<!-- {name} -->\n(.*?)\n?<!-- /{name} -->", README.read_text(), re.DOTALL)
    assert table, f"README.md has no section {name}"
    assert table[1] == TABLES[name](), f"the table {name} of README.md is out of date: run make generated"


def test_updated_tables_replace_old_ones() -> None:
    text = "\n".join(f"before\n<!-- {name} -->\nold\n<!-- /{name} -->" for name in TABLES)
    assert updated(text) == "\n".join(f"before\n<!-- {name} -->\n{TABLES[name]()}\n<!-- /{name} -->" for name in TABLES)
