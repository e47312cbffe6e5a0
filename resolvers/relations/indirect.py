"""Rows that a parent refers to indirectly: by an array of ids, or by ids that another row has.

The ids are in the parent, `RowsByIds(screenshots_by_id).of("screenshot_ids")`, or in another row:

    teams_of_member = RowsByIds(teams_by_id, _teams_of_members, "team_ids").of("user_id")
    client_of_entry = RowBehind(clients_by_id, projects_by_id, "client_id").of("project_id")
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
            arrays = await _held(context, parents, key, self._holder, self._array)
            ids = [[] if array is None else list(array) for array in arrays]
            rows = await self._target.rows(context, (id_ for each in ids for id_ in each), context.selected.get(self))
            return [[row for id_ in each if (row := rows[id_]) is not None] for each in ids]

        return batch_resolver(resolve, reads=ColumnDependencies(frozenset([key]), self))


class RowBehind:
    """The row of `target` whose id is the attribute `column` of the row of `holder` that the parent refers to."""

    def __init__(self, target: Relation, holder: Relation, column: str) -> None:
        self._target = target
        self._holder = holder
        self._column = column
        self.columns_by_name = target.columns_by_name

    def of(self, key: str) -> Resolver:
        """A resolver of the row. The attribute `key` of the parent is the key of the holder."""

        async def resolve(context: Context, parents: Sequence[Any], _: Mapping[str, Any]) -> Sequence[Any]:
            ids = await _held(context, parents, key, self._holder, self._column)
            rows = await self._target.rows(context, (id_ for id_ in ids if id_ is not None), context.selected.get(self))
            return [None if id_ is None else rows[id_] for id_ in ids]

        return batch_resolver(resolve, reads=ColumnDependencies(frozenset([key]), self))


async def _held(
    context: Context, parents: Sequence[Any], key: str, holder: Relation | None, attribute: str
) -> Sequence[Any]:
    """The attribute `key` of each parent; with a holder, the attribute of the row of the holder that has this key."""
    keys = keys_of(parents, key)
    if holder is None:
        return keys
    rows = await holder.rows(context, (each for each in keys if each is not None), Selected(frozenset([attribute])))
    found = [None if each is None else rows[each] for each in keys]
    return [None if row is None else getattr(row, attribute) for row in found]
