"""The documents in the pages on GraphQL, and those of `examples/graphql/`, which the pages show."""

import re
from pathlib import Path

from tests.helpers.repository import ROOT

DOCS, EXAMPLES = ROOT / "docs", ROOT / "examples" / "graphql"


def documents_of(page: Path) -> list[str]:
    return [
        document
        for block in re.findall(r"(?:^ {4}.*\n|^\n(?= {4}))+", page.read_text(), re.MULTILINE)
        if re.match(r"{\s*\w", document := block.strip()) and "..." not in document
    ]


QUESTIONS_PAGE = DOCS / "graphql-questions.md"

QUESTIONS = re.findall(r"^{\n(?:  .*\n)+}\n", (EXAMPLES / "larger.graphql").read_text(), re.MULTILINE)
"""The larger documents, in the order of the tables."""


def answered(*names: str) -> list[tuple[str, ...]]:
    """Question, estimated rows, levels, objects of the answer, a part of it, and the document."""
    return [
        found
        for name in names
        for found in re.findall(
            r"^# (.*)\?\n# ([\d,]+) rows, (\d+) levels, (\d+) objects: (.*)\n((?:[^#\n].*\n)+)",
            (EXAMPLES / f"{name}.graphql").read_text(),
            re.MULTILINE,
        )
    ]


BOUNDED = answered("people", "work", "gaps")
"""Those that are asked of rows at their bounds, too."""

ANSWERED = [*BOUNDED, *answered("compared")]

DOCUMENTS = [document for page in sorted(DOCS.glob("graphql*.md")) for document in documents_of(page)]
DOCUMENTS += [*QUESTIONS, *(document for *_, document in ANSWERED)]
