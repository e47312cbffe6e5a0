"""RowByKey: the row that an argument names by its key."""

from dataclasses import dataclass

from resolvers.steps.batch import Batch


@dataclass(frozen=True, eq=False)
class RowByKey(Batch):
    """A row whose attribute `key` has the value of the argument of the same name, or else of `id`.

    So fields of the row that need nothing but the key can be read in the same round trip as the row.
    """

    key: str = "id"
