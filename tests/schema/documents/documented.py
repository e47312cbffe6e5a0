"""The documents in the pages on GraphQL."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[3] / "docs"


def documents_of(page: Path) -> list[str]:
    return [
        document
        for block in re.findall(r"(?:^ {4}.*\n|^\n(?= {4}))+", page.read_text(), re.MULTILINE)
        if re.match(r"{\s*\w", document := block.strip()) and "..." not in document
    ]


DOCUMENTS = [document for page in sorted(DOCS.glob("graphql*.md")) for document in documents_of(page)]

QUESTIONS_PAGE = DOCS / "graphql-questions.md"

QUESTIONS = documents_of(QUESTIONS_PAGE)
"""The documents of the questions, in the order of the table."""

ANSWERED = re.findall(
    r"^(\S.*)\?\n\n((?: {4}.*\n)+)\n([\d,]+) rows, (\d+) levels, (\d+) objects\. On the demo:\n\n {4}(.*)\n",
    "".join(page.read_text() for page in sorted(DOCS.glob("graphql-questions-*.md"))),
    re.MULTILINE,
)
"""Question, document, estimated rows, levels, objects of the answer and a part of it."""
