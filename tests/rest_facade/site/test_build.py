"""The site: every operation, table and page is in it, its links lead somewhere, its samples are complete requests.

Covers `rest_facade/site/markdown.py`, `rest_facade/site/reference.py`, `rest_facade/site/sources.py`
and `rest_facade/site/data_dictionary.py`.
"""

import re
from collections.abc import Mapping
from html import unescape
from pathlib import Path

import orjson
import pytest

from db.errors import OperatorError
from db.tables.columns import metadata
from rest_facade.openapi.document import openapi
from rest_facade.site import sources
from rest_facade.site.build import site_files
from rest_facade.site.data_dictionary import dictionary_pages
from rest_facade.site.markdown import render
from rest_facade.site.reference import samples
from rest_facade.site.sources import source_pages
from rest_facade.v1 import ENDPOINTS
from tests.generate.tables import entities
from tests.helpers.repository import ROOT

DOCUMENT = openapi(ENDPOINTS, base_url="https://api.example.com")
LINK = re.compile(r'href="([^"]+)"')
ID = re.compile(r' id="([^"]+)"')
PROGRAMS = (
    ("quickstart", "python/orgdata.py", "python"),
    ("quickstart", "python/payroll.py", "python"),
    ("quickstart", "typescript/orgdata.ts", "typescript"),
    ("quickstart", "typescript/hours.ts", "typescript"),
    ("recipes", "python/recipes.py", "python"),
    ("recipes", "spreadsheets/orgdata.pq", "powerquery"),
    ("recipes", "spreadsheets/orgdata.gs", "javascript"),
)


@pytest.fixture(scope="module", params=[True, False], ids=["customers", "all"])
def site(request: pytest.FixtureRequest) -> Mapping[str, bytes]:
    return site_files(DOCUMENT, customers_only=request.param)


def test_every_link_leads_to_a_file_or_heading(site: Mapping[str, bytes]) -> None:
    pages = {name: body.decode() for name, body in site.items() if name.endswith(".html")}
    broken = [
        (name, link)
        for name, html in pages.items()
        for link in map(unescape, LINK.findall(html))
        for file, _, anchor in [link.partition("#")]
        if "://" not in link and link != "data:,"
        if (file or name) not in site or (anchor and anchor not in ID.findall(pages[file or name]))
    ]
    assert broken == []
    assert all(html.count("<a ") == html.count("</a>") for html in pages.values())


def test_reference_has_every_operation_with_three_samples(site: Mapping[str, bytes]) -> None:
    html = "".join(body.decode() for name, body in site.items() if name.startswith("reference-"))
    for endpoint in ENDPOINTS:
        assert html.count(f'<h2 id="{endpoint.operation.lower()}">') == 1
    for language in ("bash", "python", "typescript"):
        assert html.count(f'class="language-{language}"') == len(ENDPOINTS)


def test_reference_links_the_rules_of_polling(site: Mapping[str, bytes]) -> None:
    pages = [site[f"reference-{area}.html"].decode() for area in ("money", "timesheets")]
    assert all('<a href="polling.html">Polling</a>: ' in html for html in pages)
    assert not any("join names by the id" in html or "Replace the row" in html for html in pages)


def test_search_finds_sections_by_page_and_anchor(site: Mapping[str, bytes]) -> None:
    found = {(each["page"], each["anchor"], each["title"]) for each in orjson.loads(site["search.json"])}
    assert ("reference-people.html", "listmembers", "listMembers") in found
    assert ("payroll.html", "the-recipe", "The recipe") in found
    assert ("troubleshooting.html", "", "Troubleshooting") in found


def test_table_of_operations_has_a_heading_of_its_own(site: Mapping[str, bytes]) -> None:
    page = site["reference.html"].decode()
    assert page.index('<h2 id="operations">') < page.index("<th>operation</th>")


def test_name_of_an_operation_leads_to_its_reference(site: Mapping[str, bytes]) -> None:
    start = site["start.html"].decode()
    assert '<a href="reference-people.html#listmembers"><code>listMembers</code></a>' in start
    assert "<code>payables</code>" in site["payroll.html"].decode()


def test_customers_get_no_pages_of_operators() -> None:
    names = set(site_files(DOCUMENT, customers_only=True))
    assert {"quickstart.html", "agents.html", "troubleshooting.html", "openapi.json"} <= names
    assert not names & {"operating.html", "architecture.html", "graphql.html"}


def test_changelog_is_a_page_and_links_lead_to_the_others(site: Mapping[str, bytes]) -> None:
    html = site["changelog.html"].decode()
    assert '<h2 id="unreleased">' in html
    assert '<a href="recipes.html">recipes</a>' in html
    assert '<a href="changelog.html">changelog</a> names every change' in site["upgrading.html"].decode()


def test_customers_read_nothing_that_only_operators_can_use() -> None:
    operators = re.compile(
        r"ORGDATA_(?!URL|KEY\b|MCP_KEY)\w+|:8001|\b(?:db|resolvers|schema|rest_facade)/\w+|`orgdata (?!mcp)\w+"
    )
    pages = [page for page in source_pages(customers_only=True) if page.name != "changelog"]
    named = {(page.name, found) for page in pages for found in operators.findall(page.text)}
    assert named == {
        ("quickstart", "`orgdata openapi"),
        ("rest", "`orgdata openapi"),
        ("warehouses", "`orgdata export"),
    }


def test_samples_send_the_required_parameters() -> None:
    path = "/v1/time_activity_reports/"
    made = samples({**DOCUMENT["paths"][path]["get"], "path": path}, "https://api.example.com")
    url = f"https://api.example.com{path}?start_date=2026-02-28&end_date=2026-03-06"
    assert made["bash"] == f"curl -H \"X-SERVICE-API-KEY: $ORGDATA_KEY\" \\\n  '{url}'"
    assert 'params={"start_date": "2026-02-28", "end_date": "2026-03-06"},' in made["python"]
    assert f'fetch("{url}", {{' in made["typescript"]


def test_html_in_a_page_is_shown_and_not_run() -> None:
    html = render("# A\n\n<script>x</script> [a](javascript:alert(1)) [b](gone.md)\n", {}).html
    assert "<script>" not in html
    assert "href" not in html


def test_only_a_name_of_a_file_becomes_a_title() -> None:
    html = render("# A\n\nThe [errors](errors.md) are in [errors.md](errors.md).\n", {"errors": "All errors"}).html
    assert 'The <a href="errors.html">errors</a> are in <a href="errors.html">All errors</a>.' in html


@pytest.mark.parametrize(("page", "program", "language"), PROGRAMS)
def test_page_shows_the_program_that_it_links(page: str, program: str, language: str) -> None:
    texts = {each.name: each.text for each in source_pages(customers_only=True)}
    name, code = program.partition("/")[2], (ROOT / "examples" / program).read_text()
    assert f"**{name}**:\n\n```{language}\n{code}```\n" in texts[page]


def test_missing_pages_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sources, "FOLDERS", (tmp_path, tmp_path / "docs"))
    with pytest.raises(OperatorError, match=f"not in {tmp_path / 'docs'}: install the distribution again"):
        list(source_pages(customers_only=True))


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
