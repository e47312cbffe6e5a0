"""RowByKey: the row that an argument names by its key."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from resolvers.steps.batch import Batch


@dataclass(frozen=True, eq=False)
class RowByKey(Batch):
    """A row whose attribute `key` has the value of the argument of the same name, or else of `id`.

    So fields of the row that need nothing but the key can be read in the same round trip as the row.
    """

    key: str = "id"

    def expected_row(self, arguments: Mapping[str, Any]) -> Any:
        """An object that has nothing but the key."""
        return SimpleNamespace(**{self.key: arguments.get(self.key) or arguments.get("id")})
