"""ListPage: one page of a list, or of the list below each object."""

from dataclasses import dataclass
from typing import Any

from resolvers.steps.batch import Batch
from resolvers.steps.step import FieldStep


@dataclass(frozen=True, eq=False)
class PageCount(Batch):
    """A page of which only the count is read, and no rows."""


@dataclass(frozen=True, eq=False)
class ListPage(Batch):
    """A page, whose field `results` has the rows. `counting` takes its place where nothing but `count` is selected.

    `parent` is the column or link that connects rows with the object that the list is below; None at the root.
    """

    within: str | None = "results"
    counting: PageCount | None = None
    parent: Any = None

    def of_count(self) -> FieldStep:
        return self.counting or self


@dataclass(frozen=True, eq=False)
class GroupTotals(Batch):
    """Groups of all rows of a list with their sums, or of the rows below each object."""

    groups: Any = None


@dataclass(frozen=True, eq=False)
class Report(ListPage):
    """A page of a report: its rows are no rows of a table, but sums over many, which take long to read."""

    is_heavy: bool = True
