"""Generated tables of `docs/`: they are those that the code and the last benchmark give."""

from pathlib import Path

import pytest

from tests.generate.tables import TABLES, updated


@pytest.mark.parametrize("page", TABLES, ids=lambda page: page.name)
def test_table_is_up_to_date(page: Path) -> None:
    text = page.read_text()
    assert text == updated(page, text), f"the table of docs/{page.name} is out of date: run make generated"


@pytest.mark.parametrize("page", TABLES, ids=lambda page: page.name)
def test_updated_table_replaces_the_old_one(page: Path) -> None:
    name, table = TABLES[page]
    old = f"before\n<!-- {name} -->\nold\n<!-- /{name} -->\nafter"
    assert updated(page, old) == f"before\n<!-- {name} -->\n{table()}\n<!-- /{name} -->\nafter"
