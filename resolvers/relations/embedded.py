"""Rows that their parents have with some of their columns, such as the member in the row of a report."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from resolvers.context import Context
from resolvers.relations.batching import ColumnDependencies, Resolver, batch_resolver
from resolvers.relations.relation import Relation


class EmbeddedRow:
    """The row in an attribute of the parent, which has `columns`. A document that shows others reads it by its `key`.

    The key is one of the columns, and that of `relation`.
    """

    def __init__(self, relation: Relation, key: str, columns: Iterable[str]) -> None:
        self._relation = relation
        self._key = key
        self._columns = frozenset(columns)

    def of(self, attribute: str) -> Resolver:
        """A resolver of the row in this attribute of the parent."""

        async def resolve(context: Context, parents: Sequence[Any], _: Mapping[str, Any]) -> Sequence[Any]:
            embedded = [parent[attribute] if type(parent) is dict else getattr(parent, attribute) for parent in parents]
            selected = context.selected.get(self)
            if selected is not None and selected.columns is not None and selected.columns <= self._columns:
                return embedded
            rows = await self._relation.rows(context, (getattr(row, self._key) for row in embedded), selected)
            return [rows[getattr(row, self._key)] for row in embedded]

        return batch_resolver(resolve, reads=ColumnDependencies(frozenset([attribute]), self))
