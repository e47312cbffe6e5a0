"""The sources of the site: the Markdown pages that docs/README.md lists, by reader."""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from db.errors import OperatorError

FOLDERS = (
    Path(__file__).parents[2] / "docs",
    *(root / "share" / "orgdata" / "docs" for root in (Path(__file__).parents[2], Path(sys.prefix))),
)
"""Where the pages are: in a checkout, in a folder of `pip install --target`, or in an environment."""

CUSTOMERS = ("You write a REST client", "You connect an AI agent")
"""The readers of a public site: those who have a key and nothing else."""

HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
EXAMPLE = re.compile(r"\[(?P<name>\*\*[\w.]+\*\*)\]\(\.\./(?P<path>examples/[\w/.]+)\)\.$", re.MULTILINE)
"""A link to a program at the end of a sentence: a page of the site has the program in place of the full stop."""

LANGUAGES = {"gs": "javascript", "pq": "powerquery", "py": "python", "ts": "typescript"}
"""The languages of programs whose files do not end in their names."""

LISTED = re.compile(r"^- \[[^]]+\]\((?P<path>[a-z-]+|\.\./CHANGELOG)\.md\): ", re.MULTILINE)


@dataclass(frozen=True)
class SourcePage:
    """A page in Markdown: its name in addresses, the reader whom it is for, and its text, which begins with a title."""

    name: str
    reader: str
    text: str

    @property
    def title(self) -> str:
        return self.text.partition("\n")[0].removeprefix("# ")


def source_pages(*, customers_only: bool) -> Iterator[SourcePage]:
    """The pages in the order of docs/README.md. Raises OperatorError."""
    folder = next((folder for folder in FOLDERS if (folder / "README.md").is_file()), None)
    if folder is None:
        raise OperatorError(f"The pages of the documentation are not in {FOLDERS[-1]}: install the distribution again.")
    _, *sections = HEADING.split((folder / "README.md").read_text("utf-8"))
    for reader, listed in zip(sections[::2], sections[1::2], strict=True):
        if customers_only and reader not in CUSTOMERS:
            continue
        for match in LISTED.finditer(listed):
            text = (folder / f"{match['path']}.md").read_text("utf-8")
            name = match["path"].removeprefix("../").lower()
            yield SourcePage(name, reader, EXAMPLE.sub(partial(_with_program, folder.parent), text))


def _with_program(root: Path, link: re.Match[str]) -> str:
    program = root / link["path"]
    ending = program.suffix[1:]
    return f"{link['name']}:\n\n```{LANGUAGES.get(ending, ending)}\n{program.read_text('utf-8')}```"
