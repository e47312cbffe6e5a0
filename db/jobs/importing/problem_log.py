"""The problems of an import: the first of each kind, and how many there are."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from db.jobs.importing.rows import Problem

SHOWN = 50
"""Problems of each kind that are kept; the others are counted."""

LONGEST_VALUE = 80
"""Characters of a value that are shown."""


@dataclass
class ProblemKind:
    """The problems with the same column and reason."""

    first: list[Problem] = field(default_factory=list)
    count: int = 0


class ProblemLog:
    """Collects problems by kind."""

    def __init__(self) -> None:
        self._kinds: dict[tuple[str, str], ProblemKind] = defaultdict(ProblemKind)

    def add(self, problem: Problem, *, total: int = 1) -> None:
        """Add a problem, which may stand for `total` of its kind."""
        kind = self._kinds[problem.column, problem.reason]
        kind.count += total
        if len(kind.first) < SHOWN:
            kind.first.append(problem)

    @property
    def kinds(self) -> Sequence[ProblemKind]:
        """The kinds, in the order in which they were found first."""
        return list(self._kinds.values())

    def __bool__(self) -> bool:
        return bool(self._kinds)

    def lines(self) -> list[str]:
        """The problems for a reader: a line for each that is kept, and one for the number of the others."""
        lines: list[str] = []
        for kind in self.kinds:
            lines += map(describe, kind.first)
            more = kind.count - len(kind.first)
            if more:
                last = kind.first[-1]
                lines.append(f"... and {more:,} more: {f'{last.column} ' if last.column else ''}{last.reason}")
        return lines


def describe(problem: Problem) -> str:
    """One line: file, line, column, value and reason."""
    place = f"{problem.file}:{problem.line}" if problem.line else problem.file
    words = [f"{place}:", problem.column, _shown(problem.value), problem.reason]
    return " ".join(word for word in words if word)


def _shown(value: str | None) -> str:
    if value is None:
        return ""
    text = value if len(value) <= LONGEST_VALUE else f"{value[:LONGEST_VALUE]}..."
    return f'"{text}"' if text.isprintable() else ascii(text)
