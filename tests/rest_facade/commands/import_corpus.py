"""The cases of `import_corpus.txt`: options of a command, a file, and the hours that it has."""

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple


class Case(NamedTuple):
    options: list[str]
    content: str
    hours: list[str]


def cases() -> Iterator[tuple[str, Case]]:
    for case in Path(__file__).with_name("import_corpus.txt").read_text().strip().split("\n\n"):
        name, options, *lines = case.splitlines()
        content = [line.removeprefix("> ") for line in lines if line.startswith(">")]
        hours = [line.removeprefix("= ") for line in lines if line.startswith("=")]
        yield name.removeprefix("# "), Case(shlex.split(options), "\n".join([*content, ""]), hours)


CASES = dict(cases())
