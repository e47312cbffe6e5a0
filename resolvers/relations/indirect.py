"""Rows that a parent refers to by an array of ids, of its own or of another row.

screenshots_of_evidence = RowsByIds(screenshots_by_id).of("screenshot_ids")
teams_of_member = RowsByIds(teams_by_id, _teams_of_members, "team_ids").of("user_id")
"""

from collections.abc import Mapping, Sequence
from typing import Any

from resolvers.context import Context
from resolvers.relations.batching import ColumnDependencies, Resolver, batch_resolver
from resolvers.relations.relation import Relation, keys_of
from resolvers.relations.selected import Selected


class RowsByIds:
    """The rows of `target` whose ids are in an array, in its order; ids without a row are left out.

    The array is an attribute of the parent, or the attribute `array` of the row of `holder` that the parent refers to.
    """

    def __init__(self, target: Relation, holder: Relation | None = None, array: str = "") -> None:
        self._target = target
        self._holder = holder
        self._array = array
        self.columns_by_name = target.columns_by_name

    def of(self, key: str) -> Resolver:
        """A resolver of the rows. The attribute `key` of the parent is the array, or the key of the holder."""

        async def resolve(context: Context, parents: Sequence[Any], _: Mapping[str, Any]) -> Sequence[Sequence[Any]]:
            arrays = keys_of(parents, key)
            if self._holder is not None:
                known = [each for each in arrays if each is not None]
                held = await self._holder.rows(context, known, Selected(frozenset([self._array])))
                arrays = [None if each is None else getattr(held[each], self._array, None) for each in arrays]
            ids = [[] if array is None else list(array) for array in arrays]
            rows = await self._target.rows(context, (id_ for each in ids for id_ in each), context.selected.get(self))
            return [[row for id_ in each if (row := rows[id_]) is not None] for each in ids]

        return batch_resolver(resolve, reads=ColumnDependencies(frozenset([key]), self))
