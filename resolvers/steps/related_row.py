"""RelatedRow: the row of a relation whose key an object has, or one column of it."""

from dataclasses import dataclass
from typing import Any

from resolvers.selected import Join
from resolvers.steps.batch import Batch
from resolvers.steps.joined import JoinedAttribute, JoinedRow


@dataclass(frozen=True, eq=False)
class RelatedRow(Batch):
    """The row, read for the keys of all objects together; or its `column`, with `default` in place of null.

    With `join`, the statement that reads the objects can read the row, too.
    """

    column: str | None = None
    default: Any = None
    join: Join | None = None

    def joined(self) -> "JoinedRow | JoinedAttribute | RelatedRow":
        """The step that takes its place where the statement of the objects joins the row to them."""
        if self.join is None:
            return self
        if self.column is None:
            return JoinedRow(self.join)
        return JoinedAttribute(self.join.prefix + self.column, self.join, self.column, default=self.default)
