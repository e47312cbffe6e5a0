"""The pages of tables on the site: every table once, with its columns, types, values and references."""

from db.tables.columns import metadata
from rest_facade.site.data_dictionary import dictionary_pages, entities


def test_pages_have_every_table_once() -> None:
    text = "".join(page.text for page in dictionary_pages())
    assert [table.name for table in metadata.sorted_tables if text.count(f"\n## {table.name}\n") != 1] == []


def test_page_has_types_values_and_references() -> None:
    pages = {page.name: page.text for page in dictionary_pages()}
    assert "| **`currency`** | text | Currency, ISO 4217 code. References `currencies`. |" in pages["data-work"]
    assert "| `budget_type` | text | What the budget limits. One of `none`, `amount`, `time`. |" in pages["data-work"]
    assert "| `completed_at` | timestamptz(0), null | Completion time; null if not completed. |" in pages["data-work"]
    assert "`updated_at`" not in pages["data-work"]


def test_tree_has_a_table_below_the_one_that_it_needs() -> None:
    lines = list(entities())
    assert lines[lines.index("    domains") + 1] == "        url_pages"
    assert "    projects -> clients, currencies" in lines
    assert len(lines) == len(metadata.tables)
