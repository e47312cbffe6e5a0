"""RelatedRow: the row of a relation whose key an object has, or one column of it."""

from dataclasses import dataclass

from resolvers.steps.batch import Batch
from resolvers.steps.joined import JoinedAttribute, JoinedRow
from resolvers.steps.step import FieldStep


@dataclass(frozen=True, eq=False)
class RelatedRow(Batch):
    """The row, read for the keys of all objects together; or its `column`.

    `joined` takes its place where the statement that reads the objects can join the row to them.
    """

    column: str | None = None
    joined: JoinedRow | JoinedAttribute | None = None
    is_related = True

    def in_joined_row(self) -> FieldStep:
        return self.joined or self
