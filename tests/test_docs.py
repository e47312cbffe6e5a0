"""Documentation: its links, file names, make targets and cited sections exist, and the README stays short."""

import re
from collections.abc import Iterator
from pathlib import Path

from tests.helpers.repository import LAYERS, ROOT

NAMES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "deploy/README.md", "CHANGELOG.md", "bench/TRIALS.md")
DOCUMENTS = sorted([*(ROOT / name for name in NAMES), *ROOT.glob("docs/*.md")])

LONGEST_README, LONGEST_PAGE, LONGEST_UNRELEASED = 110, 300, 120
"""Lines."""

MADE = {"state.json", "manifest.json", "openapi.json", "NAME.toml", "db/sample/demo/studio/badges.ndjson"}
"""Files that the service or the reader makes."""

LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`\s]+)`")
CODE_BLOCK = re.compile(r"^```.*?^```$|^ {4}[^\n]*$", re.DOTALL | re.MULTILINE)
FILE = re.compile(r"[\w.-]+\.(?:py|md|toml|txt|ya?ml|json|sql|service|graphql)")
MAKE = re.compile(r"(?:^ {4}|`)make ([a-z-]+)", re.MULTILINE)
TARGET = re.compile(r"^([a-z-]+):", re.MULTILINE)
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
CITED = re.compile(r"\(spec,\s+([A-Za-z- ]+?)(?: \d+)?[):]")
WORD = re.compile(r"^\| (?!word |---)", re.MULTILINE)

MOST_WORDS = 25
"""Entries of the glossary: each is one more word to learn."""


def missing(document: Path) -> Iterator[str]:
    """The relative links and the backticked paths of a document that lead nowhere."""
    text = document.read_text()
    for link in LINK.findall(CODE_BLOCK.sub("", text)):
        if "://" not in link and not _leads_somewhere(document, link):
            yield link
    for code in CODE.findall(CODE_BLOCK.sub("", text)):
        places = [ROOT / code, document.parent / code]
        if _is_path(code) and code not in MADE and not any(place.exists() for place in places):
            yield code


def _leads_somewhere(document: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = document.parent / path if path else document
    return target.exists() and (not anchor or anchor in map(_anchor, HEADING.findall(target.read_text())))


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _is_path(code: str) -> bool:
    """Whether a text in backticks names a file or a folder of the repository."""
    first, slash, _ = code.partition("/")
    return bool(first and slash and (ROOT / first).is_dir()) or FILE.fullmatch(code) is not None


def test_links_and_paths_exist() -> None:
    for document in DOCUMENTS:
        assert list(missing(document)) == []


def test_make_targets_exist() -> None:
    for document in DOCUMENTS:
        assert set(MAKE.findall(document.read_text())) <= set(TARGET.findall((ROOT / "Makefile").read_text()))


def test_index_links_every_page() -> None:
    linked = set(LINK.findall((ROOT / "docs" / "README.md").read_text()))
    assert {page.name for page in ROOT.glob("docs/*.md")} - linked == {"README.md"}


def test_cited_sections_are_in_the_specification() -> None:
    sources = [file.read_text() for layer in LAYERS for file in (ROOT / layer).rglob("*.py")]
    cited = {section for text in sources for section in CITED.findall(text)}
    assert len(cited) > 5
    assert cited <= set(HEADING.findall((ROOT / "docs" / "specification.md").read_text()))


def test_glossary_is_short() -> None:
    glossary = (ROOT / "CONTRIBUTING.md").read_text().partition("\n## Words\n")[2]
    assert 0 < len(WORD.findall(glossary)) <= MOST_WORDS


def test_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= LONGEST_README


def test_pages_are_short_enough_to_read() -> None:
    lengths = {page.name: len(page.read_text().splitlines()) for page in DOCUMENTS if page != ROOT / "CHANGELOG.md"}
    assert {name: lines for name, lines in lengths.items() if lines > LONGEST_PAGE} == {}


def test_unreleased_changes_are_few() -> None:
    unreleased = (ROOT / "CHANGELOG.md").read_text().partition("\n## Unreleased\n")[2].partition("\n## ")[0]
    assert len(unreleased.splitlines()) <= LONGEST_UNRELEASED, "CHANGELOG.md: cut a release, or shorten the lines"
